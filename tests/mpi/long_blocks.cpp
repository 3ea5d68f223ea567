// Long blocks between ranks of a node, which go through shared memory in pieces or are copied straight
// from their sender's memory: the definition byte by byte, the same where the system refuses such
// copies at set-up or later, and ranks that disagree on a length.
#include <rondo/rondo.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

#include "support/added_test.hpp"
#include "support/case.hpp"
#include "support/environment.hpp"
#include "support/factors.hpp"
#include "support/placement.hpp"
#include "support/pull_faults.hpp"
#include "support/random.hpp"
#include "support/sample.hpp"
#include "support/small.hpp"

namespace long_blocks_test {

using namespace rondo::testing;

/// A quarter of the blocks are as long as may be, the others short, empty, or of any length up to an
/// eighth of that.
std::size_t uneven(std::size_t bytes, Pair pair, std::uint64_t seed) {
  const std::uint64_t number = hash(seed, pair.source, pair.destination);
  switch (number % 4) {
    case 0:
      return bytes;
    case 1:
      return 0;
    case 2:
      return number / 4 % 200;
    default:
      return number / 4 % (bytes / 8 + 1);
  }
}

std::size_t constant(std::size_t bytes, Pair, std::uint64_t) {
  return bytes;
}

const Distribution kConstant[] = {
    {"constant 65536", 65'536, constant},
    {"constant 65537", 65'537, constant},
    {"constant 300000", 300'000, constant},
};
const Distribution kUneven[] = {
    {"uneven up to 70000", 70'000, uneven},
    {"uneven up to 1 MiB", std::size_t{1} << 20, uneven},
    {"uneven up to 4 MiB", std::size_t{4} << 20, uneven},
};

enum class Fault { none, last_rank_at_set_up, later };

struct Way {
  const char* name;
  const char* single_copy;  ///< RONDO_SINGLE_COPY
  const char* slot_bytes;   ///< RONDO_SLOT_BYTES, or null
  Fault fault;
  bool pulls;
};

const Way kWays[] = {
    {"in pieces", "0", nullptr, Fault::none, false},
    {"in short pieces", "0", "36000", Fault::none, false},
    {"in messages", "0", "2000", Fault::none, false},
    {"pulled", "2", nullptr, Fault::none, true},
    {"refused to the last rank", "2", nullptr, Fault::last_rank_at_set_up, false},
    {"refused later", "2", nullptr, Fault::later, true},
};

int sum(int number) {
  int all = 0;
  must(MPI_Allreduce(&number, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  return all;
}

/// Collective. Whether the system lets every rank read the memory of the next one.
bool ranks_can_pull() {
  const std::uint64_t own = hash(rank_of(MPI_COMM_WORLD), getpid());
  const std::array<std::uint64_t, 3> mine{static_cast<std::uint64_t>(getpid()),
                                          reinterpret_cast<std::uintptr_t>(&own), own};
  const int ranks = ranks_of(MPI_COMM_WORLD);
  const int rank = rank_of(MPI_COMM_WORLD);
  std::array<std::uint64_t, 3> next{};
  must(MPI_Sendrecv(mine.data(), 3, MPI_UINT64_T, (rank + ranks - 1) % ranks, 0, next.data(), 3,
                    MPI_UINT64_T, (rank + 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  std::uint64_t found = 0;
  const iovec to{&found, sizeof found};
  const iovec from{reinterpret_cast<void*>(next[1]), sizeof found};
  const bool is_read = process_vm_readv(static_cast<pid_t>(next[0]), &to, 1, &from, 1, 0) ==
                       static_cast<ssize_t>(sizeof found);
  return sum(is_read && found == next[2] ? 1 : 0) == ranks;
}

/// Makes the state of a communicator with an exchange that uses the node's shared memory.
void set_up(const Case& which, MPI_Comm comm, Row& row) {
  set_algorithm(comm, which.collective, which.algorithm, row);
  SmallExchange(comm, 3).run(which.collective, comm, row);
}

struct WayRow {
  const Way& way;
  const Placement& placement;
  bool must_pull;  ///< some block surely is pulled
};

void run_way(const WayRow& what, const Case& which, Row& row) {
  const int rank = rank_of(MPI_COMM_WORLD);
  const int ranks = ranks_of(MPI_COMM_WORLD);
  const Environment single_copy("RONDO_SINGLE_COPY", what.way.single_copy);
  const Environment slots("RONDO_SLOT_BYTES", what.way.slot_bytes);
  const PlacedRanks placed(what.placement, ranks);
  const TestComm comm;
  pull_faults::reset();
  if (what.way.fault == Fault::last_rank_at_set_up && rank == ranks - 1)
    pull_faults::fail_after(0, EPERM);
  set_up(which, comm, row);
  pull_faults::reset();
  if (what.way.fault == Fault::later) pull_faults::fail_after(rank % 2, EFAULT);
  run_or_skip(which, comm, row);
  const int calls = sum(pull_faults::calls());
  pull_faults::reset();
  if (!what.way.pulls)
    row.expect(calls == 0, calls, " blocks were pulled");
  else if (what.must_pull)
    row.expect(calls != 0, "no block was pulled");
  // What was refused once must not stay so.
  SmallExchange(comm, 20'000).run(which.collective, comm, row, 1);
}

/// The longest block times the number of pairs, by default. Two ranks exchange all lengths, and up to five
/// those of 1 MiB.
constexpr std::size_t kMostBytes = std::size_t{26} << 20;

/// Every datatype with blocks of up to 70,000 bytes, bytes and two datatypes with longer ones.
std::vector<Case> long_cases(Collective collective, const Options& options) {
  std::vector<Case> cases;
  const auto add = [&](const Distribution& distribution, const TypeRow& types, bool is_in_place) {
    const std::vector<Form> all = forms();
    cases.push_back(
        {.collective = collective,
         .algorithm = cases.size() % 3 == 0 ? "node_aware:threshold=1000" : "node_aware",
         .distribution = &distribution,
         .types = &types,
         .is_in_place = is_in_place,
         .form = all[cases.size() % all.size()],
         .seed = hash(options.seed, static_cast<int>(collective), cases.size())});
  };
  const bool is_uniform = collective == Collective::alltoall;
  const std::span<const Distribution> lengths = is_uniform
                                                    ? std::span<const Distribution>(kConstant)
                                                    : std::span<const Distribution>(kUneven);
  for (const TypeRow& types : type_rows())
    if (!types.absolute || collective == Collective::alltoallw)
      add(lengths[is_uniform ? 1 : 0], types, cases.size() % 2 == 1);
  const auto ranks = static_cast<std::size_t>(ranks_of(MPI_COMM_WORLD));
  for (const Distribution& distribution : lengths) {
    if (!options.all && distribution.bytes * ranks * ranks > kMostBytes) continue;
    for (const char* types : {"byte", "vector with gaps", "permuted to contiguous"})
      for (const bool is_in_place : {false, true})
        add(distribution, named(type_rows(), types), is_in_place);
  }
  return cases;
}

struct Setting {
  const Way* way;
  const Placement* placement;
};

void run_case_in(const Setting& where, const Case& which, bool can_pull, Runner& runner) {
  const bool must_pull = can_pull && where.way->pulls && where.placement->node_of == nullptr &&
                         runner.ranks() > 1 && which.distribution->rule == constant &&
                         which.distribution->bytes > 65'536 && which.types->send->size() != 0;
  runner.run(rondo::text(which.name(), ", ", where.way->name, ", ranks ", where.placement->name),
             run_way, WayRow{*where.way, *where.placement, must_pull}, which);
}

/// Every case, or with many ranks some, in one of the settings. The seed chooses, and takes as many cases
/// of each setting. With --all the product.
void run_cases(bool can_pull, Runner& runner) {
  const auto where = placements(runner.ranks());
  std::vector<Setting> settings;
  for (const Placement& placement : where)
    for (const Way& way : kWays) settings.push_back({&way, &placement});
  for (const Collective collective : kCollectives) {
    Random(hash(runner.options().seed, collective)).shuffle(settings);
    std::size_t number = 0;
    for (const Case& which :
         thinned(long_cases(collective, runner.options()), runner, 2, hash(0x1b, collective))) {
      const std::size_t drawn = number++ % settings.size();
      for (const Setting& setting : runner.options().all
                                        ? std::span<const Setting>(settings)
                                        : std::span<const Setting>(settings).subspan(drawn, 1))
        run_case_in(setting, which, can_pull, runner);
    }
  }
}

constexpr std::size_t kPageBytes = 4096;
constexpr std::byte kPoison{0xa5};

/// Bytes that end at a page which nobody may touch, with another such page before them. What is left of
/// their own first page has kPoison.
class Guarded : NonCopyable {
 public:
  explicit Guarded(std::size_t bytes)
      : mapped_((bytes + kPageBytes - 1) / kPageBytes * kPageBytes + 2 * kPageBytes),
        bytes_(bytes) {
    void* const memory = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) std::abort();
    first_ = static_cast<std::byte*>(memory);
    if (mprotect(first_ + kPageBytes, mapped_ - 2 * kPageBytes, PROT_READ | PROT_WRITE) != 0)
      std::abort();
    std::fill(first_ + kPageBytes, data(), kPoison);
  }
  ~Guarded() { munmap(first_, mapped_); }

  std::byte* data() const { return first_ + mapped_ - kPageBytes - bytes_; }
  std::size_t bytes() const { return bytes_; }

  /// Whether nothing was written between the first page and the bytes.
  bool is_intact() const {
    return std::all_of(first_ + kPageBytes, data(), [](std::byte byte) { return byte == kPoison; });
  }

 private:
  std::size_t mapped_;
  std::size_t bytes_;
  std::byte* first_ = nullptr;
};

/// One block whose sender and receiver disagree; all others have kOtherBytes.
struct Disagreement {
  int source;
  int destination;
  int sent;
  int expected;
};

constexpr int kOtherBytes = 70'000;
constexpr int kGapBytes = 64;

std::byte content(int source, int destination, int at) {
  return static_cast<std::byte>(source * 31 + destination * 7 + at);
}

/// One side of an exchange with a disagreement. Its odd block comes last, at the end of the buffer.
class DisagreeingSide {
 public:
  DisagreeingSide(int ranks, int odd_peer, int odd_bytes)
      : counts(static_cast<std::size_t>(ranks), kOtherBytes),
        displacements(static_cast<std::size_t>(ranks)),
        odd_(odd_peer),
        buffer_(
            static_cast<std::size_t>((ranks - (odd_peer < 0 ? 0 : 1)) * (kOtherBytes + kGapBytes) +
                                     (odd_peer < 0 ? 0 : odd_bytes))) {
    std::fill_n(buffer_.data(), buffer_.bytes(), kPoison);
    int at = 0;
    for (int peer = 0; peer < ranks; ++peer) {
      if (peer == odd_) continue;
      displacements[static_cast<std::size_t>(peer)] = at;
      at += kOtherBytes + kGapBytes;
    }
    if (odd_ < 0) return;
    counts[static_cast<std::size_t>(odd_)] = odd_bytes;
    displacements[static_cast<std::size_t>(odd_)] = at;
  }

  std::byte* block(int peer) const {
    return buffer_.data() + displacements[static_cast<std::size_t>(peer)];
  }
  void* buffer() const { return buffer_.data(); }

  /// Whether every block but the odd one is right and no byte before or between the blocks was written.
  bool is_right(int rank) const {
    if (!buffer_.is_intact()) return false;
    for (int peer = 0; peer < static_cast<int>(counts.size()); ++peer) {
      if (peer == odd_) continue;
      const std::byte* const data = block(peer);
      for (int at = 0; at < kOtherBytes; ++at)
        if (data[at] != content(peer, rank, at)) return false;
      if (!std::all_of(data + kOtherBytes, data + kOtherBytes + kGapBytes,
                       [](std::byte byte) { return byte == kPoison; }))
        return false;
    }
    return true;
  }

  std::vector<int> counts;
  std::vector<int> displacements;

 private:
  int odd_;
  Guarded buffer_;
};

void run_disagreement(const Disagreement& what, const char* algorithm, const char* single_copy,
                      Row& row) {
  const Environment setting("RONDO_SINGLE_COPY", single_copy);
  const TestComm comm;
  const int rank = rank_of(comm);
  const int ranks = ranks_of(comm);
  set_algorithm(comm, Collective::alltoallv, algorithm, row);
  for (int repeat = 0; repeat < 2; ++repeat) {
    const DisagreeingSide send(ranks, rank == what.source ? what.destination : -1, what.sent);
    const DisagreeingSide receive(ranks, rank == what.destination ? what.source : -1,
                                  what.expected);
    for (int peer = 0; peer < ranks; ++peer)
      for (int at = 0; at < send.counts[static_cast<std::size_t>(peer)]; ++at)
        send.block(peer)[at] = content(rank, peer, at);
    const int code = Rondo_Alltoallv(send.buffer(), send.counts.data(), send.displacements.data(),
                                     MPI_BYTE, receive.buffer(), receive.counts.data(),
                                     receive.displacements.data(), MPI_BYTE, comm);
    row.expect_error(code, MPI_ERR_TRUNCATE,
                     rondo::text("rank ", what.source, " sends ", what.sent, " bytes to rank ",
                                 what.destination, ", which expects ", what.expected));
    row.expect(receive.is_right(rank), "a block that the ranks agree on, or a gap, is wrong");
    SmallExchange(comm, 7).run(Collective::alltoallv, comm, row, repeat);
    SmallExchange(comm, 17'000).run(Collective::alltoallv, comm, row, repeat);
  }
}

/// By default with one of the algorithms for each pair of lengths.
void run_disagreements(const char* single_copy, Runner& runner) {
  constexpr int kMiB = 1 << 20;
  const int last = runner.ranks() - 1;
  const std::vector<const char*> algorithms{"node_aware", "node_aware:threshold=16"};
  for (const auto& [sent, expected] : {std::pair{kMiB, 300'000},
                                       {300'000, kMiB},
                                       {kMiB, kMiB + 1},
                                       {kMiB, 0},
                                       {0, kMiB},
                                       {kMiB, 100},
                                       {100, kMiB},
                                       {20, 40}})
    for (const char* const& algorithm :
         drawn(algorithms, runner.options(), hash(sent, expected, *single_copy))) {
      const int source = &algorithm == algorithms.data() ? 0 : last;
      const int destination = last - source;
      runner.run(rondo::text(sent, " of ", expected, " bytes from rank ", source, " to ",
                             destination, ", ", algorithm, ", RONDO_SINGLE_COPY=", single_copy),
                 run_disagreement, Disagreement{source, destination, sent, expected}, algorithm,
                 single_copy);
    }
}

/// A rank that is alone on its node has no pipes, and `auto` decides there as elsewhere.
void run_auto(Row& row) {
  const Environment no_pulls("RONDO_SINGLE_COPY", "0");
  const Environment at_once("RONDO_FORWARD_CALLS", "0");
  const TestComm comm;
  for (const int ints : {3, 2000, 20'000})
    for (const Collective collective : {Collective::alltoall, Collective::alltoallv})
      SmallExchange(comm, ints).run(collective, comm, row, ints);
}

void run_test(Runner& runner) {
  const bool can_pull = ranks_can_pull();
  if (!can_pull)
    runner.run("pulling", [](Row& row) { row.skip("no rank may read another's memory here"); });
  run_cases(can_pull, runner);
  for (const Placement& placement : placements(runner.ranks()))
    run_placed(placement, runner, "auto, without pulling", run_auto);
  if (runner.ranks() > 1)
    for (const char* single_copy : {"0", "2"}) run_disagreements(single_copy, runner);
}

const AddedTest added({.name = "long_blocks",
                       .run = run_test,
                       .settings = {{}, {kEveryStarted, 3}}});

}  // namespace long_blocks_test
