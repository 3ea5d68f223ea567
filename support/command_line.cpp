#include "support/command_line.hpp"

#include <CLI/CLI.hpp>
#include <bit>

#include "select/profile.hpp"
#include "support/help.hpp"

namespace rondo::support {

namespace {

bool is_given(const CLI::Option* option) {
  return option->count() > 0;
}

/// One sentence about what CLI11 rejected. It is made from the application's options, because
/// CLI11's own texts speak of its checks and types.
std::string unexpected(const CLI::App& app) {
  const std::string first = app.remaining().front();
  if (first.size() > 1 && first.starts_with('-')) return text("there is no option '", first, "'");
  return text("'", first, "' is an unexpected argument");
}

std::string missing(const CLI::App& app, const CLI::ParseError& error) {
  for (const CLI::Option* option : app.get_options())
    if (option->get_required() && !is_given(option))
      return text(option->get_name(), " ", option->get_type_name(),
                  " is required: ", option->get_description());
  return error.what();
}

std::string unmet(const CLI::App& app, const CLI::ParseError& error) {
  for (const CLI::Option* option : app.get_options())
    for (const CLI::Option* needed : option->get_needs())
      if (is_given(option) && !is_given(needed))
        return text(option->get_name(), " requires ", needed->get_name());
  return error.what();
}

std::string contradictory(const CLI::App& app, const CLI::ParseError& error) {
  for (const CLI::Option* option : app.get_options())
    for (const CLI::Option* other : option->get_excludes())
      if (is_given(option) && is_given(other))
        return text(option->get_name(), " and ", other->get_name(), " cannot be combined");
  return error.what();
}

/// A value is missing, a flag has one, or there are several.
std::string mismatched(const CLI::App& app, const CLI::ParseError& error) {
  // CLI11's text begins with the option's name, and for a flag with the name without dashes.
  const std::string said = error.what();
  const std::string first = said.substr(0, said.find_first_of(": "));
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    if (first != name && "--" + first != name) continue;
    if (option->get_expected_max() == 0) return text(name, " takes no value");
    if (option->count() > 1)
      return text(name, " is given ", option->count(), " times, but takes one value");
    return text(name, " needs a value: ", option->get_type_name());
  }
  return error.what();
}

std::string joined(const std::vector<std::string>& words) {
  std::string list;
  for (std::size_t i = 0; i < words.size(); ++i)
    list += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  return list;
}

void run_parser(CLI::App& app, int argc, const char* const* argv) {
  const auto refuse = [](const std::string& sentence) {
    throw Error(ErrorClass::argument, text(sentence, " (see --help)"));
  };
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success&) {
    throw;
  } catch (const CLI::ExtrasError&) {
    refuse(unexpected(app));
  } catch (const CLI::RequiredError& error) {
    refuse(app.remaining_size() > 0 ? unexpected(app) : missing(app, error));
  } catch (const CLI::RequiresError& error) {
    refuse(unmet(app, error));
  } catch (const CLI::ExcludesError& error) {
    refuse(contradictory(app, error));
  } catch (const CLI::ArgumentMismatch& error) {
    refuse(mismatched(app, error));
  } catch (const CLI::ParseError& error) {
    refuse(error.what());
  }
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
    run_parser(app, argc, argv);
  } catch (const CLI::CallForVersion&) {
    return app.version() + '\n';
  } catch (const CLI::CallForHelp&) {
    return app.help();
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
