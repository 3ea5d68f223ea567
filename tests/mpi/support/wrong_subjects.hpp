// Exchanges between neighbours, and dynamic ones, that can be made wrong.
#pragma once

#include "support/dynamic.hpp"
#include "support/neighbor.hpp"
#include "support/wrong.hpp"

namespace rondo::testing {

class NeighborSubject final : public Subject {
 public:
  NeighborSubject(Collective form, MPI_Comm comm)
      : form_(form),
        comm_(comm),
        all_(comm),
        load_{.form = form, .longest = 1500, .is_even = true, .seed = 21},
        exchange_(comm, all_, load_) {}

  const TopologyOfAll& topology() const { return all_; }
  Lengths lengths() const override {
    return {exchange_.send.counts.size(), exchange_.receive.counts.size()};
  }

  AnyArguments arguments(int salt) override {
    exchange_.fill(salt);
    return {.send = pointers(exchange_.send), .receive = pointers(exchange_.receive)};
  }

  int call(const AnyArguments& arguments) override {
    return call_neighbor(form_, bent(exchange_.send, arguments.send),
                         bent(exchange_.receive, arguments.receive), comm_);
  }
  int make_plan(const AnyArguments& arguments, Rondo_Plan* plan) override {
    return plan_neighbor(form_, bent(exchange_.send, arguments.send),
                         bent(exchange_.receive, arguments.receive), comm_, MPI_INFO_NULL, plan);
  }

  bool is_right() const override { return exchange_.is_right(); }

  void run_next(int salt, Row& row) override {
    for (const int more : {0, 1, 2}) NeighborExchange(comm_, all_, load_).run(row, salt + more);
  }

 private:
  static Arguments pointers(const NeighborArguments& side) {
    return {side.buffer, side.counts.data(), side.displacements.data(), side.types.data()};
  }
  static NeighborArguments bent(NeighborArguments side, const Arguments& arguments) {
    const auto edges = side.counts.size();
    side.buffer = arguments.buffer;
    side.counts.assign(arguments.counts, arguments.counts + edges);
    side.types.assign(arguments.types, arguments.types + edges);
    return side;
  }

  Collective form_;
  MPI_Comm comm_;
  TopologyOfAll all_;
  NeighborLoad load_;
  NeighborExchange exchange_;
};

class DynamicSubject final : public Subject {
 public:
  /// `is_started`: a dense exchange is started, and completed at once.
  DynamicSubject(Kind kind, MPI_Comm comm, bool is_started)
      : kind_(kind),
        comm_(comm),
        is_started_(is_started),
        exchange_(kind, comm, named_traffic("one pair to everybody"), 5) {}

  Lengths lengths() const override {
    const auto ranks = static_cast<std::size_t>(ranks_of(comm_));
    return {ranks, ranks};
  }
  AnyArguments arguments(int) override { return exchange_.arguments(); }
  int call(const AnyArguments& arguments) override {
    sources_ = arguments.sources;
    if (!is_started_) return call_dynamic(kind_, arguments, comm_);
    Rondo_Request request = RONDO_REQUEST_NULL;
    const int code = call_dynamic(kind_, arguments, comm_, &request);
    return code == MPI_SUCCESS ? Rondo_Wait(&request) : code;
  }
  int make_plan(const AnyArguments& arguments, Rondo_Plan* plan) override {
    sources_ = arguments.sources;
    return plan_sparse(arguments, comm_, MPI_INFO_NULL, plan);
  }
  bool is_right() const override { return true; }

  void run_next(int, Row& row) override {
    if (sources_ != nullptr) row.expect(sources_->count == 0, "there are sources after an error");
    int spare = 0;
    row.expect_error(Rondo_Alltoallv_dynamic_take(&spare, 1, MPI_INT, comm_), MPI_ERR_ARG,
                     "no data of a dynamic exchange");
    DynamicExchange(kind_, comm_, named_traffic("one pair to everybody"), 6).run(Place::exact, row);
  }

 private:
  Kind kind_;
  MPI_Comm comm_;
  bool is_started_;
  DynamicExchange exchange_;
  const Rondo_Sources* sources_ = nullptr;
};

}  // namespace rondo::testing
