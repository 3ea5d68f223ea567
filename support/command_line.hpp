// How every program here reads its command line. Values are parsed by this code, so that an error
// message is one sentence that names the option, what was given and what the option takes. Other mistakes
// are told as CLI11 tells them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "support/records.hpp"
#include "support/text.hpp"

// Only command_line.cpp and help.cpp include CLI11, which takes the compiler seconds a program.
namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace rondo::support {

/// An option or an argument that a command line knows.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  /// Not both on one command line.
  const Option& excludes(const Option& other) const;
  /// Not without the other.
  const Option& needs(const Option& other) const;
  const Option& required() const;
  /// What --help shows as the default.
  const Option& defaults_to(const std::string& text) const;

 private:
  CLI::Option* option_;
};

/// What a program reads its command line with.
class CommandLine {
 public:
  /// What --help says of the program, and the program's name.
  CommandLine(const std::string& meaning, const std::string& program);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  /// What --help says after the options.
  void footer(const std::string& text);

  CLI::App& app() const { return *app_; }

 private:
  std::unique_ptr<CLI::App> app_;
};

/// The number as text: "1000000". A number from 2^31 on that is a power of two, or one less, is
/// written as such.
std::string bound_text(std::uint64_t bound);

/// Throws Error(argument): "'TEXT' is unknown; choose from A, B or C".
[[noreturn]] void refuse_word(const std::string& option, const std::string& given,
                              const std::vector<std::string>& words);

/// Adds an option that takes any text; --help shows `type` for it.
Option add_text(CommandLine& line, const std::string& names, std::string& value,
                const std::string& type, const std::string& meaning);

/// The same, for an option that may be given several times, each time with one text.
Option add_texts(CommandLine& line, const std::string& names, std::vector<std::string>& values,
                 const std::string& type, const std::string& meaning);

/// Adds a flag, which takes no value.
Option add_switch(CommandLine& line, const std::string& names, bool& value,
                  const std::string& meaning);

/// Parses the text that is given for an option; throws Error(argument).
using Read = std::function<void(const std::string& option, const std::string& given)>;

/// Adds an option whose texts `read` parses; --help shows `type` for it.
Option add_read(CommandLine& line, const std::string& names, const std::string& type,
                const std::string& meaning, const Read& read);

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
Option add_number(CommandLine& line, const std::string& names, Number& value,
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
  return add_read(line, names, range, meaning, read).defaults_to(number_text(value));
}

/// Adds an option that takes a time: seconds, or a number with s, m or h behind it. The default is
/// what `seconds` holds before.
Option add_seconds(CommandLine& line, const std::string& names, double& seconds,
                   const Bounds<double>& bounds, const std::string& meaning);

/// Adds an option that takes one of a few words, each with the value that it stands for. The
/// default is what `value` holds before.
template <class Value>
Option add_choice(CommandLine& line, const std::string& names, Value& value,
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
  return add_read(line, names, type, meaning, read).defaults_to(usual);
}

/// The description of --quiet, for programs that have it.
inline constexpr const char* kQuiet = "Show no progress on standard error";

/// The description of --output, for programs that print their results without it.
inline constexpr const char* kOutput = "Write the results to this file, not to standard output";

/// The words as a shell takes them, with the program's name without its folder.
std::string command_text(int argc, const char* const* argv);

/// Parses the arguments into the variables that `line` knows. Returns the text that --help or
/// --version prints instead of a run, or nothing. Throws Error(argument), in one sentence, for
/// wrong arguments.
std::optional<std::string> parse(CommandLine& line, int argc, const char* const* argv);

/// Adds --format.
Option add_format(CommandLine& line, Format& format);

}  // namespace rondo::support
