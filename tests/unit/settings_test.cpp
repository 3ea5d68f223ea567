// The environment variables.
#include "registry/settings.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "refusal.hpp"

namespace rondo::registry {
namespace {

using Environment = std::map<std::string, std::string>;

Settings read(const Environment& environment) {
  return read_settings([&](const char* variable) -> const char* {
    const auto at = environment.find(variable);
    return at == environment.end() ? nullptr : at->second.c_str();
  });
}

TEST(Settings, DefaultsAreThoseOfTheTable) {
  const Settings settings = read({});
  EXPECT_EQ(settings.alltoallv, "");
  EXPECT_EQ(settings.check, 0);
  Environment printed;
  for (const SettingRow& row : setting_rows()) {
    EXPECT_EQ(row.variable.substr(0, 6), "RONDO_");
    if (!row.value.empty()) printed.emplace(row.variable, row.value);
  }
  EXPECT_EQ(read(printed).forward_calls, settings.forward_calls);
  EXPECT_EQ(read(printed).padding_bytes, settings.padding_bytes);
}

TEST(Settings, VariablesAreRead) {
  const Settings settings =
      read({{"RONDO_ALLTOALLV", "fused_bruck:radix=4"}, {"RONDO_FORWARD_CALLS", "0"}});
  EXPECT_EQ(settings.alltoallv, "fused_bruck:radix=4");
  EXPECT_EQ(settings.forward_calls, 0);
}

TEST(Settings, AnEmptyOneIsNotSet) {
  Environment empty;
  for (const SettingRow& row : setting_rows()) empty.emplace(row.variable, "");
  const Settings settings = read(empty);
  const Settings unset = read({});
#define RONDO_TEXT_SETTING(field, variable, meaning) EXPECT_EQ(settings.field, unset.field);
#define RONDO_NUMBER_SETTING(field, variable, least, value, most, meaning) \
  EXPECT_EQ(settings.field, unset.field);
#include "registry/settings.def"
}

TEST(Settings, UnknownNamesAreSaidIfAKnownOneIsNear) {
  const std::pair<const char*, const char*> rows[] = {{"RONDO_ALTOALLV", "RONDO_ALLTOALLV"},
                                                      {"RONDO_Check", "RONDO_CHECK"},
                                                      {"RONDO_STAT", "RONDO_STATS"},
                                                      {"RONDO_DISABLED", "RONDO_DISABLE"}};
  for (const auto& [name, meant] : rows)
    EXPECT_EQ(why_unknown(name),
              text(name, " is set, but Rondo has no such setting (did you mean ", meant, "?)"));
  for (const SettingRow& row : setting_rows()) EXPECT_EQ(why_unknown(row.variable), "");
  for (const char* name :
       {"DISABLE", "STATS", "MPIRUN_ARGUMENTS", "MPI_TESTS", "TEST_SEED", "TESTS", "", "PIGEON",
        "BASE", "BIN", "DIR", "HOME", "INC", "INCLUDE", "LIB", "PATH", "PREFIX", "ROOT", "VERSION"})
    EXPECT_EQ(why_unknown(std::string("RONDO_") + name), "") << name;
}

struct BadNumber {
  const char* variable;
  const char* value;
  const char* range;
};

TEST(Settings, WhatIsNotAWholeNumberInItsRangeIsRefusedByName) {
  const BadNumber rows[] = {
      {"RONDO_FORWARD_CALLS", "x", "-1..2147483647"},
      {"RONDO_FORWARD_CALLS", "-2", "-1..2147483647"},
      {"RONDO_FORWARD_CALLS", "4x", "-1..2147483647"},
      {"RONDO_FORWARD_CALLS", " 4", "-1..2147483647"},
      {"RONDO_FORWARD_CALLS", "99999999999999999999", "-1..2147483647"},
      {"RONDO_FORWARD_CALLS", "2147483648", "-1..2147483647"},
      {"RONDO_FORWARD_CALLS", "4294967296", "-1..2147483647"},
      {"RONDO_CHECK", "2", "0..1"},
      {"RONDO_AB", "4294967296", "0..1"},
      {"RONDO_VERBOSE", "4294967296", "0..1"},
      {"RONDO_AB_SEED", "4294967297", "0..2147483647"},
  };
  for (const BadNumber& row : rows)
    EXPECT_EQ(test::refusal([&] {
                read({{row.variable, row.value}});
              }),
              text(row.variable, " is '", row.value, "', must be a whole number in ", row.range));
}

TEST(Settings, WhatIsNotASizeInItsRangeIsRefusedByName) {
  const std::pair<const char*, const char*> rows[] = {
      {"RONDO_MEMORY", "281474976710657"},
      {"RONDO_MEMORY", "-1"},
      {"RONDO_SLOT_BYTES", "9223372036854775807"},
      {"RONDO_SLOT_BYTES", "4q"},
      {"RONDO_PADDING_BYTES", "18446744073709551616"}};
  for (const auto& [variable, value] : rows)
    EXPECT_EQ(test::refusal([&] {
                read({{variable, value}});
              }),
              text(variable, " is '", value,
                   "', must be a size in 0..281474976710656, as in 65536, 64k or 64KiB"));
}

TEST(Settings, SizesHaveUnits) {
  EXPECT_EQ(read({{"RONDO_MEMORY", "256MiB"}}).memory, 256 << 20);
  EXPECT_EQ(read({{"RONDO_SLOT_BYTES", "16m"}}).slot_bytes, 16 << 20);
}

TEST(Settings, LearnIsASwitchOrAFile) {
  for (const char* value : {"", "0", "1", "learned.json", "./off", "offline", "o"})
    EXPECT_EQ(read({{"RONDO_LEARN", value}}).learn, value);
  for (const char* value : {"on", "off", "OFF", "yes", "no", "true", "False"})
    EXPECT_EQ(test::refusal([&] {
                read({{"RONDO_LEARN", value}});
              }),
              text("RONDO_LEARN is '", value, "'; it must be 0, 1 or the name of a file (./", value,
                   " names one)"));
}

TEST(Settings, AnUnknownProgressIsRefused) {
  const auto progress = [](const char* value) {
    return read_settings([=](const char* variable) {
      return std::string_view(variable) == "RONDO_PROGRESS" ? value : nullptr;
    });
  };
  EXPECT_EQ(progress("thread").progress, "thread");
  EXPECT_EQ(progress("").progress, "");
  EXPECT_THROW(progress("threads"), Error);
}

TEST(Settings, WatchIsATime) {
  for (const char* value : {"", "60", "60s", "500ms", "5m", "1H"})
    EXPECT_EQ(read({{"RONDO_WATCH", value}}).watch, value);
  for (const char* value : {"0", "0s", "-1", "1.5s", "s", "soon", "60 s", "1d", "9000h", "1 "})
    EXPECT_EQ(test::refusal([&] {
                read({{"RONDO_WATCH", value}});
              }),
              text("RONDO_WATCH is '", value, "'; it must be a time, as in 60s, 500ms, 5m or 1h"));
}

TEST(Settings, TheLargestNumberIsTaken) {
  EXPECT_EQ(read({{"RONDO_FORWARD_CALLS", "2147483647"}}).forward_calls, 2147483647);
  EXPECT_EQ(read({{"RONDO_MEMORY", "281474976710656"}}).memory, std::int64_t{1} << 48);
}

}  // namespace
}  // namespace rondo::registry
