// Hostile texts for the parser of profiles. It refuses them with a sentence, or what it reads can be
// written and read again. RONDO_TEST_SEED replays a run.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "profiles.hpp"
#include "seed.hpp"
#include "select/decide.hpp"
#include "select/profile.hpp"

namespace rondo::select {
namespace {

using Json = nlohmann::json;
using test::random_in;

/// Returns whether it was read. Any exception but an Error ends the test.
bool is_read(const std::string& text) {
  try {
    const std::string written = to_text(parse_profile(text));
    EXPECT_EQ(to_text(parse_profile(written)), written) << "read from: " << text;
    return true;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()), "") << "said of: " << text;
    EXPECT_EQ(error.error_class(), ErrorClass::argument) << "said of: " << text;
    return false;
  }
}

/// Adds the pointers to a value of a JSON text and to all values in it.
void add_pointers(const Json& value, const Json::json_pointer& where,
                  std::vector<Json::json_pointer>& all) {
  all.push_back(where);
  if (value.is_array())
    for (std::size_t i = 0; i < value.size(); ++i) add_pointers(value[i], where / i, all);
  if (value.is_object())
    for (const auto& [name, item] : value.items()) add_pointers(item, where / name, all);
}

TEST(ProfileFuzz, CutAtEveryByte) {
  const std::string whole = to_text(sample_profile());
  for (std::size_t length = 0; length + 1 < whole.size(); ++length)
    EXPECT_FALSE(is_read(whole.substr(0, length))) << length;
  EXPECT_TRUE(is_read(whole.substr(0, whole.size() - 1))) << "a line may lack its end";
}

TEST(ProfileFuzz, OtherBytes) {
  std::mt19937_64 random(test::seed());
  const std::string whole = to_text(sample_profile());
  const int last = static_cast<int>(whole.size()) - 1;
  constexpr std::string_view kMeaningful = "{}[]\",:\\-+.eE0129nulltrue\xff\xc2\x80";
  int read = 0;
  for (int trial = 0; trial < 6000; ++trial) {
    std::string text = whole;
    for (int change = random_in(random, 1, 4); change > 0; --change) {
      const auto at = static_cast<std::size_t>(random_in(random, 0, last));
      const int what = random_in(random, 0, 3);
      const auto pick =
          static_cast<std::size_t>(random_in(random, 0, static_cast<int>(kMeaningful.size()) - 1));
      if (what == 0) text[at] = static_cast<char>(random_in(random, 0, 255));
      if (what == 1) text[at] = kMeaningful[pick];
      if (what == 2) text.insert(at, 1, kMeaningful[pick]);
      if (what == 3) text.erase(at, static_cast<std::size_t>(random_in(random, 1, 40)));
      text.resize(whole.size(), ' ');
    }
    read += is_read(text) ? 1 : 0;
  }
  EXPECT_GT(read, 0) << "digits and letters inside texts may change";
  EXPECT_LT(read, 6000);
}

TEST(ProfileFuzz, OtherValuesEverywhere) {
  const Json whole = Json::parse(to_text(sample_profile()));
  Json values = Json::parse(R"([null, true, 0, -1, 3, 1.5, -0.0, 1e300, 9223372036854775807,
                                -9223372036854775808, 18446744073709551615, "", "mpi", "\u0000",
                                "fused_bruck:radix=99999999999999999999",
                                "node_aware:inter=pigeon", [], {}, [{}]])");
  values.push_back(std::string(2000, 'x'));
  values.push_back(whole);
  std::vector<Json::json_pointer> pointers;
  add_pointers(whole, Json::json_pointer(), pointers);
  ASSERT_GT(pointers.size(), 60u);
  int read = 0;
  for (const auto& where : pointers)
    for (const Json& value : values) {
      Json changed = whole;
      changed[where] = value;
      read += is_read(changed.dump()) ? 1 : 0;
    }
  EXPECT_GT(read, 0);
}

TEST(ProfileFuzz, WithoutAnyValue) {
  const Json whole = Json::parse(to_text(sample_profile()));
  std::vector<Json::json_pointer> pointers;
  add_pointers(whole, Json::json_pointer(), pointers);
  for (const auto& where : pointers) {
    if (where.empty()) continue;
    Json changed = whole;
    Json& parent = changed.at(where.parent_pointer());
    if (parent.is_array())
      parent.erase(std::stoul(where.back()));
    else
      parent.erase(where.back());
    const bool may_miss = parent.is_array() || where.back() == "reason";
    EXPECT_TRUE(may_miss || !is_read(changed.dump())) << where.to_string();
  }
}

TEST(ProfileFuzz, NumbersThatAreNone) {
  const std::string whole = to_text(sample_profile());
  const std::string name = "\"switch_seconds\": ";
  const std::size_t at = whole.find(name) + name.size();
  const std::size_t end = whole.find('\n', at);
  for (const char* number :
       {"NaN", "Infinity", "-Infinity", "1e400", "-1", "0x10", "1e", "--1", "01", "\"1e-9\"", "nan",
        "1001", "99999999999999999999999999999", "-99999999999999999999999999999"})
    EXPECT_FALSE(is_read(whole.substr(0, at) + number + whole.substr(end))) << number;
  for (const char* number : {"0", "-0.0", "1000", "1e-400", "4.9e-324", "1E+2"})
    EXPECT_TRUE(is_read(whole.substr(0, at) + number + whole.substr(end))) << number;
}

std::string repeated(std::string_view part, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += part;
  return text;
}

TEST(ProfileFuzz, DeepNesting) {
  const std::string whole = to_text(sample_profile());
  const std::string name = "\"layouts\": ";
  const std::size_t at = whole.find(name) + name.size();
  const std::size_t depth = 100000;
  EXPECT_FALSE(is_read(repeated("[", depth)));
  EXPECT_FALSE(is_read(repeated("[", depth) + repeated("]", depth)));
  EXPECT_FALSE(is_read(repeated("{\"a\":", depth)));
  EXPECT_FALSE(is_read(repeated("{\"a\":", depth) + "1" + repeated("}", depth)));
  EXPECT_FALSE(is_read(whole.substr(0, at) + repeated("[", depth) + repeated("]", depth) + "}"));
  const std::string aside = ",\n\"aside\": " + repeated("[", depth) + repeated("]", depth) + "}";
  EXPECT_TRUE(is_read(whole.substr(0, whole.rfind('}')) + aside))
      << "what else is in it is not read";
}

TEST(ProfileFuzz, TheSameNameTwice) {
  const std::string whole = to_text(sample_profile());
  const std::string begin = whole.substr(0, whole.rfind('}'));
  EXPECT_FALSE(is_read(begin + ", \"layouts\": 1}"));
  EXPECT_TRUE(is_read(begin + ", \"layouts\": []}"));
}

/// Every request that is read stands for a choice, on every layout of the profile.
TEST(ProfileFuzz, WhatIsReadIsLegal) {
  const char* const requests[] = {"fused_bruck:radix=2147483647", "sloav:threshold=0",
                                  "node_aware:parts=1000000000:radix=2", "spread_out:window=1"};
  for (const char* request : requests) {
    Json json = Json::parse(to_text(sample_profile()));
    json["layouts"][0]["alltoallv"][1]["algorithm"] = request;
    const Profile profile = parse_profile(json.dump());
    for (const Measured& measured : profile.layouts) {
      const Decisions decisions = decide({.layout = measured.layout}, &profile);
      for (const Band& one : decisions.alltoallv) {
        const choice::Choice choice = choice::resolve(one.choice, measured.layout);
        EXPECT_EQ(choice.algorithm, one.choice.algorithm);
      }
      EXPECT_EQ(to_text(decisions_from(to_text(decisions))), to_text(decisions));
    }
  }
}

}  // namespace
}  // namespace rondo::select
