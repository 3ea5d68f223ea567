// Plans: Rondo_Alltoall_plan and the other two, Rondo_Execute, Rondo_Start,
// Rondo_Plan_get_algorithm, Rondo_Plan_free.

#include <memory>
#include <string>
#include <vector>

#include "api/plan.hpp"
#include "api/request.hpp"
#include "buffers/arguments.hpp"
#include "communicator/agree.hpp"
#include "communicator/announcement.hpp"
#include "communicator/attributes.hpp"
#include "communicator/execute.hpp"
#include "communicator/trial.hpp"

namespace rondo::api {

using namespace buffers;       // NOLINT: the entries use both
using namespace communicator;  // NOLINT

namespace {

template <class Arguments>
class Plan final : public PlanOf<Arguments, Arguments::kForm> {
  using Base = PlanOf<Arguments, Arguments::kForm>;
  using Base::arguments_, Base::chosen_, Base::copies_, Base::is_forwarded, Base::state_;
  using typename Base::Given;

 public:
  /// Collective. `failure` is what this rank has already found wrong.
  Plan(const Arguments& arguments, MPI_Info info, std::optional<Error> failure)
      : Base(arguments), is_in_place_(arguments.send_buffer == MPI_IN_PLACE) {
    if (is_inter(arguments.comm)) {
      if (failure) throw Error(*failure);
      copy_arguments(remote_size(arguments.comm));
      return;
    }
    state_ = state_of(arguments.comm);
    state_->prepare();
    if (state_->has_failed()) {
      if (failure) throw Error(*failure);
      copy_arguments(state_->ranks());
      return;
    }
    exchange::Context& context = state_->begin_exchange();
    const Hints hints = agree_on_hints(context.comm, info);
    const bool measures = requests_measuring(hints);
    const RequestOrAuto request = this->request_of(hints);
    if (!failure)
      failure = failure_of([&] {
        copy_arguments(context.ranks);
        bind(binding_, arguments_, context.ranks);
        binding_.check_own(context.rank);
      });
    agree_on_lengths(context, std::move(failure), binding_);
    longest_ = agree_on_longest(context, binding_);
    chosen_.choice = request ? state_->usable(choice::resolve(*request, context.layout()), longest_)
                             : state_->choose(Arguments::kForm, longest_);
    if (measures && !request && state_->packs_raw())
      this->trial_ = Trial::make(*state_, chosen_.choice, longest_);
  }

  void execute(const void* send_buffer, void* receive_buffer) override {
    const Given buffers{send_buffer, receive_buffer};
    if (state_ && (state_->is_closed() || state_->has_failed()))
      return this->forward(buffers, failure_of([&] { check_in_place(send_buffer); }));
    if (state_) this->begin();
    auto failure = check(buffers, this->trial_ != nullptr);
    this->run(failure, [&](Candidate& candidate, std::optional<Error>& own) {
      if (is_forwarded(candidate.choice)) return this->forward(buffers, own);
      execute_in(state_->context(), candidate, buffers, own);
    });
  }

  Rondo_Request start(const void* send_buffer, void* receive_buffer) override {
    const Given buffers{send_buffer, receive_buffer};
    auto failure = check(buffers, false);
    if (!state_ || state_->is_closed() || is_forwarded(chosen_.choice))
      return this->start_forwarded(buffers, failure);
    return started_.start(state_, [&](Channel& channel, Candidate& candidate) {
      return [this, &channel, &candidate, chosen = chosen_.choice, buffers, failure]() mutable {
        candidate.change_to(channel.instead_of_library(channel.usable(chosen, longest_)));
        execute_in(channel.context(), candidate, buffers, failure);
      };
    });
  }

  MPI_Comm error_comm() const override { return state_ ? state_->error_comm() : arguments_.comm; }

 private:
  void execute_in(exchange::Context& context, Candidate& candidate, const Given& buffers,
                  std::optional<Error>& failure) {
    api::execute({.state = *state_,
                  .context = context,
                  .form = Arguments::kForm,
                  .choice = candidate.choice,
                  .binding = binding_,
                  .send_buffer = buffers.send,
                  .receive_buffer = buffers.receive,
                  .failure = failure,
                  .learned = &candidate.learned});
  }

  static int remote_size(MPI_Comm comm) {
    int ranks = 0;
    exchange::check(PMPI_Comm_remote_size(comm, &ranks), "MPI_Comm_remote_size");
    return ranks;
  }

  void copy_arguments(int ranks) {
    if (!is_in_place_) arguments_.copy_send(*copies_, ranks);
    arguments_.copy_receive(*copies_, ranks);
  }

  /// The MPI library checks the buffers of what it carries out itself.
  std::optional<Error> check(const Given& buffers, bool measures) const {
    return failure_of([&] {
      check_in_place(buffers.send);
      if (measures || !is_forwarded(chosen_.choice))
        binding_.check_buffers(buffers.send, buffers.receive);
    });
  }

  void check_in_place(const void* send_buffer) const {
    if ((send_buffer == MPI_IN_PLACE) == is_in_place_) return;
    throw Error(ErrorClass::buffer,
                is_in_place_ ? "sendbuf must be MPI_IN_PLACE, because the plan was made with it"
                             : "sendbuf is MPI_IN_PLACE, but the plan was made without it");
  }

  /// Whether both buffers are null and all blocks empty. MPICH 4.0 rejects two equal buffers, null
  /// too.
  bool is_empty(const Given& buffers) const {
    return state_ && !state_->has_failed() && buffers.send == nullptr &&
           buffers.receive == nullptr && binding_.sending().total_bytes() == 0 &&
           binding_.receive.total_bytes() == 0;
  }

  void set_forwarded(const Given& buffers) override {
    if (state_) arguments_.comm = state_->forwarding_comm();
    arguments_.send_buffer = buffers.send;
    arguments_.receive_buffer = is_empty(buffers) ? this : buffers.receive;
  }

  bool is_in_place_ = false;
  Binding binding_;
  std::size_t longest_ = 0;    ///< S
  StartedExecutions started_;  ///< last, since they use what is above until they are over
};

template <class Arguments>
int make_plan(const Arguments& arguments, MPI_Info info, Rondo_Plan* plan) {
  return make_plan_of<Plan<Arguments>>(arguments, info, plan);
}

/// Runs `body` for an existing plan and raises its errors on the plan's communicator.
template <class Body>
int with_plan(Rondo_Plan plan, Body&& body) {
  return guarded_on([&] { return plan == nullptr ? MPI_COMM_SELF : plan->error_comm(); },
                    [&] {
                      if (plan == nullptr)
                        throw Error(ErrorClass::argument, "plan is RONDO_PLAN_NULL");
                      body();
                    });
}

}  // namespace

}  // namespace rondo::api

using namespace rondo::api;  // NOLINT: the C interface is outside the namespace

extern "C" {

int Rondo_Alltoall_plan(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                        int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                        Rondo_Plan* plan) {
  return make_plan(Alltoall{sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm}, info,
                   plan);
}

int Rondo_Alltoallv_plan(const void* sendbuf, const int sendcounts[], const int sdispls[],
                         MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                         const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                         Rondo_Plan* plan) {
  return make_plan(Alltoallv{sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                             recvtype, comm},
                   info, plan);
}

int Rondo_Alltoallw_plan(const void* sendbuf, const int sendcounts[], const int sdispls[],
                         const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                         const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                         MPI_Info info, Rondo_Plan* plan) {
  return make_plan(Alltoallw{sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                             recvtypes, comm},
                   info, plan);
}

#if MPI_VERSION >= 4
int Rondo_Alltoall_plan_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                          void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                          MPI_Info info, Rondo_Plan* plan) {
  return make_plan(LargeAlltoall{sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm},
                   info, plan);
}

int Rondo_Alltoallv_plan_c(const void* sendbuf, const MPI_Count sendcounts[],
                           const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf,
                           const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                           MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, Rondo_Plan* plan) {
  return make_plan(LargeAlltoallv{sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts,
                                  rdispls, recvtype, comm},
                   info, plan);
}

int Rondo_Alltoallw_plan_c(const void* sendbuf, const MPI_Count sendcounts[],
                           const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
                           const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                           const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
                           Rondo_Plan* plan) {
  return make_plan(LargeAlltoallw{sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
                                  rdispls, recvtypes, comm},
                   info, plan);
}
#endif

int Rondo_Execute(Rondo_Plan plan, const void* sendbuf, void* recvbuf) {
  return with_plan(plan, [&] { plan->execute(sendbuf, recvbuf); });
}

int Rondo_Start(Rondo_Plan plan, const void* sendbuf, void* recvbuf, Rondo_Request* request) {
  return with_plan(plan, [&] {
    clear_request(request);
    if (rondo::exchange::has_outstanding()) rondo::exchange::advance_outstanding();
    *request = plan->start(sendbuf, recvbuf);
  });
}

int Rondo_Plan_get_algorithm(Rondo_Plan plan, char* text, int length) {
  return with_plan(
      plan, [&] { write_text(plan->algorithm(), "Rondo_Plan_get_algorithm", text, length); });
}

int Rondo_Plan_free(Rondo_Plan* plan) {
  return guarded(MPI_COMM_SELF, [&] {
    if (plan == nullptr) throw rondo::Error(rondo::ErrorClass::argument, "plan is a null pointer");
    delete *plan;
    *plan = RONDO_PLAN_NULL;
  });
}

}  // extern "C"
