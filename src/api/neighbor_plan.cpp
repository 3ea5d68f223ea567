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
class NeighborPlan final : public Rondo_Plan_s {
 public:
  /// Collective. `failure` is what this rank has already found wrong.
  NeighborPlan(const Arguments& arguments, MPI_Info info, std::optional<Error> failure)
      : arguments_(arguments), state_(state_with_topology(arguments.comm)) {
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
    const RequestOrAuto request = request_of(hints);
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
      trial_ = Trial::make(*state_, chosen_.choice, agree_on_longest(context, binding_.binding()));
  }

  void execute(const void* send_buffer, void* receive_buffer) override {
    if (state_->is_closed() || state_->has_failed())
      return forward(send_buffer, receive_buffer, {});
    if (!trial_ && is_forwarded(chosen_.choice) && state_->user_comm() != MPI_COMM_NULL) {
      check_in_place(send_buffer, receive_buffer);
      return forward(send_buffer, receive_buffer, {});
    }
    state_->begin_exchange();
    if (trial_ && trial_->is_over()) {
      chosen_ = trial_->settle();
      trial_.reset();
    }
    auto failure = failure_of([&] { check(send_buffer, receive_buffer); });
    if (!trial_) return exchange_by(chosen_, send_buffer, receive_buffer, failure);
    trial_->run(failure, [&](Candidate& candidate) {
      std::optional<Error> later;
      exchange_by(candidate, send_buffer, receive_buffer, later);
    });
  }

  MPI_Comm error_comm() const override { return state_->error_comm(); }

  Rondo_Request start(const void* send_buffer, void* receive_buffer) override {
    const bool is_library = is_forwarded(chosen_.choice);
    const bool is_unusable = state_->is_closed() || state_->has_failed() || !state_->packs_raw();
    if (is_unusable || (is_library && state_->user_comm() != MPI_COMM_NULL))
      return start_forwarded(send_buffer, receive_buffer, {});
    auto failure = failure_of([&] { check(send_buffer, receive_buffer); });
    const choice::Choice choice =
        is_library ? state_->context().defaults(collective_of(kNeighborForm), "spread_out")
                   : chosen_.choice;
    return started_.start(state_, [&](Channel& channel, Candidate& candidate) {
      EdgeRoom& room = neighbourhood().room(state_->number_of(channel));
      return [this, &channel, &room, &candidate, choice, send_buffer, receive_buffer,
              failure]() mutable {
        candidate.change_to(usable_on_edges(channel.context(), choice));
        execute_in(channel.context(), room.peers, candidate, {send_buffer, receive_buffer},
                   failure);
      };
    });
  }

  std::string algorithm() const override {
    if (trial_) return trial_->text();
    return is_forwarded(chosen_.choice) ? "mpi" : chosen_.choice.text();
  }

 private:
  Neighbourhood& neighbourhood() const { return *state_->neighbourhood; }

  void copy_arguments(const Topology& topology) {
    arguments_.copy_send(*copies_, topology.to.count());
    arguments_.copy_receive(*copies_, topology.from.count());
  }

  RequestOrAuto request_of(const Hints& hints) const {
    const auto& hint = hints.algorithms[static_cast<std::size_t>(kNeighborForm)];
    return hint ? parse_request(kNeighborForm, hint->c_str()) : state_->request(kNeighborForm);
  }

  static void check_in_place(const void* send_buffer, const void* receive_buffer) {
    if (send_buffer == MPI_IN_PLACE || receive_buffer == MPI_IN_PLACE)
      throw Error(ErrorClass::buffer,
                  "a buffer is MPI_IN_PLACE; a neighbourhood exchange is not in place");
  }

  void check(const void* send_buffer, const void* receive_buffer) const {
    check_in_place(send_buffer, receive_buffer);
    binding_.binding().check_buffers(send_buffer, receive_buffer);
  }

  /// Whether the exchange is forwarded to the MPI library.
  bool is_forwarded(const choice::Choice& choice) const {
    return state_->has_failed() || !state_->packs_raw() ||
           choice.algorithm->shape == registry::Shape::library;
  }

  /// Only the user's communicator has the topology. Once it is freed, Rondo carries out an exchange that
  /// was the MPI library's.
  void exchange_by(Candidate& candidate, const void* send_buffer, void* receive_buffer,
                   std::optional<Error>& failure) {
    const bool is_library = is_forwarded(candidate.choice);
    if (is_library && state_->user_comm() != MPI_COMM_NULL)
      return forward(send_buffer, receive_buffer, failure);
    if (is_library)
      candidate.choice = state_->context().defaults(collective_of(kNeighborForm), "spread_out");
    execute_in(state_->context(), neighbourhood().blocks(), candidate,
               {send_buffer, receive_buffer}, failure);
  }

  void forward(const void* send_buffer, void* receive_buffer, const std::optional<Error>& failure) {
    set_forwarded(send_buffer, receive_buffer, failure);
    exchange::check(api::forward(arguments_), "MPI_Neighbor_alltoall*");
  }

  Rondo_Request start_forwarded(const void* send_buffer, void* receive_buffer,
                                const std::optional<Error>& failure) {
    set_forwarded(send_buffer, receive_buffer, failure);
    MPI_Request request = MPI_REQUEST_NULL;
    exchange::check(api::forward_start(arguments_, &request), "MPI_Ineighbor_alltoall*");
    return forwarded_request(request, arguments_.comm, copies_);
  }

  void set_forwarded(const void* send_buffer, void* receive_buffer,
                     const std::optional<Error>& failure) {
    if (failure) throw Error(*failure);
    arguments_.comm = state_->user_comm();
    if (arguments_.comm == MPI_COMM_NULL)
      throw Error(
          ErrorClass::other,
          "the plan's communicator, to whose topology its exchange is forwarded, was freed");
    arguments_.send_buffer = send_buffer;
    arguments_.receive_buffer = receive_buffer;
  }

  struct BuffersGiven {
    const void* send;
    void* receive;
  };

  void execute_in(exchange::Context& context, PeerBlocks& peers, Candidate& candidate,
                  const BuffersGiven& buffers, std::optional<Error>& failure) {
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

  Arguments arguments_;
  /// Shared with executions that the MPI library carries out.
  std::shared_ptr<ArgumentCopies> copies_ = std::make_shared<ArgumentCopies>();
  std::shared_ptr<State> state_;
  EdgeBinding binding_;
  std::optional<exchange::Pattern> pattern_;  ///< with the bytes of this plan
  Candidate chosen_;
  std::unique_ptr<Trial> trial_;  ///< set while the plan measures
  StartedExecutions started_;     ///< last, since they use what is above until they are over
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
