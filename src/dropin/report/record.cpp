#include "dropin/report/record.hpp"

#include <mpi.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "base/file.hpp"
#include "mpi/error.hpp"

namespace rondo::dropin {

using mpi::check;

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "rondo record";
constexpr int kFormat = 1;

Json to_json(const OccasionRow& row) {
  const auto& [occasion, sums] = row;
  Json lengths = Json::array();
  for (std::size_t band = 0; band < sums.blocks.size(); ++band)
    if (sums.blocks[band] != 0)
      lengths.push_back({{"blocks", sums.blocks[band]}, {"bytes", sums.bytes[band]}});
  Json arrivals = Json::array();
  for (std::size_t band = 0; band < sums.spreads.size(); ++band)
    if (sums.spreads[band] != 0)
      arrivals.push_back({{"within_seconds", band < kSpreads ? Json(spread_end(band)) : Json()},
                          {"calls", sums.spreads[band]}});
  return {
      {"communicator", std::to_string(occasion.root) + "." + std::to_string(occasion.communicator)},
      {"collective", buffers::kFormNames[static_cast<std::size_t>(occasion.form)]},
      {"ranks", occasion.ranks},
      {"nodes", occasion.nodes},
      {"ranks_per_node", occasion.per_node},
      {"calls", sums.calls},
      {"longest_bytes", sums.longest_bytes},
      {"lengths", lengths},
      {"seconds", sums.seconds},
      {"measured_calls", sums.measured_calls},
      {"measured_seconds", sums.measured_seconds},
      {"waited_seconds", sums.waited_seconds},
      {"arrivals", arrivals}};
}

/// Collective. The result is complete on rank 0.
Recorded this_program(int ranks) {
  Recorded program{.ranks = ranks};
  const Nodes nodes = nodes_of(MPI_COMM_WORLD);
  program.nodes = nodes.count;
  program.per_node = nodes.per_node;
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

}  // namespace

bool is_recording() {
  const char* const name = std::getenv("RONDO_RECORD");
  return name != nullptr && *name != '\0';
}

std::string record_text(const Recorded& program, const std::vector<OccasionRow>& rows) {
  Json exchanges = Json::array();
  for (const OccasionRow& row : rows) exchanges.push_back(to_json(row));
  const Json json = {{"schema", kSchema},
                     {"version", kFormat},
                     {"rondo", RONDO_VERSION_TEXT},
                     {"mpi", program.mpi},
                     {"ranks", program.ranks},
                     {"nodes", program.nodes},
                     {"ranks_per_node", program.per_node},
                     {"run_seconds", program.run_seconds},
                     {"exchanges", exchanges}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

void write_record(int rank, int ranks) {
  const std::vector<OccasionRow> rows = gather_occasions(rank, ranks);
  const Recorded program = this_program(ranks);
  if (rank == 0 && is_recording())
    write_file(std::getenv("RONDO_RECORD"), record_text(program, rows));
}

}  // namespace rondo::dropin
