#include "registry/settings.hpp"

#include <charconv>

#include "base/error.hpp"

namespace rondo::registry {

namespace {

constexpr SettingRow kRows[] = {
#define RONDO_TEXT_SETTING(field, variable, meaning) {variable, "", meaning},
#define RONDO_NUMBER_SETTING(field, variable, least, value, most, meaning) \
  {variable, #value, meaning},
#include "registry/settings.def"
};

std::int64_t read_number(const char* variable, const char* value, std::int64_t least,
                         std::int64_t most) {
  const std::string_view digits(value);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || end != digits.data() + digits.size() || number < least ||
      number > most)
    throw Error(ErrorClass::argument, text(variable, " is '", digits,
                                           "', must be a whole number in ", least, "..", most));
  return number;
}

}  // namespace

std::span<const SettingRow> setting_rows() {
  return kRows;
}

Settings read_settings(const std::function<const char*(const char*)>& lookup) {
  Settings settings;
#define RONDO_TEXT_SETTING(field, variable, meaning) \
  if (const char* value = lookup(variable)) settings.field = value;
#define RONDO_NUMBER_SETTING(field, variable, least, initial, most, meaning) \
  if (const char* value = lookup(variable))                                  \
    settings.field = read_number(variable, value, least, most);
#include "registry/settings.def"
  if (!settings.progress.empty() && settings.progress != "thread")
    throw Error(ErrorClass::argument,
                text("RONDO_PROGRESS is '", settings.progress, "'; it must be thread or empty"));
  return settings;
}

}  // namespace rondo::registry
