// The environment variables of Rondo, as one table.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace rondo::registry {

struct Settings {
#define RONDO_TEXT_SETTING(field, variable, meaning) std::string field;
#define RONDO_NUMBER_SETTING(field, variable, least, value, most, meaning) \
  std::int64_t field = value;
#include "registry/settings.def"

  /// Whether `stats` requests statistics, as any text but 0 does.
  bool counts() const {
    return !stats.empty() && stats != "0";
  }
};

/// The documentation of one variable.
struct SettingRow {
  std::string_view variable;
  std::string_view value;  ///< the default
  std::string_view meaning;
};

std::span<const SettingRow> setting_rows();

/// Reads all variables. `in_environment` is getenv, or a test's own function. An empty variable is not set. Throws
/// Error(argument), which names a variable whose value is not a whole number in its range.
Settings read_settings(const std::function<const char*(const char*)>& in_environment);

/// What is wrong with the name of a variable that begins with RONDO_. Empty if anything reads such a variable, or if no
/// such name is near: a site or a program may have variables of its own, such as RONDO_ROOT.
std::string why_unknown(std::string_view variable);

}  // namespace rondo::registry
