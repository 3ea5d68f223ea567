// How every program here reads its command line. Values are parsed by this code, so that an error
// message is one sentence that names the option, what was given and what the option takes.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "support/records.hpp"
#include "support/text.hpp"

namespace rondo::support {

/// The number as text: "1000000". A number from 2^31 on that is a power of two, or one less, is
/// written as such.
std::string bound_text(std::uint64_t bound);

/// Throws Error(argument): "'TEXT' is unknown; choose from A, B or C".
[[noreturn]] void refuse_word(const std::string& option, const std::string& given,
                              const std::vector<std::string>& words);

/// Adds an option that takes any text; --help shows `type` for it.
CLI::Option* add_text(CLI::App& app, const std::string& names, std::string& value,
                      const std::string& type, const std::string& meaning);

/// Adds a flag, which takes no value.
CLI::Option* add_switch(CLI::App& app, const std::string& names, bool& value,
                        const std::string& meaning);

/// Adds an option whose texts `read(option, given)` parses; it throws Error(argument).
template <class Read>
CLI::Option* add_read(CLI::App& app, const std::string& names, const std::string& type,
                      const std::string& meaning, Read&& read) {
  const std::size_t dashes = names.rfind("--");
  const std::string option = dashes == std::string::npos ? names : names.substr(dashes);
  return app
      .add_option_function<std::string>(
          names, [option, read](const std::string& given) { read(option, given); }, meaning)
      ->type_name(type);
}

/// The smallest and the largest value of an option.
template <class Number>
struct Bounds {
  Number least;
  Number most;
};

template <class Number>
std::string number_text(Number number) {
  if constexpr (std::is_integral_v<Number>)
    return bound_text(static_cast<std::uint64_t>(number));
  else
    return text(number);
}

/// Adds an option that takes a number. The default is what `value` holds before. No bound is
/// negative.
template <class Number>
CLI::Option* add_number(CLI::App& app, const std::string& names, Number& value,
                        const Bounds<Number>& bounds, const std::string& meaning) {
  const std::string range = number_text(bounds.least) + ".." + number_text(bounds.most);
  const auto read = [&value, bounds](const std::string& option, const std::string& given) {
    Number number{};
    if (!read_number(given, number) || !(number >= bounds.least && number <= bounds.most))
      throw Error(ErrorClass::argument,
                  text(option, ": '", given, "' is not a ",
                       std::is_integral_v<Number> ? "whole number" : "number", " from ",
                       number_text(bounds.least), " to ", number_text(bounds.most)));
    value = number;
  };
  return add_read(app, names, range, meaning, read)->default_str(number_text(value));
}

/// Adds an option that takes a time: seconds, or a number with s, m or h behind it. The default is
/// what `seconds` holds before.
CLI::Option* add_seconds(CLI::App& app, const std::string& names, double& seconds,
                         const Bounds<double>& bounds, const std::string& meaning);

/// Adds an option that takes one of a few words, each with the value that it stands for. The
/// default is what `value` holds before.
template <class Value>
CLI::Option* add_choice(CLI::App& app, const std::string& names, Value& value,
                        const std::vector<std::pair<std::string, Value>>& choices,
                        const std::string& meaning) {
  std::vector<std::string> words;
  std::string type, usual;
  for (const auto& [word, meant] : choices) {
    words.push_back(word);
    type += (type.empty() ? "" : "|") + word;
    if (meant == value) usual = word;
  }
  const auto read = [&value, choices, words](const std::string& option, const std::string& given) {
    for (const auto& [word, meant] : choices)
      if (word == given) {
        value = meant;
        return;
      }
    refuse_word(option, given, words);
  };
  return add_read(app, names, type, meaning, read)->default_str(usual);
}

/// The description of --quiet, for programs that have it.
inline constexpr const char* kQuiet = "Show no progress on standard error";

/// The description of --output, for programs that print their results without it.
inline constexpr const char* kOutput = "Write the results to this file, not to standard output";

/// The words as a shell takes them, with the program's name without its folder.
std::string command_text(int argc, const char* const* argv);

/// Parses the arguments into the variables that `app` knows. Returns the text that --help or
/// --version prints instead of a run, or nothing. Throws Error(argument), in one sentence, for
/// wrong arguments.
std::optional<std::string> parse(CLI::App& app, int argc, const char* const* argv);

/// Adds --format.
CLI::Option* add_format(CLI::App& app, Format& format);

}  // namespace rondo::support
