// The environment variables.
#include "registry/settings.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/error.hpp"

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

TEST(Settings, WhatIsNotAWholeNumberIsRefusedByName) {
  for (const char* value : {"", "x", "-1", "4x", " 4", "99999999999999999999"}) {
    try {
      read({{"RONDO_FORWARD_CALLS", value}});
      ADD_FAILURE() << "'" << value << "' was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), ErrorClass::argument);
      EXPECT_NE(std::string(error.what()).find("RONDO_FORWARD_CALLS"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace rondo::registry
