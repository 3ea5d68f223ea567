#include "exchange/request.hpp"

#include <optional>
#include <utility>

#include "communicator/attributes.hpp"
#include "exchange/guard.hpp"
#include "mpi/error.hpp"
#include "mpi/transport.hpp"

namespace rondo::exchange {

using communicator::State;

namespace {

[[noreturn]] void throw_given_up() {
  throw Error(ErrorClass::other,
              "the exchange was still outstanding in MPI_Finalize, so it was given up; complete "
              "every request before");
}

class StartedRequest final : public Rondo_Request_s {
 public:
  explicit StartedRequest(std::shared_ptr<State> state)
      : state_(std::move(state)), comm_(mpi::comm_of(state_->own().context().transport())) {}

  void attach(Begun begun) { begun_ = std::move(begun); }

  bool test() override {
    if (has_ended()) return true;
    transport::advance_outstanding();
    if (has_ended()) return true;
    mpi::let_mpi_progress(comm_);
    return false;
  }

  void wait() override { begun_.started->complete(); }

  void hand_over() override {
    if (begun_.hand_over && begun_.started->is_over()) failure_ = failure_of(begun_.hand_over);
  }

  int finish() override {
    if (!begun_.started->is_over()) throw_given_up();
    begun_.started->rethrow();
    if (failure_) throw Error(*failure_);
    return MPI_SUCCESS;
  }

  MPI_Comm error_comm() const override { return state_->error_comm(); }

 private:
  bool has_ended() const { return begun_.started->is_settled(); }

  std::shared_ptr<State> state_;
  Begun begun_;
  std::optional<Error> failure_;  ///< of handing over
  MPI_Comm comm_;
};

class ForwardedRequest final : public Rondo_Request_s {
 public:
  ForwardedRequest(MPI_Request request, MPI_Comm comm, std::shared_ptr<const void> kept)
      : kept_(std::move(kept)), request_(request), comm_(comm), is_of_session_(is_finalized()) {
    if (errors_are_returned() && !is_of_session_) comm_exists_ = communicator::existence_of(comm);
  }

  /// MPI_Test must not be called again once it has failed: of a null request it would say that all is well.
  bool test() override {
    if (has_ended_ || is_given_up()) return true;
    if (transport::has_outstanding()) transport::advance_outstanding();
    int is_over = 0;
    code_ = with_errors_returned([&] { return PMPI_Test(&request_, &is_over, MPI_STATUS_IGNORE); });
    has_ended_ = is_over != 0 || code_ != MPI_SUCCESS;
    return has_ended_;
  }

  void wait() override {
    while (transport::has_outstanding() && !test()) transport::yield_core();
    if (has_ended_ || is_given_up()) return;
    code_ = with_errors_returned([&] { return PMPI_Wait(&request_, MPI_STATUS_IGNORE); });
    has_ended_ = true;
  }

  int finish() override {
    if (!has_ended_) throw_given_up();
    return remember_forwarded(code_);
  }

  MPI_Comm error_comm() const override { return comm_; }

 private:
  bool is_given_up() const { return !is_of_session_ && is_finalized(); }

  /// MPI raises the error of a request on its communicator, whose handler may end the program. Open MPI raises
  /// that of its nonblocking collectives on MPI_COMM_WORLD, which sessions alone do not have.
  template <class Body>
  int with_errors_returned(Body&& body) const {
    if (!errors_are_returned() || !comm_exists_ || !*comm_exists_) return body();
    const mpi::ErrorsReturned returned(comm_);
#ifdef OPEN_MPI
    int has_world = 0;
    std::optional<mpi::ErrorsReturned> returned_in_world;
    if (PMPI_Initialized(&has_world) == MPI_SUCCESS && has_world != 0)
      returned_in_world.emplace(MPI_COMM_WORLD);
#endif
    return body();
  }

  std::shared_ptr<const std::atomic<bool>> comm_exists_;  ///< if errors were returned at the start
  std::shared_ptr<const void> kept_;
  MPI_Request request_;
  MPI_Comm comm_;
  bool is_of_session_;  ///< which outlives MPI_Finalize, since it was started after it
  int code_ = MPI_SUCCESS;
  bool has_ended_ = false;
};

}  // namespace

bool is_finalized() {
  int is_finalized = 0;
  return PMPI_Finalized(&is_finalized) != MPI_SUCCESS || is_finalized != 0;
}

State* ready_state(MPI_Comm comm) {
  State* state = communicator::recent_state(comm);
  if (state == nullptr && !communicator::is_inter(comm)) state = communicator::find_state(comm);
  return state == nullptr || state->must_forward() || !state->own().has_context() ? nullptr : state;
}

Rondo_Request start_with_request(const std::shared_ptr<State>& state,
                                 const std::function<Begun()>& start) {
  auto request = std::make_unique<StartedRequest>(state);
  try {
    request->attach(start());
  } catch (...) {
    state->begin_no_more();
    throw;
  }
  return request.release();
}

Rondo_Request forwarded_request(MPI_Request request, MPI_Comm comm,
                                std::shared_ptr<const void> kept) {
  return new ForwardedRequest(request, comm, std::move(kept));
}

void require_request(const Rondo_Request* request) {
  if (request == nullptr) throw Error(ErrorClass::argument, "request is a null pointer");
}

void clear_request(Rondo_Request* request) {
  require_request(request);
  *request = RONDO_REQUEST_NULL;
}

}  // namespace rondo::exchange
