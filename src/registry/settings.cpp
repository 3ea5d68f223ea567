#include "registry/settings.hpp"

#include <charconv>

#include "base/error.hpp"

namespace rondo::registry {

namespace {

constexpr SettingRow kRows[] = {
#define RONDO_TEXT_SETTING(field, variable, meaning) {variable, "", meaning},
#define RONDO_NUMBER_SETTING(field, variable, value, meaning) {variable, #value, meaning},
#include "registry/settings.def"
#undef RONDO_TEXT_SETTING
#undef RONDO_NUMBER_SETTING
};

void read(std::string& field, const char*, const char* value) {
  field = value;
}

void read(std::int64_t& field, const char* variable, const char* value) {
  const std::string_view digits(value);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), field);
  if (error != std::errc{} || end != digits.data() + digits.size() || field < 0)
    throw Error(ErrorClass::argument,
                text(variable, " is '", digits, "', must be a whole number from 0 up"));
}

}  // namespace

std::span<const SettingRow> setting_rows() {
  return kRows;
}

Settings read_settings(const std::function<const char*(const char*)>& lookup) {
  Settings settings;
#define RONDO_TEXT_SETTING(field, variable, meaning) \
  if (const char* value = lookup(variable)) read(settings.field, variable, value);
#define RONDO_NUMBER_SETTING(field, variable, initial, meaning) \
  if (const char* value = lookup(variable)) read(settings.field, variable, value);
#include "registry/settings.def"
#undef RONDO_TEXT_SETTING
#undef RONDO_NUMBER_SETTING
  return settings;
}

}  // namespace rondo::registry
