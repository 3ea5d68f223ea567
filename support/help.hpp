// The text of --help, which fits 80 columns. tools/pages makes the manual pages and the shell
// completions from it, so its form is fixed: "Usage:", a description, "Arguments:", "Options:",
// further sections, "Exit status:".
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace rondo::support {

class Help : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
};

}  // namespace rondo::support
