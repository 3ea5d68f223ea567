// A small exchange with int arguments that a test may bend, for tests of everything but the data.
#pragma once

#include <algorithm>
#include <vector>

#include "support/calls.hpp"
#include "support/random.hpp"
#include "support/runner.hpp"

namespace rondo::testing {

/// A communicator with errors returned: as MPI_Comm_split has it, or of all ranks in their order.
inline MPI_Comm new_comm(int color = 0, int key = rank_of(MPI_COMM_WORLD)) {
  MPI_Comm comm = MPI_COMM_NULL;
  must(MPI_Comm_split(MPI_COMM_WORLD, color, key, &comm));
  must(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
  return comm;
}

/// Between the first rank and the others, of which there must be some. It returns errors.
inline MPI_Comm new_inter_comm() {
  const int is_other = rank_of(MPI_COMM_WORLD) == 0 ? 0 : 1;
  MPI_Comm half = new_comm(is_other);
  MPI_Comm inter = MPI_COMM_NULL;
  must(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - is_other, 3, &inter));
  must(MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN));
  must(MPI_Comm_free(&half));
  return inter;
}

/// A communicator that frees itself.
class TestComm : NonCopyable {
 public:
  TestComm() : comm_(new_comm()) {}
  explicit TestComm(MPI_Comm comm) : comm_(comm) {}
  TestComm(Collective collective, const std::string& algorithm, Row& row) : TestComm() {
    set_algorithm(comm_, collective, algorithm, row);
  }
  ~TestComm() { free(); }

  operator MPI_Comm() const { return comm_; }
  void free() {
    if (comm_ != MPI_COMM_NULL) must(MPI_Comm_free(&comm_));
  }

 private:
  MPI_Comm comm_;
};

class Info : NonCopyable {
 public:
  /// MPI_INFO_NULL if `value` is null.
  Info(const char* key, const char* value) {
    if (value == nullptr) return;
    must(MPI_Info_create(&info_));
    set(key, value);
  }
  ~Info() {
    if (info_ != MPI_INFO_NULL) must(MPI_Info_free(&info_));
  }
  operator MPI_Info() const { return info_; }
  void set(const char* key, const char* value) { must(MPI_Info_set(info_, key, value)); }

 private:
  MPI_Info info_ = MPI_INFO_NULL;
};

/// A datatype of ints as MPI_Type_vector has it, not committed.
inline MPI_Datatype new_vector(int count, int length, int stride) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  must(MPI_Type_vector(count, length, stride, MPI_INT, &type));
  return type;
}

/// A datatype that is committed and frees itself.
class Type : NonCopyable {
 public:
  explicit Type(MPI_Datatype type) : type_(type) { must(MPI_Type_commit(&type_)); }
  ~Type() { must(MPI_Type_free(&type_)); }
  operator MPI_Datatype() const { return type_; }

  /// `of` in another extent.
  static Type resized(MPI_Datatype of, std::size_t extent) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    must(MPI_Type_create_resized(of, 0, static_cast<MPI_Aint>(extent), &type));
    return Type(type);
  }

  /// Two ints, one place apart, in an extent of four: they must be packed.
  static Type packed_ints() {
    MPI_Datatype pair = new_vector(2, 1, 2);
    MPI_Datatype type = MPI_DATATYPE_NULL;
    must(MPI_Type_create_resized(pair, 0, 4 * sizeof(int), &type));
    must(MPI_Type_free(&pair));
    return Type(type);
  }

 private:
  MPI_Datatype type_;
};

/// A plan that must be made, and be freed.
class Plan : NonCopyable {
 public:
  /// By `make(&plan)`.
  template <class Make>
  Plan(Make&& make, Row& row) : row_(row) {
    row.expect_success(make(&plan_), "making the plan");
  }
  Plan(Collective collective, const Arguments& send, const Arguments& receive, MPI_Comm comm,
       Row& row, MPI_Info info = MPI_INFO_NULL)
      : Plan(
            [&](Rondo_Plan* plan) {
              return make_plan(collective, send, receive, comm, info, plan);
            },
            row) {}
  ~Plan() { free(); }
  void free() {
    row_.expect_success(Rondo_Plan_free(&plan_), "Rondo_Plan_free");
    row_.expect(plan_ == RONDO_PLAN_NULL, "Rondo_Plan_free left the plan");
  }
  operator Rondo_Plan() const { return plan_; }

 private:
  Row& row_;
  Rondo_Plan plan_ = RONDO_PLAN_NULL;
};

/// `count` ints from everybody to everybody; alltoall sees the first count.
class SmallExchange {
 public:
  SmallExchange(MPI_Comm comm, int count, MPI_Datatype type = MPI_INT)
      : rank_(rank_of(comm)), ranks_(ranks_of(comm)), count_(count) {
    const auto ranks = static_cast<std::size_t>(ranks_);
    const auto total = ranks * static_cast<std::size_t>(count);
    sent.resize(total);
    received.resize(total);
    counts.assign(ranks, count);
    types.assign(ranks, type);
    displacements.resize(ranks);
    byte_displacements.resize(ranks);
    for (int peer = 0; peer < ranks_; ++peer) {
      displacements[static_cast<std::size_t>(peer)] = peer * count;
      byte_displacements[static_cast<std::size_t>(peer)] =
          peer * count * static_cast<int>(sizeof(int));
    }
    fill(0);
  }

  Arguments send(Collective collective) { return side(collective, sent.data()); }
  Arguments receive(Collective collective) { return side(collective, received.data()); }

  void fill(int salt) {
    salt_ = salt;
    for (int peer = 0; peer < ranks_; ++peer)
      for (int i = 0; i < count_; ++i) sent[index(peer, i)] = value(rank_, peer, i);
    std::fill(received.begin(), received.end(), -1);
  }

  bool is_right() const {
    for (int peer = 0; peer < ranks_; ++peer)
      for (int i = 0; i < count_; ++i)
        if (received[index(peer, i)] != value(peer, rank_, i)) return false;
    return true;
  }

  int call(Collective collective, MPI_Comm comm) {
    return exchange(collective, send(collective), receive(collective), comm);
  }
  Plan plan(Collective collective, MPI_Comm comm, Row& row, MPI_Info info = MPI_INFO_NULL) {
    return Plan(collective, send(collective), receive(collective), comm, row, info);
  }
  /// An execution of such a plan, checked.
  void execute(Rondo_Plan plan, Row& row, int salt = 0) {
    fill(salt);
    row.expect_success(testing::execute(plan, sent.data(), received.data()), "Rondo_Execute");
    row.expect(is_right(), "a plan moved wrong data");
  }

  /// A whole exchange, checked.
  void run(Collective collective, MPI_Comm comm, Row& row, int salt = 0) {
    fill(salt);
    row.expect_success(call(collective, comm), name_of(collective));
    row.expect(is_right(), name_of(collective), " moved wrong data");
  }

  std::vector<int> sent;
  std::vector<int> received;
  std::vector<int> counts;
  std::vector<int> displacements;
  std::vector<int> byte_displacements;
  std::vector<MPI_Datatype> types;

 private:
  Arguments side(Collective collective, void* buffer) {
    const auto& displs = collective == Collective::alltoallw ? byte_displacements : displacements;
    return {buffer, counts.data(), displs.data(), types.data()};
  }
  std::size_t index(int peer, int i) const {
    return static_cast<std::size_t>(peer) * static_cast<std::size_t>(count_) +
           static_cast<std::size_t>(i);
  }
  int value(int source, int destination, int i) const {
    return static_cast<int>(hash(salt_, source, destination, i) >> 33U);
  }

  int rank_;
  int ranks_;
  int count_;
  int salt_ = 0;
};

}  // namespace rondo::testing
