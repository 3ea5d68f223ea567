#include "registry/settings.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"

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

std::int64_t read_bytes(const char* variable, const char* value, std::int64_t least,
                        std::int64_t most) {
  const std::optional<std::size_t> bytes = read_size(value);
  if (!bytes || *bytes < static_cast<std::size_t>(least) || *bytes > static_cast<std::size_t>(most))
    throw Error(ErrorClass::argument, text(variable, " is '", value, "', must be a size in ", least,
                                           "..", most, ", as in 65536, 64k or 64KiB"));
  return static_cast<std::int64_t>(*bytes);
}

/// What somebody may write who does not want to name a file.
constexpr std::string_view kSwitches[] = {"on", "off", "yes", "no", "true", "false"};

bool is_switch(std::string_view value) {
  return std::ranges::any_of(kSwitches, [&](std::string_view word) {
    return std::ranges::equal(value, word, [](unsigned char given, char letter) {
      return std::tolower(given) == letter;
    });
  });
}

constexpr std::string_view kPrefix = "RONDO_";

/// What the drop-in, tools/mpirun and the tests read, without the prefix.
constexpr std::string_view kReadElsewhere[] = {"DISABLE", "MPIRUN_ARGUMENTS", "MPI_TESTS"};

}  // namespace

std::span<const SettingRow> setting_rows() {
  return kRows;
}

std::string why_unknown(std::string_view variable) {
  const std::string_view name = variable.substr(kPrefix.size());
  std::vector<std::string_view> names(std::begin(kReadElsewhere), std::end(kReadElsewhere));
  for (const SettingRow& row : kRows) names.push_back(row.variable.substr(kPrefix.size()));
  const std::string_view meant = closest(name, names);
  if (meant.empty() || meant == name) return "";
  return text(variable, " is set, but Rondo has no such setting (did you mean ", kPrefix, meant,
              "?)");
}

Settings read_settings(const std::function<const char*(const char*)>& in_environment) {
  const auto lookup = [&](const char* variable) {
    const char* const value = in_environment(variable);
    return value != nullptr && *value == '\0' ? nullptr : value;
  };
  Settings settings;
#define RONDO_TEXT_SETTING(field, variable, meaning) \
  if (const char* value = lookup(variable)) settings.field = value;
#define RONDO_NUMBER_SETTING(field, variable, least, initial, most, meaning) \
  if (const char* value = lookup(variable))                                  \
    settings.field = read_number(variable, value, least, most);
#define RONDO_SIZE_SETTING(field, variable, least, initial, most, meaning) \
  if (const char* value = lookup(variable))                                \
    settings.field = read_bytes(variable, value, least, most);
#include "registry/settings.def"
  if (!settings.progress.empty() && settings.progress != "thread")
    throw Error(ErrorClass::argument,
                text("RONDO_PROGRESS is '", settings.progress, "'; it must be thread or empty"));
  if (!settings.watch.empty() && !read_duration(settings.watch))
    throw Error(ErrorClass::argument, text("RONDO_WATCH is '", settings.watch,
                                           "'; it must be a time, as in 60s, 500ms, 5m or 1h"));
  if (is_switch(settings.learn))
    throw Error(ErrorClass::argument, text("RONDO_LEARN is '", settings.learn,
                                           "'; it must be 0, 1 or the name of a file (./",
                                           settings.learn, " names one)"));
  return settings;
}

}  // namespace rondo::registry
