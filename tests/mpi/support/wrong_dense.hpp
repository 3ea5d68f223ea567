// Exchanges between all ranks that can be made wrong.
#pragma once

#include "support/small.hpp"
#include "support/wrong.hpp"

namespace rondo::testing {

/// Ints in a block: in a cell, or in a slot. With a threshold of 64 bytes the latter goes from rank to
/// rank.
inline constexpr int kWrongCounts[] = {3, 40};

class DenseSubject final : public Subject {
 public:
  DenseSubject(Collective collective, bool is_in_place, int count, MPI_Comm comm,
               MPI_Datatype type = MPI_INT)
      : collective_(collective),
        is_in_place_(is_in_place),
        count_(count),
        comm_(comm),
        small_(comm, count, type) {}

  SmallExchange& small() { return small_; }

  Lengths lengths() const override { return {small_.counts.size(), small_.counts.size()}; }

  AnyArguments arguments(int salt) override {
    small_.fill(salt);
    if (is_in_place_) small_.received = small_.sent;
    return {.send = is_in_place_ ? in_place() : small_.send(collective_),
            .receive = small_.receive(collective_)};
  }

  int call(const AnyArguments& arguments) override {
    return exchange(collective_, arguments.send, arguments.receive, comm_);
  }
  int make_plan(const AnyArguments& arguments, Rondo_Plan* plan) override {
    return testing::make_plan(collective_, arguments.send, arguments.receive, comm_, MPI_INFO_NULL,
                              plan);
  }

  bool is_right() const override { return small_.is_right(); }

  /// Of blocks as long as those of this one, and of others.
  void run_next(int salt, Row& row) override {
    for (const int count :
         {count_, count_ == kWrongCounts[0] ? kWrongCounts[1] : kWrongCounts[0]}) {
      DenseSubject next(collective_, is_in_place_, count, comm_);
      row.expect_success(next.call(next.arguments(salt)), "the next exchange");
      row.expect(next.is_right(), "the next exchange moved wrong data");
    }
  }

 private:
  Collective collective_;
  bool is_in_place_;
  int count_;
  MPI_Comm comm_;
  SmallExchange small_;
};

}  // namespace rondo::testing
