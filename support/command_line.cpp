#include "support/command_line.hpp"

#include <CLI/CLI.hpp>
#include <bit>

#include "select/profile.hpp"
#include "support/help.hpp"

namespace rondo::support {

namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string list;
  for (std::size_t i = 0; i < words.size(); ++i)
    list += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  return list;
}

}  // namespace

std::string bound_text(std::uint64_t bound) {
  constexpr std::uint64_t kLarge = std::uint64_t{1} << 31;
  if (bound >= kLarge && std::has_single_bit(bound)) return text("2^", std::countr_zero(bound));
  if (bound >= kLarge - 1 && std::has_single_bit(bound + 1))
    return text("2^", std::countr_zero(bound + 1), "-1");
  return bound == UINT64_MAX ? "2^64-1" : text(bound);
}

void refuse_word(const std::string& option, const std::string& given,
                 const std::vector<std::string>& words) {
  throw Error(ErrorClass::argument,
              text(option, ": '", given, "' is unknown; choose from ", joined(words)));
}

const Option& Option::excludes(const Option& other) const {
  option_->excludes(other.option_);
  return *this;
}

const Option& Option::needs(const Option& other) const {
  option_->needs(other.option_);
  return *this;
}

const Option& Option::required() const {
  option_->required();
  return *this;
}

const Option& Option::defaults_to(const std::string& text) const {
  option_->default_str(text);
  return *this;
}

CommandLine::CommandLine(const std::string& meaning, const std::string& program)
    : app_(std::make_unique<CLI::App>(meaning, program)) {}

CommandLine::~CommandLine() = default;

void CommandLine::footer(const std::string& text) {
  app_->footer(text);
}

Option add_read(CommandLine& line, const std::string& names, const std::string& type,
                const std::string& meaning, const Read& read) {
  const std::size_t dashes = names.rfind("--");
  const std::string option = dashes == std::string::npos ? names : names.substr(dashes);
  return Option(
      *line.app()
           .add_option_function<std::string>(
               names, [option, read](const std::string& given) { read(option, given); }, meaning)
           ->type_name(type));
}

Option add_text(CommandLine& line, const std::string& names, std::string& value,
                const std::string& type, const std::string& meaning) {
  return Option(*line.app().add_option(names, value, meaning)->type_name(type)->default_str(value));
}

Option add_texts(CommandLine& line, const std::string& names, std::vector<std::string>& values,
                 const std::string& type, const std::string& meaning) {
  return Option(
      *line.app()
           .add_option_function<std::string>(
               names, [&values](const std::string& given) { values.push_back(given); }, meaning)
           ->type_name(type)
           ->trigger_on_parse());
}

Option add_seconds(CommandLine& line, const std::string& names, double& seconds,
                   const Bounds<double>& bounds, const std::string& meaning) {
  const auto read = [&seconds, bounds](const std::string& option, const std::string& given) {
    constexpr std::pair<char, double> kUnits[] = {{'s', 1}, {'m', 60}, {'h', 3600}};
    std::string_view digits = given;
    double unit = 1;
    for (const auto& [suffix, length] : kUnits)
      if (digits.ends_with(suffix)) {
        unit = length;
        digits.remove_suffix(1);
        break;
      }
    double number = 0;
    if (!read_number(digits, number) ||
        !(number * unit >= bounds.least && number * unit <= bounds.most))
      throw Error(ErrorClass::argument,
                  text(option, ": '", given, "' is not a time from ", bounds.least, " to ",
                       bounds.most, " seconds, as in 90, 90s, 2m or 1h"));
    seconds = number * unit;
  };
  return add_read(line, names, "TIME", meaning, read).defaults_to(text(seconds, 's'));
}

Option add_switch(CommandLine& line, const std::string& names, bool& value,
                  const std::string& meaning) {
  return Option(*line.app().add_flag(names, value, meaning)->disable_flag_override());
}

std::string command_text(int argc, const char* const* argv) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
  std::string command;
  for (int i = 0; i < argc; ++i) {
    std::string word = argv[i];
    if (i == 0) word.erase(0, word.rfind('/') + 1);
    if (word.empty() || word.find_first_not_of(kPlain) != std::string::npos) {
      for (std::size_t at = 0; (at = word.find('\'', at)) != std::string::npos; at += 4)
        word.replace(at, 1, "'\\''");
      word = '\'' + word + '\'';
    }
    command += (i == 0 ? "" : " ") + word;
  }
  return command;
}

std::optional<std::string> parse(CommandLine& line, int argc, const char* const* argv) {
  CLI::App& app = line.app();
  app.set_version_flag("--version", text(app.get_name(), " ", select::kVersion),
                       "Print the version of Rondo and exit")
      ->disable_flag_override();
  app.get_help_ptr()->disable_flag_override()->description("Print this help and exit");
  app.formatter(std::make_shared<Help>());
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForVersion&) {
    return app.version() + '\n';
  } catch (const CLI::CallForHelp&) {
    return app.help();
  } catch (const CLI::ParseError& error) {
    throw Error(ErrorClass::argument, text(error.what(), " (see --help)"));
  }
  return std::nullopt;
}

Option add_format(CommandLine& line, Format& format) {
  return add_choice<Format>(
      line, "--format", format,
      {{"table", Format::table}, {"json", Format::json}, {"csv", Format::csv}},
      "The form of the output: a table, JSON (one object a line) or comma-separated values");
}

}  // namespace rondo::support
