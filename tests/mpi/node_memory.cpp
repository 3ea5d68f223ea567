// A communicator takes as much shared memory as engines/node/node_layout.hpp says, and never more.
#include <rondo/rondo.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "support/added_test.hpp"
#include "support/captured_stderr.hpp"
#include "support/environment.hpp"
#include "support/footprint.hpp"
#include "support/memory_faults.hpp"
#include "support/placement.hpp"
#include "support/small.hpp"

namespace node_memory_test {

using namespace rondo::testing;
using memory_faults::Mapped;

struct MemoryRow {
  const char* name;
  std::vector<int> sizes;     ///< of the nodes; more ranks begin again with the first size
  const char* slot_variable;  ///< RONDO_SLOT_BYTES, or null
};

const MemoryRow kRows[] = {
    {"one node", {1000}, nullptr},
    {"one node, 64 KiB", {1000}, "65536"},
    {"one node, 1000 bytes", {1000}, "1000"},
    {"one node, 256 bytes", {1000}, "256"},
    {"one node, 64 MiB", {1000}, "67108864"},
    {"four a node", {4}, nullptr},
    {"four a node, 64 KiB", {4}, "65536"},
    {"6+2+4", {6, 2, 4}, "200000"},
    {"one rank a node", {1}, "65536"},
};

constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kLineBytes = 64;

std::size_t slot_bytes_of(const MemoryRow& row) {
  return row.slot_variable != nullptr ? std::strtoul(row.slot_variable, nullptr, 10)
                                      : std::size_t{4} << 20U;
}

std::size_t ranks_on(const std::vector<int>& nodes, int node) {
  return static_cast<std::size_t>(std::ranges::count(nodes, node));
}

struct Bounds {
  std::size_t least;  ///< the formula
  std::size_t most;   ///< with every part rounded up
};

/// The formula of engines/node/node_layout.hpp, written down again, with rows of 16 bytes and 2 P + 1 numbers of
/// 4 bytes; nothing where a slot is too small.
std::optional<Bounds> bounds_of(const MemoryRow& row, const std::vector<int>& nodes, int node) {
  const std::size_t all = nodes.size();
  const std::size_t q = ranks_on(nodes, node);
  std::size_t largest = 0;
  for (const int other : nodes) largest = std::max(largest, ranks_on(nodes, other));
  const std::size_t limit = std::min({slot_bytes_of(row) / all, std::size_t{64} * 1024,
                                      (std::size_t{1} << 32U) / (all * largest)}) /
                            16 * 16;
  if (limit == 0) return std::nullopt;
  const std::size_t longest =
      q == 1 ? 0
             : std::max(limit, std::min(slot_bytes_of(row) / 2, std::size_t{2} << 20U) / (q - 1));
  const std::size_t pipe = longest / kLineBytes * kLineBytes;
  Bounds bounds{.least = 64 + 896 * q + 152 * q * q + 2 * q * all * limit + q * (q - 1) * pipe,
                .most = 0};
  if (q != all)
    bounds.least +=
        2 * q * (8 * all + 20) + 64 * all + 4 * q * all + all * (q * limit + kLineBytes);
  // The first part, the ranks' areas of two rows and two slots, their counts, and what lands.
  bounds.most = bounds.least + (2 + 2 * q) * kPageBytes + 7 * q * kLineBytes;
  return bounds;
}

int descriptors() {
  const std::filesystem::directory_iterator files("/proc/self/fd");
  return static_cast<int>(std::distance(begin(files), end(files)));
}

void run_many(MPI_Comm comm, int calls, Row& row) {
  for (int call = 0; call < calls && !row.failed(); ++call)
    for (const Collective collective : {Collective::alltoall, Collective::alltoallv})
      SmallExchange(comm, call % 7 == 0 ? 300 : call % 40).run(collective, comm, row, call);
}

void run_row(const MemoryRow& asked, Runner& runner, Row& row) {
  const std::vector<int> nodes = filled_nodes(asked.sizes, runner.ranks());
  const int node = nodes[static_cast<std::size_t>(runner.rank())];
  const PlacedRanks placed(nodes);
  const auto bounds = bounds_of(asked, nodes, node);
  const Mapped before = memory_faults::mapped();
  {
    const Environment slots("RONDO_SLOT_BYTES", asked.slot_variable);
    const Environment memory("RONDO_MEMORY", "1000000000");  // so that slots are as long as that
    const TestComm comm;
    CapturedStderr captured;  // a slot that is too small is worth a warning
    set_algorithms(comm, "node_aware", row);
    run_many(comm, 10, row);
    const std::string said = captured.stop();
    const Mapped taken = memory_faults::mapped();
    const int open = descriptors();
    if (!bounds) {
      row.expect(taken == before, "memory is taken although the slot is too small");
      row.expect((runner.rank() == 0) == (said.find("RONDO_SLOT_BYTES") != said.npos),
                 "stderr says '", said, "'");
    } else {
      row.expect(taken.count == before.count + 1, "mapped ", taken.count, " times");
      row.expect(taken.bytes >= bounds->least && taken.bytes <= bounds->most, taken.bytes,
                 " bytes are not within ", bounds->least, " and ", bounds->most);
      row.expect(said.empty(), "stderr says '", said, "'");
    }
    run_many(comm, 100, row);
    row.expect(memory_faults::mapped() == taken, "shared memory grew to ",
               memory_faults::mapped().bytes, " bytes from ", taken.bytes);
    row.expect(descriptors() <= open, "descriptors grew to ", descriptors(), " from ", open);
    // Another communicator takes memory of its own, and this one's stays the same.
    const TestComm other;
    set_algorithms(other, "node_aware", row);
    if (bounds) {
      run_many(other, 3, row);
      row.expect(memory_faults::mapped() == Mapped{2 * taken.bytes, 2 * taken.count},
                 "two communicators have ", memory_faults::mapped().bytes, " bytes");
    }
  }
  row.expect(memory_faults::mapped() == before, "freed communicators left ",
             memory_faults::mapped().bytes, " bytes");
  row.expect(!memory_faults::any_populated_outside(), "pages behind a segment are mapped");
}

/// A communicator that does not need shared memory takes none.
void run_unused(Row& row) {
  const TestComm comm;
  set_algorithms(comm, "spread_out", row);
  run_many(comm, 3, row);
  row.expect(memory_faults::mapped().count == 0, "shared memory without need");
}

/// Communicators made and freed again and again leave neither memory nor descriptors.
void run_many_comms(Row& row) {
  constexpr int kComms = 60;
  const Environment slots("RONDO_SLOT_BYTES", "65536");
  int open = 0;
  for (int i = 0; i < kComms && !row.failed(); ++i) {
    const TestComm comm;
    set_algorithms(comm, "node_aware", row);
    run_many(comm, 2, row);
    if (i == kComms / 3) open = descriptors();
  }
  row.expect(memory_faults::mapped().count == 0, memory_faults::mapped().count,
             " segments are left");
  row.expect(descriptors() <= open, "descriptors grew to ", descriptors(), " from ", open);
}

void run_test(Runner& runner) {
  const memory_faults::PopulatingWatched watched;
  for (const MemoryRow& asked : kRows) runner.run(asked.name, run_row, asked, runner);
  runner.run("not asked for", run_unused);
  runner.run("many communicators", run_many_comms);
}

const AddedTest added({.name = "node_memory", .run = run_test});

}  // namespace node_memory_test
