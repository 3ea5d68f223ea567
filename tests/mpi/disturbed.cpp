// Exchange after exchange on one communicator, as in the test stress, but some are not right: ranks
// that cannot take part, pairs of ranks that disagree on a length, on either side of every threshold.
// Whatever those return, nobody waits for ever, nothing outside the blocks is written, and every
// exchange that is right moves the right bytes. For algorithms that return errors everywhere, and `auto`.
#include <rondo/rondo.h>

#include <algorithm>
#include <set>

#include "support/added_test.hpp"
#include "support/byte_blocks.hpp"
#include "support/profile_file.hpp"
#include "support/random.hpp"
#include "support/small.hpp"

namespace disturbed_test {

using namespace rondo::testing;

constexpr auto kVariable = Collective::alltoallv;
constexpr int kAllExchanges = 1000;
constexpr int kSampleExchanges = 40;
constexpr int kGuardBytes = 16;
constexpr std::byte kGuard{0x5a};

const char* const kAlgorithms[] = {
    "auto",
    "fused_bruck:threshold=256",
    "fused_bruck:radix=2:ports=1:threshold=3000",
    "node_aware:threshold=256:inter=direct",
    "node_aware:inter=direct:parts=2",
    "node_aware:threshold=256:inter=bruck:radix=2",
    "node_aware:inter=bruck:parts=2",
};

/// Bytes in a block: none, in a cell, as many as stand for a long block, in a slot, long for some of
/// the algorithms, long for all. Two draws may agree.
int draw_length(Random random) {
  constexpr int kLengths[] = {0, 8, 16, 40, 200, 256, 257, 3000, 20'000, 70'000};
  return kLengths[random.below(std::size(kLengths))];
}

/// For `auto`: algorithms that all return errors everywhere.
rondo::select::Decisions decisions() {
  return decisions_of({{0, "node_aware"}}, {{8, "node_aware:inter=direct"},
                                            {256, "fused_bruck"},
                                            {3000, "node_aware:inter=bruck:radix=2"},
                                            {20'000, "fused_bruck:radix=2"},
                                            {0, "node_aware:inter=direct:parts=2"}});
}

enum class Kind { right, mismatch, failure };

/// One exchange, drawn alike on all ranks.
class Step {
 public:
  Step(std::uint64_t seed, int ranks) : seed_(seed), ranks_(ranks) {
    Random random(seed);
    const std::uint64_t kind = random.below(8);
    kind_ = kind < 4 ? Kind::right : kind < 7 ? Kind::mismatch : Kind::failure;
    longest_ = draw_length(Random(random.next()));
    failing_ = static_cast<int>(random.below(static_cast<std::uint64_t>(ranks)));
    for (std::uint64_t pairs = 1 + random.below(3); pairs > 0; --pairs) {
      const int source = static_cast<int>(random.below(static_cast<std::uint64_t>(ranks)));
      wrong_.emplace(
          source,
          (source + 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(ranks - 1)))) %
              ranks);
    }
  }

  Kind kind() const { return kind_; }
  bool fails(int rank) const { return kind_ == Kind::failure && rank == failing_; }

  int expected(int source, int destination) const {
    return std::min(longest_, draw_length(Random(hash(seed_, source, destination))));
  }
  int sent(int source, int destination) const {
    if (kind_ != Kind::mismatch || !wrong_.contains({source, destination}))
      return expected(source, destination);
    return draw_length(Random(hash(seed_, source, destination, 1)));
  }

  /// Whether a rank receives a block of another length than it expects.
  bool is_wrong_at(int rank) const {
    for (int source = 0; source < ranks_; ++source)
      if (sent(source, rank) != expected(source, rank)) return true;
    return false;
  }

  /// Whether nobody else does, so that nothing can make up for it.
  bool is_one_pair() const { return wrong_.size() == 1; }

 private:
  std::uint64_t seed_;
  int ranks_;
  Kind kind_;
  int longest_;
  int failing_;
  std::set<std::pair<int, int>> wrong_;
};

/// The buffers of one rank: blocks side by side, with guards between those that it receives.
class Buffers {
 public:
  Buffers(const Step& step, std::uint64_t salt, int rank, int ranks)
      : out_(ranks, 0, [&](int peer) { return step.sent(rank, peer); }),
        in_(ranks, kGuardBytes, [&](int peer) { return step.expected(peer, rank); }),
        sent_(out_.bytes + 1, kGuard),
        received_(in_.bytes, kGuard),
        expected_(in_.bytes, kGuard) {
    for (int peer = 0; peer < ranks; ++peer) {
      write(sent_, out_, peer, hash(salt, rank, peer));
      write(expected_, in_, peer, hash(salt, peer, rank));
    }
  }

  Arguments send() { return out_.arguments(sent_.data()); }
  Arguments receive() { return in_.arguments(received_.data()); }

  /// Makes the arguments wrong on any rank.
  void spoil() { out_.counts.front() = -1; }

  bool is_right() const { return received_ == expected_; }

  bool has_kept_guards() const {
    for (std::size_t peer = 0; peer < in_.counts.size(); ++peer) {
      const auto guard = received_.begin() + in_.displacements[peer] + in_.counts[peer];
      if (std::any_of(guard, guard + kGuardBytes, [](std::byte byte) { return byte != kGuard; }))
        return false;
    }
    return true;
  }

 private:
  static void write(std::vector<std::byte>& bytes, const ByteBlocks& blocks, int peer,
                    std::uint64_t pattern) {
    const auto at = static_cast<std::size_t>(peer);
    for (int i = 0; i < blocks.counts[at]; ++i)
      bytes[static_cast<std::size_t>(blocks.displacements[at] + i)] =
          static_cast<std::byte>(pattern >> (i % 56));
  }

  ByteBlocks out_;
  ByteBlocks in_;
  std::vector<std::byte> sent_;
  std::vector<std::byte> received_;
  std::vector<std::byte> expected_;
};

class Sequence {
 public:
  Sequence(const char* algorithm, MPI_Comm comm, std::uint64_t seed, Row& row)
      : comm_(comm), seed_(seed), row_(row), rank_(rank_of(comm)), ranks_(ranks_of(comm)) {
    row.expect_success(Rondo_Comm_prepare(comm, MPI_INFO_NULL), "Rondo_Comm_prepare");
    set_algorithm(comm, Collective::alltoallv, algorithm, row);
  }

  void run_call(int number) {
    const Step step(hash(seed_, number), ranks_);
    Buffers buffers(step, number, rank_, ranks_);
    if (step.fails(rank_)) buffers.spoil();
    const int code = exchange(kVariable, buffers.send(), buffers.receive(), comm_);
    const std::string what = rondo::text("call ", number);
    expect_code(code, step.kind() == Kind::failure ? MPI_ERR_COUNT : MPI_SUCCESS, step, what);
    look_at(buffers, step, what);
  }

  /// A plan of lengths that are right, whose executions fail at times, also before it has learned
  /// the others' lengths.
  void run_plan(int number) {
    const Step step(hash(seed_, number, 2), ranks_);
    if (step.kind() == Kind::mismatch) return;
    Buffers bound(step, 0, rank_, ranks_);
    const Plan plan(kVariable, bound.send(), bound.receive(), comm_, row_);
    for (int execution = 0; execution < 5; ++execution) {
      Random random(hash(seed_, number, execution, 3));
      const int failing = static_cast<int>(random.below(static_cast<std::uint64_t>(2 * ranks_)));
      Buffers buffers(step, hash(number, execution), rank_, ranks_);
      const void* const sent = rank_ == failing ? MPI_IN_PLACE : buffers.send().buffer;
      const int code = Rondo_Execute(plan, sent, buffers.receive().buffer);
      const std::string what = rondo::text("plan ", number, ", execution ", execution);
      row_.expect(class_of(code) == (failing < ranks_ ? MPI_ERR_BUFFER : MPI_SUCCESS), what,
                  ": returned ", error_text(code), ", '", Rondo_Get_last_error(), "'");
      row_.expect(failing < ranks_ || buffers.is_right(), what, " moved wrong data");
      row_.expect(buffers.has_kept_guards(), what, " wrote outside the blocks");
    }
  }

 private:
  /// If only sums of lengths are compared, several wrong lengths may cancel each other.
  void expect_code(int code, int otherwise, const Step& step, const std::string& what) {
    const bool may_be_seen = step.kind() == Kind::mismatch;
    const bool must_be_seen = may_be_seen && step.is_wrong_at(rank_) && step.is_one_pair();
    const int error_class = class_of(code);
    const bool is_seen = error_class == MPI_ERR_TRUNCATE;
    row_.expect(must_be_seen ? is_seen : error_class == otherwise || (may_be_seen && is_seen), what,
                ": returned ", error_text(code), ", '", Rondo_Get_last_error(), "'");
  }

  void look_at(const Buffers& buffers, const Step& step, const std::string& what) {
    row_.expect(buffers.has_kept_guards(), what, " wrote outside the blocks");
    row_.expect(step.kind() != Kind::right || buffers.is_right(), what, " moved wrong data");
  }

  MPI_Comm comm_;
  std::uint64_t seed_;
  Row& row_;
  int rank_;
  int ranks_;
};

void run_test(Runner& runner) {
  const int exchanges = runner.options().all ? kAllExchanges : kSampleExchanges;
  int number = 0;
  for (const Placement& placement : placements(runner.ranks())) {
    const ProfileFile profile(layout_of(placement, runner.ranks()), decisions());
    const auto run = [&](const char* what, const char* algorithm, int count, auto&& body) {
      const std::uint64_t seed = hash(runner.options().seed, number++);
      run_placed(placement, runner, rondo::text(count, " ", what, ", ", algorithm), [&](Row& row) {
        const TestComm comm;
        Sequence sequence(algorithm, comm, seed, row);
        for (int i = 0; i < count; ++i) body(sequence, i);
      });
    };
    for (const char* algorithm : kAlgorithms) {
      run("calls", algorithm, exchanges, [](Sequence& all, int i) { all.run_call(i); });
      run("plans", algorithm, exchanges / 8, [](Sequence& all, int i) { all.run_plan(i); });
      run("calls and plans", algorithm, exchanges / 4, [](Sequence& all, int i) {
        all.run_call(i);
        all.run_plan(i);
      });
    }
  }
}

const AddedTest added({.name = "disturbed", .run = run_test, .settings = {{"RONDO_LEARN=0", 3}}});

}  // namespace disturbed_test
