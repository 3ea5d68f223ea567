// Ranks that disagree: one rank has wrong arguments, or sends another length than its receiver expects.
// Where Rondo promises it, all ranks return the error, no byte outside the receiver's block changes,
// and the next exchange works.
#include <rondo/rondo.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "support/added_test.hpp"
#include "support/algorithms.hpp"
#include "support/environment.hpp"
#include "support/small.hpp"

namespace mismatch_test {

using namespace rondo::testing;

constexpr int kCount = 7;

/// A communicator made while RONDO_CHECK is set as wanted, with an algorithm.
struct CheckedComm : TestComm {
  CheckedComm(bool is_checked, const std::string& algorithm, Row& row) {
    const Environment check("RONDO_CHECK", is_checked ? "1" : "0");
    for (const Collective collective : {Collective::alltoallv, Collective::alltoallw})
      set_algorithm(*this, collective, algorithm, row);
  }
};

/// Whether `text` contains `number`, not as a part of a longer number.
bool has_number(const std::string& text, long number) {
  const std::string digits = std::to_string(number);
  const auto is_digit = [&](std::size_t at) {
    return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0;
  };
  for (auto at = text.find(digits); at != std::string::npos; at = text.find(digits, at + 1))
    if ((at == 0 || !is_digit(at - 1)) && !is_digit(at + digits.size())) return true;
  return false;
}

/// Rank `wrong` alone gives a negative count.
void run_one_wrong(bool is_checked, const std::string& algorithm, int wrong, Row& row) {
  const CheckedComm comm(is_checked, algorithm, row);
  const int rank = rank_of(comm);
  for (int repeat = 0; repeat < 3; ++repeat) {
    SmallExchange small(comm, kCount);
    if (rank == wrong) small.counts.front() = -1;
    const int code = small.call(Collective::alltoallv, comm);
    row.expect_error(code, MPI_ERR_COUNT);
    row.expect(rank == wrong || has_number(Rondo_Get_last_error(), wrong), "the text '",
               Rondo_Get_last_error(), "' does not name rank ", wrong);
    SmallExchange(comm, kCount).run(Collective::alltoallv, comm, row, repeat);
  }
}

struct Mismatch {
  int source;
  int destination;
  int sent;  ///< ints
  int expected = kCount;

  std::string name() const {
    return rondo::text(sent, " of ", expected, " ints from rank ", source, " to ", destination);
  }
};

bool is_own(const Mismatch& mismatch) {
  return mismatch.source == mismatch.destination;
}

/// The text must name both ranks and both lengths in bytes. A rank that disagrees with itself alone
/// knows its lengths; the others only learn which rank it is.
void expect_truncated(int code, const Mismatch& mismatch, int rank, Row& row) {
  row.expect_error(code, MPI_ERR_TRUNCATE);
  const std::string text = Rondo_Get_last_error();
  std::vector<long> numbers{mismatch.source};
  if (!is_own(mismatch) || rank == mismatch.source)
    numbers.insert(numbers.end(),
                   {mismatch.destination, 4L * mismatch.sent, 4L * mismatch.expected});
  for (const long number : numbers)
    row.expect(has_number(text, number), "the text '", text, "' lacks the number ", number);
}

/// Every block but the wrong one may be written or not; what is outside the blocks must survive.
void expect_no_damage(const SmallExchange& small, Row& row) {
  const auto guard = small.received.end() - kCount;
  row.expect(std::all_of(guard, small.received.end(), [](int value) { return value == -77; }),
             "the receive buffer was written past the last block");
}

int exchange_mismatch(const Mismatch& mismatch, MPI_Comm comm, Row& row) {
  const int rank = rank_of(comm);
  SmallExchange from(comm, std::max(mismatch.sent, mismatch.expected));
  SmallExchange to(comm, mismatch.expected);
  from.counts.assign(from.counts.size(), mismatch.expected);
  if (rank == mismatch.source)
    from.counts[static_cast<std::size_t>(mismatch.destination)] = mismatch.sent;
  to.received.resize(to.received.size() + kCount, -77);
  const int code = exchange(Collective::alltoallv, from.send(Collective::alltoallv),
                            to.receive(Collective::alltoallv), comm);
  expect_no_damage(to, row);
  return code;
}

/// With RONDO_CHECK=1 all ranks return the error.
void run_checked(const std::string& algorithm, const Mismatch& mismatch, Row& row) {
  const CheckedComm comm(true, algorithm, row);
  const int rank = rank_of(comm);
  for (int repeat = 0; repeat < 2; ++repeat) {
    const int code = exchange_mismatch(mismatch, comm, row);
    expect_truncated(code, mismatch, rank, row);
    SmallExchange(comm, kCount).run(Collective::alltoallv, comm, row, repeat);
  }
}

/// How an algorithm finds out without RONDO_CHECK=1.
enum class Finds {
  everywhere,  ///< it sends lengths, and all ranks return an error if a rank disagrees with itself
  by_lengths,  ///< it sends lengths
  by_sum,      ///< all ranks return the error, which names nobody
  by_message,  ///< a message is longer than its receiver expects
};

Finds how_finds(const std::string& algorithm) {
  const auto is = [&](const char* name) { return algorithm.starts_with(name); };
  if (is("fused_bruck") || is("node_aware")) return Finds::everywhere;
  if (is("two_phase_bruck") || is("sloav")) return Finds::by_lengths;
  return is("padded") ? Finds::by_sum : Finds::by_message;
}

bool is_found(const std::string& algorithm, const Mismatch& mismatch) {
  const Finds how = how_finds(algorithm);
  if (is_own(mismatch)) return how == Finds::everywhere;
  return how != Finds::by_message || mismatch.sent > mismatch.expected;
}

/// While it lives, errors on MPI_COMM_WORLD are returned. MPICH raises the error of a receive there, whatever its
/// communicator.
class WorldReturnsErrors : NonCopyable {
 public:
  WorldReturnsErrors() {
    must(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &former_));
    must(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  }
  ~WorldReturnsErrors() {
    must(MPI_Comm_set_errhandler(MPI_COMM_WORLD, former_));
    must(MPI_Errhandler_free(&former_));
  }

 private:
  MPI_Errhandler former_ = MPI_ERRHANDLER_NULL;
};

/// Without RONDO_CHECK=1. The next exchanges are right on all ranks.
void run_unchecked(const std::string& algorithm, const Mismatch& mismatch, Row& row) {
  const WorldReturnsErrors returned;
  const CheckedComm comm(false, algorithm, row);
  const int rank = rank_of(comm);
  const Finds how = how_finds(algorithm);
  for (int repeat = 0; repeat < 2; ++repeat) {
    const int code = exchange_mismatch(mismatch, comm, row);
    if (how == Finds::by_sum) {
      row.expect_error(code, MPI_ERR_TRUNCATE);
    } else if (rank == mismatch.destination && how == Finds::by_message) {
      row.expect_error(code, MPI_ERR_TRUNCATE);
      row.expect(has_number(Rondo_Get_last_error(), mismatch.source), "the text '",
                 Rondo_Get_last_error(), "' does not name rank ", mismatch.source);
    } else if (rank == mismatch.destination || is_own(mismatch)) {
      expect_truncated(code, mismatch, rank, row);
    } else if (rank != mismatch.source) {
      row.expect_success(code, "a rank that the pair does not concern");
    }
    SmallExchange(comm, kCount).run(Collective::alltoallv, comm, row, repeat);
  }
}

std::vector<Mismatch> mismatches(int ranks) {
  std::vector<Mismatch> rows;
  for (const int sent : {kCount + 4, kCount - 4, 0}) {
    rows.push_back({0, ranks - 1, sent});
    rows.push_back({ranks - 1, (ranks - 1) / 2, sent});
    rows.push_back({ranks - 1, ranks - 1, sent});
  }
  return rows;
}

/// Between neighbours with short slots, a block travels in a cell, a slot or a message, by its length:
/// in these rows not always as its receiver thinks.
void run_neighbours(Runner& runner) {
  const Environment without_pipes("RONDO_SLOT_BYTES", "4000");
  const Environment without_pulling("RONDO_SINGLE_COPY", "0");
  const auto run = [&](const std::string& algorithm, const Mismatch& mismatch) {
    runner.run(rondo::text(mismatch.name(), ", ", algorithm), run_unchecked, algorithm, mismatch);
  };
  // The two ranks of a pair disagree on how the block travels.
  run("padded_bruck:threshold=30", {0, runner.ranks() - 1, kCount + 4});
  for (const Mismatch& mismatch : mismatches(runner.ranks()))
    for (const char* algorithm :
         {"node_aware", "node_aware:threshold=16", "node_aware:threshold=32"})
      run(algorithm, mismatch);
  constexpr int kMessage = 30000;
  constexpr int kLongerMessage = 500000;
  for (const auto& [sent, expected] : {std::pair{kLongerMessage, kMessage},
                                       {kMessage, kLongerMessage},
                                       {kMessage, kCount},
                                       {kCount, kMessage},
                                       {0, kMessage},
                                       {kMessage, 0}})
    run("node_aware", {runner.ranks() - 1, 0, sent, expected});
}

void run_all(Runner& runner) {
  const int last = runner.ranks() - 1;
  for (const char* algorithm : {"fused_bruck", "fused_bruck:radix=2:ports=1"})
    for (const int wrong : {0, last})
      runner.run(rondo::text("rank ", wrong, " alone is wrong, ", algorithm), run_one_wrong, false,
                 algorithm, wrong);
  for (const std::string& algorithm : registered(Collective::alltoallv, true)) {
    for (const int wrong : {0, last})
      runner.run(rondo::text("rank ", wrong, " alone is wrong, RONDO_CHECK=1, ", algorithm),
                 run_one_wrong, true, algorithm, wrong);
    for (const Mismatch& mismatch : mismatches(runner.ranks())) {
      runner.run(rondo::text(mismatch.name(), ", RONDO_CHECK=1, ", algorithm), run_checked,
                 algorithm, mismatch);
      if (is_found(algorithm, mismatch))
        runner.run(rondo::text(mismatch.name(), ", ", algorithm), run_unchecked, algorithm,
                   mismatch);
    }
  }
}

void run_test(Runner& runner) {
  run_all(runner);
  run_neighbours(runner);
}

const AddedTest added({.name = "mismatch",
                       .run = run_test,
                       .settings = {{"", 3}, {kEveryStarted, 6}}});

}  // namespace mismatch_test
