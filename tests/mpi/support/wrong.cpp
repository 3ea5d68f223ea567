#include "support/wrong.hpp"

#include <algorithm>

namespace rondo::testing {

namespace {

using namespace functions;

constexpr unsigned kLists = alltoallv | alltoallw | neighbor_alltoallv | neighbor_alltoallw;
constexpr unsigned kTwoSided = alltoall | neighbor_alltoall | kLists;
constexpr unsigned kAll = kTwoSided | dynamic | sparse;
constexpr unsigned kSparse = sparse | sparse_plan;
constexpr unsigned kTypeLists = alltoallw | neighbor_alltoallw;
/// The neighbourhood calls of the tests have their arrays in vectors, which cannot be null.
constexpr unsigned kNullable = alltoallv | alltoallw | dynamic;

const Wrong kRows[] = {
    {"a negative sendcount", kLists | dynamic | kSparse, On::sending, MPI_ERR_COUNT,
     "sendcounts[{last}] is -3", [](Bent& bent) { bent.set_last_count(bent.arguments.send, -3); }},
    {"negative sendcounts", kAll | sparse_plan, On::sending, MPI_ERR_COUNT, "sendcount",
     [](Bent& bent) { bent.set_counts(bent.arguments.send, -1); }},
    {"a negative recvcount", kLists, On::receiving, MPI_ERR_COUNT, "recvcounts[{last}] is -2",
     [](Bent& bent) { bent.set_last_count(bent.arguments.receive, -2); }},
    {"negative recvcounts", kTwoSided, On::receiving, MPI_ERR_COUNT, "recvcount",
     [](Bent& bent) { bent.set_counts(bent.arguments.receive, -1); }},
    {"negative counts on both sides", kTwoSided, On::sending, MPI_ERR_COUNT, "count",
     [](Bent& bent) {
       bent.set_counts(bent.arguments.send, -1);
       bent.set_counts(bent.arguments.receive, -1);
     }},
    {"no sendcounts", kNullable | kSparse, On::sending, MPI_ERR_ARG, "sendcounts is a null pointer",
     [](Bent& bent) { bent.arguments.send.counts = nullptr; }},
    {"no recvcounts", kNullable, On::receiving, MPI_ERR_ARG, "recvcounts is a null pointer",
     [](Bent& bent) { bent.arguments.receive.counts = nullptr; }},
    {"no sdispls", kNullable | kSparse, On::sending, MPI_ERR_ARG, "sdispls is a null pointer",
     [](Bent& bent) { bent.arguments.send.displacements = nullptr; }},
    {"no rdispls", kNullable, On::receiving, MPI_ERR_ARG, "rdispls is a null pointer",
     [](Bent& bent) { bent.arguments.receive.displacements = nullptr; }},
    {"no sendtypes", alltoallw, On::sending, MPI_ERR_ARG, "sendtypes is a null pointer",
     [](Bent& bent) { bent.arguments.send.types = nullptr; }},
    {"no recvtypes", alltoallw, On::receiving, MPI_ERR_ARG, "recvtypes is a null pointer",
     [](Bent& bent) { bent.arguments.receive.types = nullptr; }},
    // MPI_BOTTOM is null, and valid where displacements may be addresses.
    {"no sendbuf", kAll & ~neighbor_alltoallw, On::sending, MPI_ERR_BUFFER,
     "sendbuf is a null pointer", [](Bent& bent) { bent.arguments.send.buffer = nullptr; },
     Seen::when_executed},
    {"no recvbuf", kAll & ~neighbor_alltoallw, On::receiving, MPI_ERR_BUFFER,
     "recvbuf is a null pointer", [](Bent& bent) { bent.arguments.receive.buffer = nullptr; },
     Seen::when_executed},
    {"in place", kAll & ~(alltoall | alltoallv | alltoallw), On::sending, MPI_ERR_BUFFER,
     " exchange is not in place", [](Bent& bent) { bent.arguments.send.buffer = MPI_IN_PLACE; }},
    {"a null sendtype", kTypeLists, On::sending, MPI_ERR_TYPE,
     "sendtypes[{last}] is MPI_DATATYPE_NULL",
     [](Bent& bent) { bent.remove_last_type(bent.arguments.send); }},
    {"null sendtypes", kAll | sparse_plan, On::sending, MPI_ERR_TYPE, "sendtype",
     [](Bent& bent) { bent.remove_types(bent.arguments.send); }},
    {"the first recvtype null", kTypeLists, On::receiving, MPI_ERR_TYPE,
     "recvtypes[0] is MPI_DATATYPE_NULL",
     [](Bent& bent) { bent.remove_first_type(bent.arguments.receive); }},
    {"the last recvtype null", kTypeLists, On::receiving, MPI_ERR_TYPE,
     "recvtypes[{last}] is MPI_DATATYPE_NULL",
     [](Bent& bent) { bent.remove_last_type(bent.arguments.receive); }},
    {"null recvtypes", kAll | sparse_plan, On::receiving, MPI_ERR_TYPE, "recvtype",
     [](Bent& bent) { bent.remove_types(bent.arguments.receive); }},
    {"null types on both sides", kAll | sparse_plan, On::sending, MPI_ERR_TYPE, "type",
     [](Bent& bent) {
       bent.remove_types(bent.arguments.send);
       bent.remove_types(bent.arguments.receive);
     }},
    {"a negative capacity", dynamic | sparse, On::sending, MPI_ERR_COUNT, "recvcapacity is -3",
     [](Bent& bent) { bent.arguments.capacity = -3; }},
    {"a rank that does not exist", kSparse, On::sending, MPI_ERR_ARG,
     "destinations[{last}] is 1000", [](Bent& bent) { bent.set_last_destination(1000); }},
    {"a negative rank", kSparse, On::sending, MPI_ERR_ARG, "destinations[{last}] is -2",
     [](Bent& bent) { bent.set_last_destination(-2); }},
    {"a rank twice", kSparse, On::sending, MPI_ERR_ARG, "destinations names rank 0 twice",
     [](Bent& bent) { bent.set_two_destinations(0); }},
    {"a negative number of destinations", kSparse, On::sending, MPI_ERR_COUNT,
     "ndestinations is -1", [](Bent& bent) { bent.arguments.destination_count = -1; }},
    {"no destinations", kSparse, On::sending, MPI_ERR_ARG, "destinations is a null pointer",
     [](Bent& bent) { bent.arguments.destinations = nullptr; }},
    {"no sources", kSparse, On::sending, MPI_ERR_ARG, "sources is a null pointer",
     [](Bent& bent) { bent.arguments.sources = nullptr; }},
};

/// Two correct calls follow each wrong one, so both parities of a segment see a wrong one.
constexpr int kTimes = 2;

std::string words_of(const Wrong& wrong, const Subject& subject) {
  std::string words = wrong.words;
  const std::string mark = "{last}";
  const Lengths lengths = subject.lengths();
  const std::size_t length = wrong.on == On::receiving ? lengths.receive : lengths.send;
  if (const auto at = words.find(mark); at != words.npos)
    words.replace(at, mark.size(), std::to_string(length - 1));
  return words;
}

bool is_wrong_here(const Blame& blame) {
  return blame.wrong_rank == Blame::everybody || blame.wrong_rank == rank_of(MPI_COMM_WORLD);
}

void expect_blame(int code, const Wrong& wrong, const Subject& subject, const Blame& blame,
                  Row& row) {
  if (is_wrong_here(blame))
    return row.expect_error(code, wrong.error_class, words_of(wrong, subject));
  if (blame.returns_error(rank_of(MPI_COMM_WORLD)))
    return row.expect_error(code, wrong.error_class, rondo::text("rank ", blame.wrong_rank));
  row.expect_success(code, "an exchange that has nothing to do with the wrong rank");
  row.expect(subject.is_right(), "wrong data on a rank that knows of no error");
}

}  // namespace

void Bent::set_counts(Arguments& side, int count) {
  side.counts = numbers_.emplace_back(length_of(side), count).data();
}

void Bent::set_last_count(Arguments& side, int count) {
  numbers_.emplace_back(side.counts, side.counts + length_of(side)).back() = count;
  side.counts = numbers_.back().data();
}

void Bent::remove_types(Arguments& side) {
  side.types = types_.emplace_back(length_of(side), MPI_DATATYPE_NULL).data();
}

std::vector<MPI_Datatype>& Bent::copy_types(Arguments& side) {
  auto& types = types_.emplace_back(side.types, side.types + length_of(side));
  side.types = types.data();
  return types;
}

void Bent::remove_first_type(Arguments& side) {
  copy_types(side).front() = MPI_DATATYPE_NULL;
}

void Bent::remove_last_type(Arguments& side) {
  copy_types(side).back() = MPI_DATATYPE_NULL;
}

void Bent::set_last_destination(int rank) {
  const int* const given = arguments.destinations;
  numbers_.emplace_back(given, given + lengths_.send).back() = rank;
  arguments.destinations = numbers_.back().data();
}

void Bent::set_two_destinations(int rank) {
  arguments.destination_count = 2;
  arguments.destinations = numbers_.emplace_back(2, rank).data();
  arguments.send.counts = arguments.send.displacements = numbers_.emplace_back(2, 0).data();
}

std::span<const Wrong> wrong_rows() {
  return kRows;
}

const Wrong& wrong_row(const char* name) {
  return *std::ranges::find(kRows, std::string(name), &Wrong::name);
}

void expect_wrong_call(const Wrong& wrong, Subject& subject, const Blame& blame, Row& row) {
  for (int time = 0; time < kTimes; ++time) {
    AnyArguments arguments = subject.arguments(time);
    Bent bent(arguments, subject.lengths());
    if (is_wrong_here(blame)) wrong.bend(bent);
    expect_blame(subject.call(arguments), wrong, subject, blame, row);
    subject.run_next(time, row);
  }
}

/// A plan's buffers may be chosen later: a null one is an error of the execution, before the plan has
/// learned the others' lengths and after.
void expect_wrong_plan(const Wrong& wrong, Subject& subject, const Blame& blame, Row& row) {
  AnyArguments arguments = subject.arguments(0);
  Bent bent(arguments, subject.lengths());
  if (is_wrong_here(blame)) wrong.bend(bent);
  Rondo_Plan plan = RONDO_PLAN_NULL;
  const int code = subject.make_plan(arguments, &plan);
  if (wrong.in_plans == Seen::when_made) {
    expect_blame(code, wrong, subject, {.wrong_rank = blame.wrong_rank}, row);
  } else {
    row.expect_success(code, "making the plan");
    for (int time = 0; time < kTimes && code == MPI_SUCCESS; ++time) {
      expect_blame(execute(plan, arguments.send.buffer, arguments.receive.buffer), wrong, subject,
                   blame, row);
      const AnyArguments right = subject.arguments(time);
      row.expect_success(execute(plan, right.send.buffer, right.receive.buffer),
                         "the plan's next execution");
      row.expect(subject.is_right(), "the plan's next execution moved wrong data");
      arguments = right;
      if (is_wrong_here(blame)) wrong.bend(bent);
    }
  }
  row.expect_success(Rondo_Plan_free(&plan), "Rondo_Plan_free");
  subject.run_next(9, row);
}

}  // namespace rondo::testing
