#include "support/options.hpp"

#include <CLI/CLI.hpp>
#include <map>

namespace rondo::apps {

void add_common_options(CLI::App& app, CommonOptions& options) {
  CLI::Option* algorithm =
      app.add_option_function<std::string>(
             "--algorithm", [&options](const std::string& name) { options.algorithms = {name}; },
             "What the exchanges run: a name with parameters, as rondo-bench --list has them, or "
             "auto")
          ->default_str("auto");
  app.add_option("--compare", options.algorithms,
                 "Several of them between commas, run in turn; speedups are over the first")
      ->delimiter(',')
      ->excludes(algorithm)
      ->default_str("");
  app.add_option("--repeat", options.repeat, "Runs of each algorithm")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  app.add_flag(
      "--meet", options.meet,
      "Ranks meet before and after each exchange, so that its time holds neither waiting for "
      "ranks which compute longer nor their computing on a shared core");
  app.add_option("--format", options.format, "table or json")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, Format>{{"table", Format::table}, {"json", Format::json}}))
      ->default_str("table");
}

}  // namespace rondo::apps
