// Past 2 GiB: blocks, totals and displacements, where an int overflows. Buffers are address space
// without memory until touched; only marks are written and compared.
//
// The default tier moves one 256 MiB block between two ranks with some algorithms, and longer ones with one of
// two; which ones, the seed says. --all moves all lengths with every algorithm.
#include <rondo/rondo.h>

#include <cstring>
#include <fstream>

#include "support/added_test.hpp"
#include "support/algorithms.hpp"
#include "support/pages.hpp"
#include "support/random.hpp"
#include "support/small.hpp"

namespace large_test {

using namespace rondo::testing;

constexpr std::size_t kMiB = std::size_t{1} << 20U;
constexpr std::size_t kGiB = std::size_t{1} << 30U;
constexpr std::size_t kGuard = 64;

struct Peers {
  int rank;
  int ranks;
};

std::size_t size_of(MPI_Datatype type) {
  int bytes = 0;
  must(MPI_Type_size(type, &bytes));
  return static_cast<std::size_t>(bytes);
}

/// Free bytes of the machine.
std::size_t free_memory() {
  std::ifstream file("/proc/meminfo");
  std::string word;
  std::size_t kilobytes = 0;
  while (file >> word)
    if (word == "MemAvailable:" && file >> kilobytes) return kilobytes * 1024;
  return 0;
}

/// Skips the row unless the ranks together may use `bytes`.
bool fits(std::size_t bytes, Row& row) {
  if (bytes > free_memory() * 3 / 4)
    row.skip(rondo::text("needs ", bytes / kMiB, " MiB of memory"));
  int may = row.skip_reason().empty() ? 1 : 0;
  must(MPI_Allreduce(MPI_IN_PLACE, &may, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
  return may == 1;
}

/// Calls visit(offset) for places in a block where a mark of 8 bytes stands: every 1.4 MiB or so,
/// both ends, and round the multiples of a GiB.
template <class Visit>
void for_each_mark(std::size_t bytes, Visit&& visit) {
  if (bytes < 8) return;
  for (std::size_t at = 0; at + 8 <= bytes; at += 1466008) visit(at);
  for (std::size_t at = kGiB; at + 16 <= bytes; at += kGiB)
    for (const std::size_t near : {at - 8, at}) visit(near);
  visit(bytes - 8);
}

std::uint64_t mark(int source, int destination, std::size_t offset) {
  return hash(source, destination, offset) | 1U;  // never zero
}

void write_block(std::byte* block, std::size_t bytes, int source, int destination) {
  for_each_mark(bytes, [&](std::size_t at) {
    const std::uint64_t value = mark(source, destination, at);
    std::memcpy(block + at, &value, 8);
  });
}

void expect_marks(const std::byte* block, std::size_t bytes, Peers from_to, Row& row) {
  for_each_mark(bytes, [&](std::size_t at) {
    std::uint64_t value = 0;
    std::memcpy(&value, block + at, 8);
    // Marks may overlap near the ends; the reference does then too.
    if (bytes >= 16 && at + 8 > bytes - 8 && at != bytes - 8) return;
    row.expect(value == mark(from_to.rank, from_to.ranks, at), "from rank ", from_to.rank,
               ": wrong mark at ", at, " of ", bytes);
  });
}

/// The marks are there, and the bytes round the block are still zero.
void expect_block(const std::byte* block, std::size_t bytes, Peers from_to, Row& row) {
  expect_marks(block, bytes, from_to, row);
  const std::byte zeros[kGuard]{};
  row.expect(std::memcmp(block - kGuard, zeros, kGuard) == 0 &&
                 std::memcmp(block + bytes, zeros, kGuard) == 0,
             "written outside the block from rank ", from_to.rank);
}

/// Memory for P blocks of at most `stride` - 2 guards bytes, `stride` apart.
struct FarBlocks {
  FarBlocks(int ranks, std::size_t block_stride)
      : stride(block_stride), memory(static_cast<std::size_t>(ranks) * block_stride + kGiB) {}
  std::byte* block(int peer) const {
    return memory.data() + 4096 + static_cast<std::size_t>(peer) * stride;
  }
  std::size_t stride;
  Pages memory;
};

/// One block of `bytes` from rank 0 to the last rank, 8 bytes between all others, of alltoallv.
void run_one_long(const std::string& algorithm, std::size_t bytes, MPI_Datatype type, Row& row) {
  if (!fits(6 * bytes, row)) return;
  const TestComm comm;
  const Peers own{rank_of(comm), ranks_of(comm)};
  const std::size_t element = size_of(type);
  const std::size_t stride = (bytes + 2 * kGuard + 4095) / 4096 * 4096;
  const FarBlocks sent(own.ranks, stride);
  const FarBlocks received(own.ranks, stride);
  const auto length = [&](int source, int destination) {
    return source == 0 && destination == own.ranks - 1 ? bytes : std::size_t{8};
  };
  std::vector<int> sendcounts;
  std::vector<int> recvcounts;
  std::vector<int> displacements;
  for (int peer = 0; peer < own.ranks; ++peer) {
    sendcounts.push_back(static_cast<int>(length(own.rank, peer) / element));
    recvcounts.push_back(static_cast<int>(length(peer, own.rank) / element));
    displacements.push_back(static_cast<int>(static_cast<std::size_t>(peer) * stride / element));
    write_block(sent.block(peer), length(own.rank, peer), own.rank, peer);
  }
  set_algorithm(comm, Collective::alltoallv, algorithm, row);
  row.expect_success(
      Rondo_Alltoallv(sent.block(0), sendcounts.data(), displacements.data(), type,
                      received.block(0), recvcounts.data(), displacements.data(), type, comm),
      "Rondo_Alltoallv");
  for (int peer = 0; peer < own.ranks; ++peer)
    expect_block(received.block(peer), length(peer, own.rank), {peer, own.rank}, row);
}

/// Blocks of `bytes` from everybody to everybody, of alltoall.
void run_uniform(const std::string& algorithm, std::size_t bytes, MPI_Datatype type, Row& row) {
  const TestComm comm;
  const Peers own{rank_of(comm), ranks_of(comm)};
  const auto ranks = static_cast<std::size_t>(own.ranks);
  if (!fits(5 * ranks * ranks * bytes, row)) return;
  const int count = static_cast<int>(bytes / size_of(type));
  const FarBlocks sent(own.ranks, bytes);
  const FarBlocks received(own.ranks, bytes);
  for (int peer = 0; peer < own.ranks; ++peer) write_block(sent.block(peer), bytes, own.rank, peer);
  set_algorithm(comm, Collective::alltoall, algorithm, row);
  row.expect_success(
      Rondo_Alltoall(sent.block(0), count, type, received.block(0), count, type, comm),
      "Rondo_Alltoall");
  for (int peer = 0; peer < own.ranks; ++peer)
    expect_marks(received.block(peer), bytes, {peer, own.rank}, row);
}

/// Small blocks, far apart: displacements in bytes past 2 GiB, in order or backwards. The type is
/// contiguous, or 16 bytes in an extent of 1.25 GiB, which must be packed.
void run_far(Collective collective, const std::string& algorithm, bool is_wide, Row& row) {
  constexpr std::size_t kStride = 5 * kGiB / 4;
  const TestComm comm;
  const Peers own{rank_of(comm), ranks_of(comm)};
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  must(MPI_Type_contiguous(2, MPI_DOUBLE, &pair));
  const Type type = Type::resized(pair, is_wide ? kStride : 16);
  const FarBlocks sent(own.ranks, kStride);
  const FarBlocks received(own.ranks, kStride);
  std::vector<int> ones(static_cast<std::size_t>(own.ranks), 1);
  std::vector<int> there;
  std::vector<int> back;
  const int unit = is_wide ? 1 : static_cast<int>(kStride / 16);
  const auto place = [&](int peer) {
    return collective == Collective::alltoall ? peer : own.ranks - 1 - peer;
  };
  for (int peer = 0; peer < own.ranks; ++peer) {
    there.push_back(peer * unit);
    back.push_back(place(peer) * unit);
    write_block(sent.block(peer), 16, own.rank, peer);
  }
  const std::vector<MPI_Datatype> types(ones.size(), type);
  set_algorithm(comm, collective, algorithm, row);
  row.expect_success(exchange(collective, {sent.block(0), ones.data(), there.data(), types.data()},
                              {received.block(0), ones.data(), back.data(), types.data()}, comm),
                     name_of(collective));
  for (int peer = 0; peer < own.ranks; ++peer)
    expect_block(received.block(place(peer)), 16, {peer, own.rank}, row);
  must(MPI_Type_free(&pair));
}

void run_long(Collective collective, const std::string& algorithm, Runner& runner) {
  const bool is_uniform = collective == Collective::alltoall;
  const auto run = is_uniform ? run_uniform : run_one_long;
  const std::string name = rondo::text(name_of(collective), " ", algorithm);
  const bool is_chosen =
      algorithm == "spread_out" || algorithm == "fused_bruck" || algorithm == "tunable_bruck";
  runner.run_drawn(4, rondo::text("256 MiB in bytes, ", name), run, algorithm, 256 * kMiB,
                   MPI_BYTE);
  if (!is_chosen && !runner.options().all) return;
  if (!is_uniform || runner.options().all)
    runner.run_drawn(2, rondo::text("2 GiB and 24 bytes in doubles, ", name), run, algorithm,
                     2 * kGiB + 24, MPI_DOUBLE);
}

void run_test(Runner& runner) {
  for (const Collective collective : {Collective::alltoall, Collective::alltoallv})
    for (const std::string& algorithm : registered(collective, true)) {
      runner.run(rondo::text("wide type past 2 GiB, ", name_of(collective), " ", algorithm),
                 run_far, collective, algorithm, true);
      if (collective == Collective::alltoallv)
        runner.run(rondo::text("displacements past 2 GiB, ", algorithm), run_far, collective,
                   algorithm, false);
      if (runner.ranks() == 2) run_long(collective, algorithm, runner);
    }
}

const AddedTest added({.name = "large", .run = run_test});

}  // namespace large_test
