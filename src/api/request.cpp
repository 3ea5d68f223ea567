// Rondo_Test, Rondo_Wait, Rondo_Testall, Rondo_Waitall.

#include "api/request.hpp"

#include <optional>
#include <utility>

#include "api/entry.hpp"
#include "communicator/attributes.hpp"
#include "exchange/mpi_error.hpp"

namespace rondo::api {

using communicator::State;
using exchange::Started;

namespace {

bool is_finalized() {
  int is_finalized = 0;
  return PMPI_Finalized(&is_finalized) != MPI_SUCCESS || is_finalized != 0;
}

[[noreturn]] void throw_given_up() {
  throw Error(ErrorClass::other,
              "the exchange was still outstanding in MPI_Finalize, so it was given up; complete "
              "every Rondo_Request before");
}

class StartedRequest final : public Rondo_Request_s {
 public:
  explicit StartedRequest(std::shared_ptr<State> state)
      : state_(std::move(state)), comm_(state_->own().context().comm) {}

  void stand_for(std::shared_ptr<Started> started) { started_ = std::move(started); }

  bool test() override {
    if (has_ended()) return true;
    exchange::advance_outstanding();
    if (has_ended()) return true;
    exchange::let_mpi_progress(comm_);
    return false;
  }

  void wait() override { started_->complete(); }

  int finish() override {
    if (!started_->is_over()) throw_given_up();
    started_->rethrow();
    return MPI_SUCCESS;
  }

  MPI_Comm error_comm() const override { return state_->error_comm(); }

 private:
  bool has_ended() const { return started_->is_over() || started_->is_given_up(); }

  std::shared_ptr<State> state_;
  std::shared_ptr<Started> started_;
  MPI_Comm comm_;
};

class ForwardedRequest final : public Rondo_Request_s {
 public:
  ForwardedRequest(MPI_Request request, MPI_Comm comm, std::shared_ptr<const void> kept)
      : kept_(std::move(kept)), request_(request), comm_(comm) {
    if (errors_are_returned()) comm_exists_ = communicator::existence_of(comm);
  }

  /// MPI_Test must not be called again once it has failed: of a null request it would say that all is well.
  bool test() override {
    if (has_ended_ || is_finalized()) return true;
    if (exchange::has_outstanding()) exchange::advance_outstanding();
    int is_over = 0;
    code_ = with_errors_returned([&] { return PMPI_Test(&request_, &is_over, MPI_STATUS_IGNORE); });
    has_ended_ = is_over != 0 || code_ != MPI_SUCCESS;
    return has_ended_;
  }

  void wait() override {
    while (exchange::has_outstanding() && !test()) exchange::breathe();
    if (has_ended_ || is_finalized()) return;
    code_ = with_errors_returned([&] { return PMPI_Wait(&request_, MPI_STATUS_IGNORE); });
    has_ended_ = true;
  }

  int finish() override {
    if (!has_ended_) throw_given_up();
    return remember_forwarded(code_);
  }

  MPI_Comm error_comm() const override { return comm_; }

 private:
  /// MPI raises the error of a request on its communicator, whose handler may end the program. Open MPI raises
  /// that of its nonblocking collectives on MPI_COMM_WORLD, which sessions alone do not have.
  template <class Body>
  int with_errors_returned(Body&& body) const {
    if (!errors_are_returned() || !comm_exists_ || !*comm_exists_) return body();
    const exchange::ErrorsReturned returned(comm_);
#ifdef OPEN_MPI
    int has_world = 0;
    std::optional<exchange::ErrorsReturned> returned_in_world;
    if (PMPI_Initialized(&has_world) == MPI_SUCCESS && has_world != 0)
      returned_in_world.emplace(MPI_COMM_WORLD);
#endif
    return body();
  }

  std::shared_ptr<const std::atomic<bool>> comm_exists_;  ///< if errors were returned at the start
  std::shared_ptr<const void> kept_;
  MPI_Request request_;
  MPI_Comm comm_;
  int code_ = MPI_SUCCESS;
  bool has_ended_ = false;
};

/// Requests whose errors are reported together.
class Requests {
 public:
  Requests(int count, Rondo_Request* requests) {
    if (count < 0)
      throw Error(ErrorClass::argument, text("count is ", count, "; it must not be negative"));
    if (count > 0 && requests == nullptr)
      throw Error(ErrorClass::argument, "requests is a null pointer");
    all_ = {requests, static_cast<std::size_t>(count)};
  }

  bool test() const {
    bool are_over = true;
    for (Rondo_Request const request : all_)
      if (request != RONDO_REQUEST_NULL && !request->test()) are_over = false;
    return are_over;
  }

  void wait() const {
    for (Rondo_Request const request : all_)
      if (request != RONDO_REQUEST_NULL) request->wait();
  }

  /// Frees all of them. Returns or raises the first error.
  int finish() const {
    int first = MPI_SUCCESS;
    for (Rondo_Request& request : all_) {
      if (request == RONDO_REQUEST_NULL) continue;
      const std::unique_ptr<Rondo_Request_s> one(std::exchange(request, RONDO_REQUEST_NULL));
      const int code = first == MPI_SUCCESS ? finish(*one) : MPI_SUCCESS;
      if (first == MPI_SUCCESS) first = code;
    }
    return first;
  }

 private:
  static int finish(Rondo_Request_s& request) {
    return guarded_on([&] { return is_finalized() ? MPI_COMM_NULL : request.error_comm(); },
                      [&] { return request.finish(); });
  }

  std::span<Rondo_Request> all_;
};

/// Runs `body` and raises errors of its arguments.
template <class Body>
int with_arguments(Body&& body) {
  return guarded_on([] { return is_finalized() ? MPI_COMM_NULL : MPI_COMM_SELF; }, body);
}

int test_all(int count, Rondo_Request* requests, int* flag) {
  if (flag == nullptr) throw Error(ErrorClass::argument, "flag is a null pointer");
  const Requests all(count, requests);
  *flag = all.test() ? 1 : 0;
  return *flag != 0 ? all.finish() : MPI_SUCCESS;
}

int wait_all(int count, Rondo_Request* requests) {
  const Requests all(count, requests);
  all.wait();
  return all.finish();
}

void require_request(const Rondo_Request* request) {
  if (request == nullptr) throw Error(ErrorClass::argument, "request is a null pointer");
}

}  // namespace

State* ready_state(MPI_Comm comm) {
  State* state = communicator::recent_state(comm);
  if (state == nullptr && !communicator::has_ended() && !communicator::is_inter(comm))
    state = communicator::find_state(comm);
  return state == nullptr || state->must_forward() || !state->is_prepared() ? nullptr : state;
}

Rondo_Request start_with_request(const std::shared_ptr<State>& state,
                                 const std::function<std::shared_ptr<Started>()>& start) {
  return state->starting([&] {
    auto request = std::make_unique<StartedRequest>(state);
    request->stand_for(start());
    return request.release();
  });
}

Rondo_Request forwarded_request(MPI_Request request, MPI_Comm comm,
                                std::shared_ptr<const void> kept) {
  return new ForwardedRequest(request, comm, std::move(kept));
}

void clear_request(Rondo_Request* request) {
  require_request(request);
  *request = RONDO_REQUEST_NULL;
}

}  // namespace rondo::api

using namespace rondo::api;  // NOLINT: the C interface is outside the namespace

extern "C" {

int Rondo_Test(Rondo_Request* request, int* flag) {
  return with_arguments([&] {
    require_request(request);
    return test_all(1, request, flag);
  });
}

int Rondo_Wait(Rondo_Request* request) {
  return with_arguments([&] {
    require_request(request);
    return wait_all(1, request);
  });
}

int Rondo_Testall(int count, Rondo_Request requests[], int* flag) {
  return with_arguments([&] { return test_all(count, requests, flag); });
}

int Rondo_Waitall(int count, Rondo_Request requests[]) {
  return with_arguments([&] { return wait_all(count, requests); });
}

}  // extern "C"
