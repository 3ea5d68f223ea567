#include "common/options.hpp"

#include <rondo/rondo.hpp>

#include "choice/choice.hpp"
#include "support/command_line.hpp"

namespace rondo::apps {

namespace {

using registry::Collective;

bool has(Collective collective, const std::string& algorithm) {
  return registry::find(collective, algorithm.substr(0, algorithm.find(':'))) != nullptr;
}

/// All collectives have the same parameters for an algorithm that several have. `before` precedes the
/// error message.
void check_algorithm(const std::string& before, const std::string& given) {
  if (given == "auto") return;
  const bool is_uniform = has(Collective::alltoall, given);
  if (!is_uniform && !has(Collective::alltoallv, given))
    throw Error(ErrorClass::argument,
                text(before, "'", given, "' is not an algorithm; see rondo-bench --list"));
  try {
    choice::parse(is_uniform ? Collective::alltoall : Collective::alltoallv, given);
  } catch (const Error& error) {
    throw Error(ErrorClass::argument, text(before, error.what()));
  }
}

}  // namespace

void add_common_options(support::CommandLine& line, CommonOptions& options,
                        const std::vector<std::string>& besides) {
  const auto read = [&options, besides](const std::string& option, const std::string& given) {
    options.algorithms = support::split_at_commas(given);
    for (const std::string& one : options.algorithms)
      if (std::ranges::count(besides, one) == 0) check_algorithm(option + ": ", one);
  };
  support::add_read(line, "--algorithm", "NAMES",
                    "The algorithms of the exchanges, separated by commas: names with parameters, "
                    "as in rondo-bench --list, or auto. They run in turn, and speedups are over "
                    "the first",
                    read)
      .defaults_to("auto");
  support::add_number(line, "--repeat", options.repeat, {1, 1000000},
                      "The number of runs of each algorithm");
  support::add_switch(
      line, "--meet", options.meet,
      "Synchronise the ranks before and after each exchange, so that its time includes neither "
      "waiting for slower ranks nor their computing on a shared core");
  support::add_switch(line, "--quiet", options.quiet, support::kQuiet);
  support::add_format(line, options.format);
}

void choose_algorithm(MPI_Comm comm, const std::string& algorithm) {
  check_algorithm("", algorithm);
  try {
    for (const Collective collective :
         {Collective::alltoall, Collective::alltoallv, Collective::sparse_alltoallv})
      rondo::set_algorithm(comm, std::string(registry::to_string(collective)),
                           has(collective, algorithm) ? algorithm : "auto");
  } catch (const rondo::Exception& error) {
    throw Error(ErrorClass::argument, error.what());
  }
}

}  // namespace rondo::apps
