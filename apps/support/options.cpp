#include "support/options.hpp"

#include "choice/choice.hpp"
#include "comma_list.hpp"
#include "command_line.hpp"

namespace rondo::apps {

namespace {

bool is_row(registry::Collective collective, std::string_view name) {
  for (const registry::Algorithm& row : registry::algorithms())
    if (row.collective == collective && row.name == name) return true;
  return false;
}

/// Both collectives have the same parameters of an algorithm that both have.
void check_algorithm(const std::string& option, const std::string& given,
                     const std::vector<std::string>& besides) {
  if (given == "auto" || std::ranges::count(besides, given) != 0) return;
  const std::string name = given.substr(0, given.find(':'));
  const bool is_uniform = is_row(registry::Collective::alltoall, name);
  if (!is_uniform && !is_row(registry::Collective::alltoallv, name))
    throw Error(ErrorClass::argument,
                text(option, ": '", given, "' is no algorithm; rondo-bench --list names them"));
  try {
    choice::parse(is_uniform ? registry::Collective::alltoall : registry::Collective::alltoallv,
                  given);
  } catch (const Error& error) {
    throw Error(ErrorClass::argument, text(option, ": ", error.what()));
  }
}

}  // namespace

void add_common_options(CLI::App& app, CommonOptions& options,
                        const std::vector<std::string>& besides) {
  const auto read_one = [&options, besides](const std::string& option, const std::string& given) {
    check_algorithm(option, given, besides);
    options.algorithms = {given};
  };
  const auto read_several = [&options, besides](const std::string& option,
                                                const std::string& given) {
    options.algorithms = bench::split_at_commas(given);
    for (const std::string& one : options.algorithms) check_algorithm(option, one, besides);
  };
  CLI::Option* algorithm =
      bench::add_read(app, "--algorithm", "NAME",
                      "What the exchanges run: a name with parameters, as rondo-bench --list has "
                      "them, or auto",
                      read_one)
          ->default_str("auto");
  bench::add_read(app, "--compare", "NAMES",
                  "Several of them between commas, run in turn; speedups are over the first",
                  read_several)
      ->excludes(algorithm);
  bench::add_number(app, "--repeat", options.repeat, {1, 1000000}, "Runs of each algorithm");
  bench::add_switch(
      app, "--meet", options.meet,
      "Ranks meet before and after each exchange, so that its time holds neither waiting for "
      "ranks which compute longer nor their computing on a shared core");
  bench::add_switch(app, "--quiet", options.quiet, bench::kQuiet);
  bench::add_choice<Format>(app, "--format", options.format,
                            {{"table", Format::table}, {"json", Format::json}}, "How to report");
}

}  // namespace rondo::apps
