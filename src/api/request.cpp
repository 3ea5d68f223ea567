// Rondo_Test, Rondo_Wait, Rondo_Testall, Rondo_Waitall.

#include "exchange/request.hpp"

#include <memory>
#include <span>
#include <utility>

#include "exchange/guard.hpp"

using namespace rondo::exchange;  // NOLINT: the C interface is outside the namespace
using rondo::Error;
using rondo::ErrorClass;
using rondo::text;

namespace {

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
      one->hand_over();
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

}  // namespace

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
