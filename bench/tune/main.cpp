// rondo-tune: measures this machine, then algorithms where the model cannot tell which is faster,
// and writes a profile that `auto` goes by.
#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "alignment.hpp"
#include "program.hpp"
#include "progress.hpp"
#include "tune/machine.hpp"
#include "tune/options.hpp"
#include "tune/profile_file.hpp"
#include "tune/tuning.hpp"

namespace {

using namespace rondo;
using namespace rondo::bench;
using Json = nlohmann::ordered_json;

constexpr const char* kProgram = "rondo-tune";

void print_line(const Json& line) {
  fmt::print("{}\n", line.dump());
  std::fflush(stdout);
}

/// How far it is: JSON lines for a program, at most ten a second, or a line that rewrites itself.
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
      return fmt::print("{}: {} on {}\n", path, counted(layout.ranks, "rank"),
                        counted(layout.real_nodes(), "node"));
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
  Progress bar_;
  std::chrono::steady_clock::time_point next_;
};

select::Signature signature() {
  char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  check_mpi(MPI_Get_library_version(library, &length), "MPI_Get_library_version");
  return select::signature_here(library);
}

/// On rank 0; the others begin with nothing.
select::Profile begin_profile(const Communicator& comm, const std::string& path) {
  select::Profile profile{.rondo = std::string(select::kVersion),
                          .signature = {},
                          .machine = model::typical_cluster(),
                          .layouts = {}};
  collectively(comm, [&] {
    profile.signature = signature();
    if (comm.rank() != 0) return;
    require_writable(path);
    std::string refused;
    if (auto known = read_profile(path, profile.signature, refused)) profile = std::move(*known);
    if (!refused.empty()) complain(kProgram, fmt::format("{} is written anew: {}", path, refused));
  });
  check_mpi(MPI_Bcast(&profile.machine, sizeof profile.machine, MPI_BYTE, 0, comm.get()),
            "MPI_Bcast");
  return profile;
}

int tune(const TuneOptions& options, int rank) {
  const Communicator comm(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  Voice voice(rank == 0, options);
  select::Profile profile = begin_profile(comm, options.into);
  const Cluster cluster = find_cluster(comm);
  voice.tell(0, "the machine");
  profile.machine = measure_machine(comm, cluster, profile.machine);
  Tuning tuning(comm, cluster, profile.machine, options.budget_seconds - (MPI_Wtime() - start),
                [&](double done, const std::string& doing) { voice.tell(done, doing); });
  const select::Measured measured{.layout = cluster.layout, .decisions = tuning.run()};
  collectively(comm, [&] {
    if (rank != 0) return;
    profile.put(measured);
    write_profile(profile, options.into);
  });
  voice.tell_written(options.into, measured);
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  return run_program<TuneOptions>(
      kProgram, [&] { return parse_tune_options(argc, argv); }, tune);
}
