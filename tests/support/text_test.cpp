// Words, numbers and tables.
#include "support/text.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace rondo::support {
namespace {

using Words = std::vector<std::string>;

TEST(Text, CommasPartEntriesAndEmptyOnesStay) {
  EXPECT_EQ(split_at_commas("a,b"), (Words{"a", "b"}));
  EXPECT_EQ(split_at_commas("a,,b,"), (Words{"a", "", "b", ""}));
  EXPECT_EQ(split_at_commas(""), (Words{""}));
}

TEST(Text, ANumberIsTheWholeText) {
  std::uint8_t small = 0;
  EXPECT_TRUE(read_number("255", small));
  EXPECT_EQ(small, 255);
  double real = 0;
  EXPECT_TRUE(read_number("-2.5e1", real));
  EXPECT_EQ(real, -25);
  for (const char* wrong : {"", "256", "-1", " 1", "1 ", "1x", "0x1", "one"})
    EXPECT_FALSE(read_number(wrong, small)) << wrong;
}

TEST(Text, QuotedWordsAreShortAndOnOneLine) {
  EXPECT_EQ(in_quotes("word"), "'word'");
  EXPECT_EQ(in_quotes("a\nb\x1b[2J\x7f"), "'a?b?[2J?'");
  EXPECT_EQ(in_quotes("\xce\xbb"), "'\xce\xbb'");
  EXPECT_EQ(in_quotes(std::string(40, 'x')), "'" + std::string(40, 'x') + "'");
  EXPECT_EQ(in_quotes(std::string(41, 'x')), "'" + std::string(40, 'x') + "...'");
}

TEST(Text, OneIsSingular) {
  EXPECT_EQ(counted(0, "rank"), "0 ranks");
  EXPECT_EQ(counted(1, "rank"), "1 rank");
  EXPECT_EQ(counted(2, "rank"), "2 ranks");
}

TEST(Text, ColumnsAreAsWideAsTheirWidestCell) {
  EXPECT_EQ(align({{"name", "n", "time"}, {"a", "100", "1.5"}, {"longer", "7", "22.5"}}),
            "name      n  time\n"
            "a       100   1.5\n"
            "longer    7  22.5\n");
}

}  // namespace
}  // namespace rondo::support
