#include "tune/options.hpp"

#include "command_line.hpp"

namespace rondo::bench {

namespace {

constexpr const char* kFooter =
    R"(Start it with as many ranks, placed as, the programs that it tunes for:

  mpirun -n 64 rondo-tune --into ~/.config/rondo/openmpi.json

What a profile of this machine and this MPI library has of other communicators is kept.
Exit status: 0; 2 for wrong use and where the profile cannot be read or written.)";

}  // namespace

std::variant<TuneOptions, Answer> parse_tune_options(int argc, const char* const* argv) {
  TuneOptions options;
  CLI::App app("Measures this machine and the algorithms on it, and writes a profile for Rondo.",
               "rondo-tune");
  app.footer(kFooter);
  app.add_option("--budget", options.budget_seconds, "Seconds to spend, about")
      ->check(CLI::Range(1.0, 1e5))
      ->capture_default_str();
  app.add_option("--into", options.into, "The profile's file")->required();
  app.add_flag("--progress", options.progress,
               "Rank 0 says on standard output how far it is, one JSON object a line");
  if (auto help = parse(app, argc, argv)) return *std::move(help);
  return options;
}

}  // namespace rondo::bench
