// Parts of files: wherever a text is cut, each line is whole and in one part.
#include "closure/text_file.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/dealing.hpp"

namespace rondo::closure {
namespace {

const std::string kTexts[] = {
    "",
    "\n",
    "a",
    "a\n",
    "\n\n\n",
    "1 2\n3 4\n\nlonger than the others\r\n5\n",
    "first\nthe last has no end",
    "\nx\n\n",
    std::string(70000, 'x') + "\n" + "y\n",  // longer than one read
};

Read reading(const std::string& text) {
  return [&text](std::uint64_t offset, std::uint64_t bytes) {
    return offset < text.size() ? text.substr(offset, bytes) : std::string();
  };
}

TEST(LinesOf, EveryPairOfCutsKeepsEveryLine) {
  for (const std::string& text : kTexts) {
    const std::size_t step = text.size() / 100 + 1;
    for (std::uint64_t first = 0; first <= text.size(); first += step)
      for (std::uint64_t second = first; second <= text.size(); second += step) {
        const std::string parts[] = {lines_of(reading(text), {0, first}),
                                     lines_of(reading(text), {first, second}),
                                     lines_of(reading(text), {second, text.size()})};
        ASSERT_EQ(parts[0] + parts[1] + parts[2], text) << first << ' ' << second;
        for (int i = 0; i < 2; ++i) {
          const bool ends = parts[i].empty() || parts[i].back() == '\n';
          const bool is_rest = parts[i + 1].empty() && parts[2].empty();
          ASSERT_TRUE(ends || is_rest) << first << ' ' << second;
        }
      }
  }
}

TEST(LinesOf, LinesBelongToWhereTheyBegin) {
  const std::string text = "ab\ncd\nef\n";
  EXPECT_EQ(lines_of(reading(text), {0, 1}), "ab\n");
  EXPECT_EQ(lines_of(reading(text), {1, 3}), "");
  EXPECT_EQ(lines_of(reading(text), {1, 4}), "cd\n");
  EXPECT_EQ(lines_of(reading(text), {3, 7}), "cd\nef\n");
}

TEST(LinesOf, EqualSharesOfAText) {
  for (const std::string& text : kTexts)
    for (std::uint64_t parts = 1; parts <= 7; ++parts) {
      const apps::Dealing<std::uint64_t> dealing(text.size(), parts);
      std::string together;
      for (std::uint64_t part = 0; part < parts; ++part)
        together += lines_of(reading(text), {dealing.start(part), dealing.start(part + 1)});
      ASSERT_EQ(together, text) << parts;
    }
}

TEST(TakeLine, TakesLineAfterLine) {
  std::string_view rest = "a\n\nb";
  std::vector<std::string> lines;
  while (!rest.empty()) lines.emplace_back(take_line(rest));
  EXPECT_EQ(lines, (std::vector<std::string>{"a", "", "b"}));
}

}  // namespace
}  // namespace rondo::closure
