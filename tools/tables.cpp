// rondo-tables SECTION prints one generated table of the documents as Markdown.
#include <iostream>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "base/exit_status.hpp"
#include "choice/choice.hpp"
#include "registry/algorithm.hpp"
#include "registry/settings.hpp"
#include "select/profile.hpp"

namespace {

using namespace rondo::registry;

std::string parameter_text(const Algorithm& algorithm) {
  std::string out;
  for (const Parameter& parameter : algorithm.parameters.list())
    out += (out.empty() ? "`" : ", `") + std::string(parameter.name) +
           "` = " + rondo::choice::default_text(parameter);
  return out;
}

void print_rows(std::span<const Algorithm> rows) {
  std::cout << "| algorithm | parameters = defaults | idea | source | cost for a rank |\n"
               "| --- | --- | --- | --- | --- |\n";
  for (const Algorithm& row : rows)
    std::cout << "| `" << row.name << "` | " << parameter_text(row) << " | " << row.idea << " | "
              << row.source << " | " << row.cost << " |\n";
}

void print_algorithms() {
  std::cout
      << "| collective | algorithm | parameters = defaults | idea | source | cost for a rank |\n"
         "| --- | --- | --- | --- | --- | --- |\n";
  for (const Algorithm& row : algorithms())
    std::cout << "| " << to_string(row.collective) << " | `" << row.name << "` | "
              << parameter_text(row) << " | " << row.idea << " | " << row.source << " | "
              << row.cost << " |\n";
}

/// Prints every parameter once, in the order of its first algorithm. A name may have several
/// meanings.
void print_parameters() {
  std::cout << "| parameter | smallest | largest | meaning |\n| --- | --- | --- | --- |\n";
  std::set<std::string> seen;
  for (const Algorithm& row : algorithms()) {
    for (const Parameter& parameter : row.parameters.list()) {
      const std::string line = "| `" + std::string(parameter.name) + "` | " +
                               rondo::choice::value_text(parameter, parameter.least) + " | " +
                               rondo::choice::value_text(parameter, parameter.most) + " | " +
                               std::string(parameter.meaning) + " |\n";
      if (seen.insert(line).second) std::cout << line;
    }
  }
}

constexpr const char* kHelp =
    "Usage: rondo-tables [OPTION]... section\n"
    "\n"
    "Print one of the generated tables of the documents, as Markdown.\n"
    "\n"
    "Arguments:\n"
    "  section algorithms|gpu_algorithms|sparse_algorithms|parameters|environment\n"
    "                        The table\n"
    "\n"
    "Options:\n"
    "  -h, --help            Print this help and exit\n"
    "      --version         Print the version of Rondo and exit\n"
    "\n";

void print_environment() {
  std::cout << "| variable | default | meaning |\n| --- | --- | --- |\n";
  for (const SettingRow& row : setting_rows())
    std::cout << "| `" << row.variable << "` | " << row.value << " | " << row.meaning << " |\n";
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view section = argc == 2 ? argv[1] : "";
  if (section == "algorithms") {
    print_algorithms();
  } else if (section == "gpu_algorithms") {
    print_rows(gpu_algorithms());
  } else if (section == "sparse_algorithms") {
    print_rows(sparse_algorithms());
  } else if (section == "parameters") {
    print_parameters();
  } else if (section == "environment") {
    print_environment();
  } else if (section == "--help" || section == "-h") {
    std::cout << kHelp << rondo::kExitStatusHelp;
  } else if (section == "--version") {
    std::cout << "rondo-tables " << rondo::select::kVersion << '\n';
  } else {
    std::cerr << "rondo-tables: which section? See --help\n";
    return rondo::kWrongUse;
  }
}
