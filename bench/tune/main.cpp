// rondo-tune: measures this machine, then algorithms where the model cannot tell which is faster,
// and writes a profile that `auto` goes by.
#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "select/profile.hpp"
#include "support/command_line.hpp"
#include "support/program.hpp"
#include "support/progress.hpp"
#include "tune/machine.hpp"
#include "tune/profile_file.hpp"
#include "tune/tuning.hpp"

namespace {

using namespace rondo;
using namespace rondo::bench;
using Json = nlohmann::ordered_json;

constexpr const char* kProgram = "rondo-tune";

struct TuneOptions {
  double budget_seconds = 60;
  std::string output;     ///< the profile's file
  bool quiet = false;     ///< do not tell the progress
  bool progress = false;  ///< as JSON lines on standard output
};

constexpr const char* kFooter =
    R"(Use:
  Start it with as many ranks, placed in the same way, as the programs that it
  tunes for. What the profile has for other communicators on this machine and
  with this MPI library is kept.

Examples:
  mpirun -n 64 rondo-tune --output ~/.config/rondo/openmpi.json)";

std::variant<TuneOptions, std::string> parse_tune_options(int argc, const char* const* argv) {
  TuneOptions options;
  support::CommandLine line(
      "Measure this machine and the algorithms on it, and write a profile for Rondo.",
      "rondo-tune");
  line.footer(kFooter);
  support::add_seconds(line, "--budget", options.budget_seconds, {1.0, 1e5},
                       "About how long tuning takes");
  support::add_text(line, "-o,--output", options.output, "FILE", "The file of the profile")
      .required();
  support::add_switch(line, "--quiet", options.quiet, support::kQuiet);
  support::add_switch(line, "--progress", options.progress,
                      "Print progress on standard output, one JSON object a line");
  if (auto help = support::parse(line, argc, argv)) return *std::move(help);
  return options;
}

void print_line(const Json& line) {
  fmt::print("{}\n", line.dump());
  std::fflush(stdout);
}

/// Tells the progress: as JSON lines, at most ten a second, or as a line that rewrites itself.
class Voice {
 public:
  Voice(bool is_first, const TuneOptions& options)
      : is_first_(is_first),
        in_json_(options.progress),
        bar_(is_first && !options.progress && !options.quiet, kSteps) {}

  void tell(double done, const std::string& doing) {
    if (!is_first_) return;
    if (!in_json_) return bar_.move_to(static_cast<std::size_t>(done * kSteps), doing);
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return;
    next_ = now + std::chrono::milliseconds(100);
    print_line({{"done", done}, {"doing", doing}});
  }

  void tell_written(const std::string& path, const select::Measured& measured) {
    bar_.clear();
    if (!is_first_) return;
    const choice::Layout& layout = measured.layout;
    if (!in_json_)
      return fmt::print("{}: {} on {}\n", path, support::counted(layout.ranks, "rank"),
                        support::counted(layout.real_nodes(), "node"));
    print_line(
        {{"written", path},
         {"layout",
          {{"ranks", layout.ranks},
           {"nodes", layout.nodes},
           {"per_node", layout.per_node},
           {"uneven_nodes", layout.uneven_nodes}}},
         {"bands", measured.decisions.alltoall.size() + measured.decisions.alltoallv.size()}});
  }

 private:
  static constexpr std::size_t kSteps = 100;

  bool is_first_;
  bool in_json_;
  support::Progress bar_;
  std::chrono::steady_clock::time_point next_;
};

/// Reads the profile on rank 0. The others begin with an empty one.
select::Profile begin_profile(const Communicator& comm, const std::string& path) {
  select::Profile profile{.rondo = std::string(select::kVersion),
                          .signature = {},
                          .machine = model::typical_cluster(),
                          .layouts = {}};
  support::collectively(comm, [&] {
    profile.signature = select::signature_here(support::library_version());
    if (comm.rank() != 0) return;
    select::require_profile_writable(path);
    std::string refused;
    if (auto known = read_profile(path, profile.signature, refused)) profile = std::move(*known);
    if (!refused.empty())
      support::complain(kProgram, fmt::format("{} is written anew: {}", path, refused));
  });
  support::broadcast(comm, profile.machine);
  return profile;
}

int tune(const TuneOptions& options, int rank) {
  const Communicator comm(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  Voice voice(rank == 0, options);
  select::Profile profile = begin_profile(comm, options.output);
  const support::Cluster cluster = support::find_cluster(comm);
  voice.tell(0, "the machine");
  profile.machine = measure_machine(comm, cluster, profile.machine);
  Tuning tuning(comm, cluster, profile.machine, options.budget_seconds - (MPI_Wtime() - start),
                [&](double done, const std::string& doing) { voice.tell(done, doing); });
  const select::Measured measured{.layout = cluster.layout, .decisions = tuning.run()};
  support::collectively(comm, [&] {
    if (rank != 0) return;
    profile.put(measured);
    select::write_profile(profile, options.output);
  });
  voice.tell_written(options.output, measured);
  if (const int lengths = tuning.disturbed_lengths(); rank == 0 && lengths != 0)
    support::complain(
        kProgram,
        fmt::format("other programs had the cores while {} measured, "
                    "so the profile may choose wrongly there, as its reasons say: "
                    "tune again on a quiet machine",
                    lengths == 1 ? "one length was" : fmt::format("{} lengths were", lengths)));
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  return support::run_program<TuneOptions>(
      kProgram, [&] { return parse_tune_options(argc, argv); }, tune);
}
