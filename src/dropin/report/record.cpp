#include "dropin/report/record.hpp"

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "dropin/report/arrivals.hpp"
#include "mpi/error.hpp"
#include "segment/topology.hpp"

namespace rondo::dropin {

using mpi::check;

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "rondo record";
constexpr int kFormat = 1;

/// The program as a whole.
struct Recorded {
  int ranks = 0;  ///< of MPI_COMM_WORLD
  int nodes = 0;
  int per_node = 0;        ///< the most ranks of a node
  int cores = 0;           ///< of rank 0's node
  double run_seconds = 0;  ///< of an average rank, until MPI_Finalize
  std::string mpi{};       ///< the MPI library's version
};

Json to_json(const ExchangeRow& row) {
  const auto& [kind, totals] = row;
  const KnownCommunicator& communicator = kind.communicator;
  Json lengths = Json::array();
  for (std::size_t band = 0; band < totals.blocks.size(); ++band)
    if (totals.blocks[band] != 0)
      lengths.push_back({{"blocks", totals.blocks[band]}, {"bytes", totals.bytes[band]}});
  Json arrivals = Json::array();
  for (std::size_t band = 0; band < totals.calls_by_skew.size(); ++band)
    if (totals.calls_by_skew[band] != 0)
      arrivals.push_back(
          {{"within_seconds", band < kSkewBands ? Json(skew_band_end(band)) : Json()},
           {"calls", totals.calls_by_skew[band]}});
  return {{"communicator",
           std::to_string(communicator.root) + "." + std::to_string(communicator.number)},
          {"collective", buffers::kFormNames[static_cast<std::size_t>(kind.form)]},
          {"ranks", communicator.ranks},
          {"nodes", communicator.nodes},
          {"ranks_per_node", communicator.per_node},
          {"calls", totals.calls},
          {"longest_bytes", totals.longest_bytes},
          {"lengths", lengths},
          {"seconds", totals.seconds},
          {"measured_calls", totals.measured_calls},
          {"measured_seconds", totals.measured_seconds},
          {"waited_seconds", totals.waited_seconds},
          {"arrivals", arrivals}};
}

/// Collective. The result is complete on rank 0.
Recorded this_program(int ranks) {
  Recorded program{.ranks = ranks};
  const Nodes nodes = nodes_of(MPI_COMM_WORLD);
  program.nodes = nodes.count;
  program.per_node = nodes.per_node;
  program.cores = segment::share_of_machine(segment::launched_ranks());
  const double own = run_seconds();
  check(PMPI_Reduce(&own, &program.run_seconds, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD),
        "MPI_Reduce");
  program.run_seconds /= ranks;
  char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  check(PMPI_Get_library_version(library, &length), "MPI_Get_library_version");
  program.mpi = std::string(library).substr(0, std::string(library).find_first_of(",\n"));
  return program;
}

std::string record_text(const Recorded& program, const std::vector<ExchangeRow>& rows) {
  Json exchanges = Json::array();
  for (const ExchangeRow& row : rows) exchanges.push_back(to_json(row));
  const Json json = {{"schema", kSchema},
                     {"version", kFormat},
                     {"rondo", RONDO_VERSION_TEXT},
                     {"mpi", program.mpi},
                     {"ranks", program.ranks},
                     {"nodes", program.nodes},
                     {"ranks_per_node", program.per_node},
                     {"cores", program.cores},
                     {"run_seconds", program.run_seconds},
                     {"exchanges", exchanges}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

/// The environments of ranks may differ.
void tell_if_incomplete(World world) {
  if (!is_recording())
    std::fprintf(stderr,
                 "rondo: RONDO_RECORD is set on %d of %d ranks, but not on rank 0, so no record is "
                 "written\n",
                 world.requesting, world.ranks);
  else if (world.requesting < world.ranks)
    std::fprintf(stderr,
                 "rondo: RONDO_RECORD is set on %d of %d ranks; the record lacks communicators "
                 "whose rank 0 does not have it\n",
                 world.requesting, world.ranks);
}

}  // namespace

bool is_recording() {
  const char* const name = std::getenv("RONDO_RECORD");
  return name != nullptr && *name != '\0';
}

void write_record(int rank, World world) {
  const std::vector<ExchangeRow> rows = gather_exchanges(rank, world.ranks);
  const Recorded program = this_program(world.ranks);
  if (rank != 0) return;
  tell_if_incomplete(world);
  if (!is_recording()) return;
  try {
    write_file(std::getenv("RONDO_RECORD"), record_text(program, rows));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rondo: cannot write the record: %s\n", error.what());
  }
}

}  // namespace rondo::dropin
