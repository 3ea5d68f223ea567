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
  add_number(app, "--budget", options.budget_seconds, {1.0, 1e5}, "Seconds to spend, about");
  add_text(app, "--into", options.into, "FILE", "The profile's file")->required();
  add_switch(app, "--quiet", options.quiet, kQuiet);
  add_switch(app, "--progress", options.progress,
             "Rank 0 says on standard output how far it is, one JSON object a line");
  if (auto help = parse(app, argc, argv)) return *std::move(help);
  return options;
}

}  // namespace rondo::bench
