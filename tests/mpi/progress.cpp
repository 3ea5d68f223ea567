// MPI's progress rule inside Rondo. A rank that waits in an exchange must let its other communication
// go on, or correct programs hang: a neighbour may need that communication before it can come to the
// exchange.
#include <rondo/rondo.h>

#include <numeric>

#include "support/added_test.hpp"
#include "support/algorithms.hpp"
#include "support/placement.hpp"
#include "support/small.hpp"

namespace progress_test {

using namespace rondo::testing;

constexpr int kInts = 262'144;  ///< 1 MiB: a message that needs both ends
constexpr int kTag = 5;

/// The setting of a row.
struct Scene {
  MPI_Comm comm;
  Collective collective;
  int rank;
  int ranks;
  int early;  ///< comes to the exchange first, and waits in it
  int late;   ///< is kept by something that the other has begun
};

void exchange_now(const Scene& scene, Row& row, int salt) {
  SmallExchange(scene.comm, 9).run(scene.collective, scene.comm, row, salt);
}

std::vector<int> numbers(int first) {
  std::vector<int> values(kInts);
  std::iota(values.begin(), values.end(), first);
  return values;
}

/// One rank sends and exchanges; the other receives before it exchanges.
void run_send(const Scene& scene, Row& row) {
  MPI_Request request = MPI_REQUEST_NULL;
  const std::vector<int> sent = numbers(scene.early);
  if (scene.rank == scene.early)
    must(MPI_Isend(sent.data(), kInts, MPI_INT, scene.late, kTag, MPI_COMM_WORLD, &request));
  if (scene.rank == scene.late) {
    std::vector<int> received(kInts);
    must(MPI_Recv(received.data(), kInts, MPI_INT, scene.early, kTag, MPI_COMM_WORLD,
                  MPI_STATUS_IGNORE));
    row.expect(received == sent, "the message beside the exchange is wrong");
  }
  exchange_now(scene, row, 1);
  must(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

/// One rank has an open receive during the exchange.
void run_receive(const Scene& scene, Row& row) {
  MPI_Request request = MPI_REQUEST_NULL;
  const std::vector<int> sent = numbers(scene.late);
  std::vector<int> received(kInts);
  if (scene.rank == scene.early)
    must(MPI_Irecv(received.data(), kInts, MPI_INT, scene.late, kTag, MPI_COMM_WORLD, &request));
  if (scene.rank == scene.late)
    must(MPI_Ssend(sent.data(), kInts, MPI_INT, scene.early, kTag, MPI_COMM_WORLD));
  exchange_now(scene, row, 2);
  must(MPI_Wait(&request, MPI_STATUS_IGNORE));
  if (scene.rank == scene.early)
    row.expect(received == sent, "the message beside the exchange is wrong");
}

/// A collective of the MPI library's, begun before the exchange on the same communicator and, but
/// at one rank, completed after it.
void run_collective(const Scene& scene, Row& row) {
  const int count = kInts / scene.ranks;
  SmallExchange other(scene.comm, count);
  MPI_Request request = MPI_REQUEST_NULL;
  must(MPI_Ialltoallv(other.sent.data(), other.counts.data(), other.displacements.data(), MPI_INT,
                      other.received.data(), other.counts.data(), other.displacements.data(),
                      MPI_INT, scene.comm, &request));
  if (scene.rank == scene.late) must(MPI_Wait(&request, MPI_STATUS_IGNORE));
  exchange_now(scene, row, 3);
  must(MPI_Wait(&request, MPI_STATUS_IGNORE));
  row.expect(other.is_right(), "MPI_Ialltoallv beside the exchange moved wrong data");
}

/// Null on all ranks, and the row skipped, where the MPI library has none: Open MPI 4.1 between
/// ranks that cannot read each other's memory.
MPI_Win window_on(std::vector<int>& memory, MPI_Comm comm, Row& row) {
  MPI_Win window = MPI_WIN_NULL;
  const int code = MPI_Win_create(memory.data(), kInts * MPI_Aint{sizeof(int)}, sizeof(int),
                                  MPI_INFO_NULL, comm, &window);
  int has_failed = code == MPI_SUCCESS ? 0 : 1;
  must(MPI_Allreduce(MPI_IN_PLACE, &has_failed, 1, MPI_INT, MPI_MAX, comm));
  if (has_failed == 0) return window;
  row.skip("this MPI makes no window here: " + error_text(code));
  return MPI_WIN_NULL;
}

/// One rank puts into the other's window, and ends the epoch before or after its exchange.
void run_put(const Scene& scene, bool ends_before, Row& row) {
  std::vector<int> memory(kInts, -1);
  const std::vector<int> sent = numbers(7);
  MPI_Win window = window_on(memory, scene.comm, row);
  if (window == MPI_WIN_NULL) return;
  const bool puts = scene.rank == scene.late;
  if (puts) {
    must(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, scene.early, 0, window));
    must(MPI_Put(sent.data(), kInts, MPI_INT, scene.early, 0, kInts, MPI_INT, window));
    if (ends_before) must(MPI_Win_unlock(scene.early, window));
  }
  exchange_now(scene, row, 4);
  if (puts && !ends_before) must(MPI_Win_unlock(scene.early, window));
  must(MPI_Win_free(&window));
  if (scene.rank == scene.early) row.expect(memory == sent, "MPI_Put put wrong data");
}

struct SceneRow {
  const char* name;
  void (*run)(const Scene& scene, Row& row);
};

const SceneRow kScenes[] = {
    {"MPI_Isend before, MPI_Wait after", run_send},
    {"MPI_Irecv before, MPI_Wait after", run_receive},
    {"MPI_Ialltoallv before, MPI_Wait after", run_collective},
    {"MPI_Put that ends before", [](const Scene& scene, Row& row) { run_put(scene, true, row); }},
    {"MPI_Put that ends after", [](const Scene& scene, Row& row) { run_put(scene, false, row); }},
};

struct ProgressRow {
  const SceneRow& scene;
  Collective collective;
  const std::string& algorithm;
};

void run_progress(const ProgressRow& what, const Placement& placement, Row& row) {
  const TestComm comm;
  Scene scene{comm, what.collective, rank_of(comm), ranks_of(comm), 0, 0};
  const PlacedRanks placed(placement, scene.ranks);
  set_algorithm(comm, what.collective, what.algorithm, row);
  for (int repeat = 0; repeat < 2; ++repeat) {
    const int last = scene.ranks - 1;
    scene.early = repeat == 0 ? 0 : last;
    scene.late = last - scene.early;
    what.scene.run(scene, row);
  }
}

void run_test(Runner& runner) {
  for (const Placement& placement : placements(runner.ranks()))
    for (const Collective collective : kCollectives)
      for (const std::string& algorithm : registered(collective, true))
        for (const SceneRow& scene : kScenes)
          runner.run(rondo::text(scene.name, ", ", name_of(collective), " ", algorithm, ", ranks ",
                                 placement.name),
                     run_progress, ProgressRow{scene, collective, algorithm}, placement);
}

const AddedTest added({.name = "progress", .run = run_test, .settings = {{}, {kEveryStarted, 3}}});

}  // namespace progress_test
