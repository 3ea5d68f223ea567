// Plans of neighbourhood exchanges: Rondo_Neighbor_alltoall_plan and the others.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/neighbor_state.hpp"
#include "api/plan.hpp"
#include "api/request.hpp"
#include "communicator/agree.hpp"
#include "communicator/announcement.hpp"
#include "communicator/trial.hpp"

namespace rondo::api {

using namespace buffers;       // NOLINT: the entries use both
using namespace communicator;  // NOLINT

namespace {

template <class Arguments>
class NeighborPlan final : public PlanOf<Arguments, kNeighborForm> {
  using Base = PlanOf<Arguments, kNeighborForm>;
  using Base::arguments_, Base::chosen_, Base::copies_, Base::is_forwarded, Base::state_;
  using typename Base::Given;

 public:
  /// Collective. `failure` is what this rank has already found wrong.
  NeighborPlan(const Arguments& arguments, MPI_Info info, std::optional<Error> failure)
      : Base(arguments) {
    state_ = state_with_topology(arguments.comm);
    const Topology& topology = neighbourhood().topology();
    state_->prepare();
    if (state_->has_failed()) {
      if (failure) throw Error(*failure);
      copy_arguments(topology);
      return;
    }
    exchange::Context& context = state_->begin_exchange();
    neighbourhood().prepare(*state_);
    const Hints hints = agree_on_hints(context.comm, info);
    const bool measures = requests_measuring(hints);
    const RequestOrAuto request = this->request_of(hints);
    if (!failure)
      failure = failure_of([&] {
        copy_arguments(topology);
        binding_.bind(arguments_, topology.to.ranks, topology.from.ranks);
        neighbourhood().blocks().check_own(binding_.binding());
      });
    agree_on_edges(context, neighbourhood().blocks(), std::move(failure), binding_.binding());
    pattern_.emplace(neighbourhood().pattern_for(context, binding_.binding()));
    chosen_.choice = request ? usable_on_edges(context, choice::resolve(*request, context.layout()))
                             : neighbourhood().decide(*state_, *pattern_, &binding_.binding());
    prepare_start(context, *pattern_, chosen_.choice);
    if (measures && !request && state_->packs_raw())
      this->trial_ =
          Trial::make(*state_, chosen_.choice, agree_on_longest(context, binding_.binding()));
  }

  void execute(const void* send_buffer, void* receive_buffer) override {
    const Given buffers{send_buffer, receive_buffer};
    if (state_->is_closed() || state_->has_failed()) return this->forward(buffers, {});
    if (!this->trial_ && leaves_to_library(chosen_.choice)) {
      check_in_place(buffers);
      return this->forward(buffers, {});
    }
    this->begin();
    auto failure = failure_of([&] { check(buffers); });
    this->run(failure, [&](Candidate& candidate, std::optional<Error>& own) {
      if (leaves_to_library(candidate.choice)) return this->forward(buffers, own);
      candidate.choice = instead_of_library(candidate.choice);
      execute_in(state_->context(), neighbourhood().blocks(), candidate, buffers, own);
    });
  }

  MPI_Comm error_comm() const override { return state_->error_comm(); }

  Rondo_Request start(const void* send_buffer, void* receive_buffer) override {
    const Given buffers{send_buffer, receive_buffer};
    const bool is_unusable = state_->is_closed() || state_->has_failed() || !state_->packs_raw();
    if (is_unusable || leaves_to_library(chosen_.choice)) return this->start_forwarded(buffers, {});
    auto failure = failure_of([&] { check(buffers); });
    return started_.start(state_, [&](Channel& channel, Candidate& candidate) {
      EdgeRoom& room = neighbourhood().room(state_->number_of(channel));
      return [this, &channel, &room, &candidate, choice = instead_of_library(chosen_.choice),
              buffers, failure]() mutable {
        candidate.change_to(usable_on_edges(channel.context(), choice));
        execute_in(channel.context(), room.peers, candidate, buffers, failure);
      };
    });
  }

 private:
  Neighbourhood& neighbourhood() const { return *state_->neighbourhood; }

  void copy_arguments(const Topology& topology) {
    arguments_.copy_send(*copies_, topology.to.count());
    arguments_.copy_receive(*copies_, topology.from.count());
  }

  static void check_in_place(const Given& buffers) {
    if (buffers.send == MPI_IN_PLACE || buffers.receive == MPI_IN_PLACE)
      throw Error(ErrorClass::buffer,
                  "a buffer is MPI_IN_PLACE; a neighbourhood exchange is not in place");
  }

  void check(const Given& buffers) const {
    check_in_place(buffers);
    binding_.binding().check_buffers(buffers.send, buffers.receive);
  }

  /// Only the user's communicator has the topology. Once it is freed, Rondo carries out an exchange that
  /// was the MPI library's.
  bool leaves_to_library(const choice::Choice& choice) const {
    return is_forwarded(choice) && state_->user_comm() != MPI_COMM_NULL;
  }
  choice::Choice instead_of_library(const choice::Choice& choice) const {
    return is_forwarded(choice)
               ? state_->context().defaults(collective_of(kNeighborForm), "spread_out")
               : choice;
  }

  void set_forwarded(const Given& buffers) override {
    arguments_.comm = state_->user_comm();
    if (arguments_.comm == MPI_COMM_NULL)
      throw Error(
          ErrorClass::other,
          "the plan's communicator, to whose topology its exchange is forwarded, was freed");
    arguments_.send_buffer = buffers.send;
    arguments_.receive_buffer = buffers.receive;
  }

  void execute_in(exchange::Context& context, PeerBlocks& peers, Candidate& candidate,
                  const Given& buffers, std::optional<Error>& failure) {
    execute_on_edges({.state = *state_,
                      .context = context,
                      .peers = peers,
                      .pattern = *pattern_,
                      .choice = candidate.choice,
                      .binding = binding_.binding(),
                      .send_buffer = buffers.send,
                      .receive_buffer = buffers.receive,
                      .failure = failure,
                      .learned = &candidate.learned});
  }

  EdgeBinding binding_;
  std::optional<exchange::Pattern> pattern_;  ///< with the bytes of this plan
  StartedExecutions started_;  ///< last, since they use what is above until they are over
};

template <class Arguments>
int make_neighbor_plan(const Arguments& arguments, MPI_Info info, Rondo_Plan* plan) {
  return make_plan_of<NeighborPlan<Arguments>>(arguments, info, plan);
}

}  // namespace

}  // namespace rondo::api

using namespace rondo::api;  // NOLINT: the C interface is outside the namespace

extern "C" {

int Rondo_Neighbor_alltoall_plan(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                 void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                                 MPI_Info info, Rondo_Plan* plan) {
  return make_neighbor_plan(
      NeighborAlltoall{{sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm}}, info,
      plan);
}

int Rondo_Neighbor_alltoallv_plan(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                  MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                                  const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                                  MPI_Info info, Rondo_Plan* plan) {
  return make_neighbor_plan(NeighborAlltoallv{{sendbuf, sendcounts, sdispls, sendtype, recvbuf,
                                               recvcounts, rdispls, recvtype, comm}},
                            info, plan);
}

int Rondo_Neighbor_alltoallw_plan(const void* sendbuf, const int sendcounts[],
                                  const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                  void* recvbuf, const int recvcounts[], const MPI_Aint rdispls[],
                                  const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
                                  Rondo_Plan* plan) {
  return make_neighbor_plan(NeighborAlltoallw{{sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                                               recvcounts, rdispls, recvtypes, comm}},
                            info, plan);
}

#if MPI_VERSION >= 4
int Rondo_Neighbor_alltoall_plan_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                   void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                   MPI_Comm comm, MPI_Info info, Rondo_Plan* plan) {
  return make_neighbor_plan(
      LargeNeighborAlltoall{{sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm}},
      info, plan);
}

int Rondo_Neighbor_alltoallv_plan_c(const void* sendbuf, const MPI_Count sendcounts[],
                                    const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf,
                                    const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                                    MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                    Rondo_Plan* plan) {
  return make_neighbor_plan(LargeNeighborAlltoallv{{sendbuf, sendcounts, sdispls, sendtype, recvbuf,
                                                    recvcounts, rdispls, recvtype, comm}},
                            info, plan);
}

int Rondo_Neighbor_alltoallw_plan_c(const void* sendbuf, const MPI_Count sendcounts[],
                                    const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                    void* recvbuf, const MPI_Count recvcounts[],
                                    const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                    MPI_Comm comm, MPI_Info info, Rondo_Plan* plan) {
  return make_neighbor_plan(LargeNeighborAlltoallw{{sendbuf, sendcounts, sdispls, sendtypes,
                                                    recvbuf, recvcounts, rdispls, recvtypes, comm}},
                            info, plan);
}
#endif

}  // extern "C"
