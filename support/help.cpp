#include "support/help.hpp"

#include <fmt/format.h>

#include <sstream>
#include <vector>

#include "base/exit_status.hpp"

namespace rondo::support {

namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kColumn = 24;  // where descriptions begin

/// Fills lines up to kWidth. The text begins at `column`; further lines are indented by `indent`.
std::string filled(const std::string& text, std::size_t indent, std::size_t column) {
  std::istringstream words(text);
  std::string out;
  bool is_first = true;
  for (std::string word; words >> word; is_first = false) {
    if (!is_first && column + 1 + word.size() > kWidth) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (!is_first) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out + '\n';
}

/// A list of words, "A|B|C", that begins at `column`. If it is too long for a line, it goes on in the next.
std::string type_text(const std::string& type, std::size_t column) {
  std::string out;
  std::istringstream words(type);
  for (std::string word; std::getline(words, word, '|');) {
    if (!words.eof()) word += '|';
    if (column + word.size() > kWidth) {
      out += '\n' + std::string(kColumn, ' ');
      column = kColumn;
    }
    out += word;
    column += word.size();
  }
  return out;
}

std::string names_of(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name();
  const std::vector<std::string>& letters = option.get_snames();
  const std::string letter = letters.empty() ? "    " : fmt::format("-{}, ", letters.front());
  return fmt::format("{}--{}", letter, option.get_lnames().front());
}

/// What goes with the description, in parentheses.
std::string conditions_of(const CLI::Option& option) {
  std::vector<std::string> conditions;
  if (option.get_required()) conditions.emplace_back("required");
  if (!option.get_default_str().empty())
    conditions.push_back(fmt::format("default: {}", option.get_default_str()));
  for (const CLI::Option* needed : option.get_needs())
    conditions.push_back(fmt::format("needs {}", needed->get_name()));
  for (const CLI::Option* other : option.get_excludes())
    conditions.push_back(fmt::format("not with {}", other->get_name()));
  if (conditions.empty()) return "";
  return fmt::format(" ({})", fmt::join(conditions, "; "));
}

std::string entry(const CLI::Option& option) {
  std::string head = "  " + names_of(option);
  if (option.get_type_size() != 0) head += ' ' + type_text(option.get_type_name(), head.size() + 1);
  if (head.size() + 2 > kColumn)
    head += '\n' + std::string(kColumn, ' ');
  else
    head.resize(kColumn, ' ');
  return head + filled(option.get_description() + conditions_of(option), kColumn, kColumn);
}

std::string section(const std::string& title, const std::vector<const CLI::Option*>& options) {
  if (options.empty()) return "";
  std::string out = fmt::format("\n{}:\n", title);
  for (const CLI::Option* option : options) out += entry(*option);
  return out;
}

}  // namespace

std::string Help::make_help(const CLI::App* app, std::string, CLI::AppFormatMode) const {
  const auto arguments =
      app->get_options([](const CLI::Option* one) { return one->get_positional(); });
  const auto options =
      app->get_options([](const CLI::Option* one) { return !one->get_positional(); });
  std::string out = fmt::format("Usage: {} [OPTION]...", app->get_name());
  for (const CLI::Option* argument : arguments) out += fmt::format(" [{}]", argument->get_name());
  out += "\n\n" + filled(app->get_description(), 0, 0);
  out += section("Arguments", arguments) + section("Options", options);
  if (!app->get_footer().empty()) out += '\n' + app->get_footer() + '\n';
  return out + '\n' + kExitStatusHelp;
}

}  // namespace rondo::support
