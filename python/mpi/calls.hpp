// What all exchanges share: how a function of librondo is called, and what a start and a plan return.
#pragma once

#include <mpi.h>
#include <nanobind/nanobind.h>

#include <cstddef>
#include <optional>
#include <string>
#include <tuple>

#include "mpi/side.hpp"
#include "objects/arrays.hpp"
#include "objects/lock.hpp"
#include "rondo/rondo.h"

namespace rondo::python {

#if MPI_VERSION >= 4
#define RONDO_PYTHON_CALL(name) Rondo_##name##_c
#else
#define RONDO_PYTHON_CALL(name) Rondo_##name
#endif

using WithoutGil = nb::call_guard<WithoutLock>;

inline void require_success(int code) {
  if (code != MPI_SUCCESS) throw Failure(code, Rondo_Get_last_error());
}

/// What MPI's functions take of a side, after its buffer.
template <Layout layout>
auto arguments_of(const Side& side) {
  if constexpr (layout == Layout::uniform)
    return std::tuple(side.count(), side.type());
  else if constexpr (layout == Layout::vector)
    return std::tuple(side.counts(), side.displacements(), side.type());
  else if constexpr (layout == Layout::typed)
    return std::tuple(side.counts(), side.displacements(), side.types());
  else
    return std::tuple(side.counts(), side.addresses(), side.types());
}

/// Calls a function of librondo; `more` follows the communicator.
template <Layout layout, class Function, class... More>
void run(Function function, Address comm, const Side& send, const Side& recv, More... more) {
  require_success(
      std::apply(function, std::tuple_cat(std::tuple(send.buffer()), arguments_of<layout>(send),
                                          std::tuple(recv.buffer()), arguments_of<layout>(recv),
                                          std::tuple(handle_at<MPI_Comm>(comm), more...))));
}

/// An exchange that has been started. rondo/requests.py keeps alive what it uses until it is complete.
class Request {
 public:
  explicit Request(Rondo_Request request) : request_(request) {}
  virtual ~Request() = default;
  Request(Request&&) = default;

  void wait() { expect_success(Rondo_Wait(&request_)); }
  bool test() {
    int is_complete = 0;
    expect_success(Rondo_Test(&request_, &is_complete));
    return is_complete != 0;
  }

  /// Throws the error with which it has ended, if any.
  void rethrow() const {
    if (failure_) throw Failure(*failure_);
  }

 private:
  /// Whether this error shows in what has arrived, of which the caller asks later.
  virtual bool is_told_later(int) const { return false; }

  void expect_success(int code) {
    if (code == MPI_SUCCESS || is_told_later(code)) return;
    failure_.emplace(code, Rondo_Get_last_error());
    rethrow();
  }

  Rondo_Request request_;
  std::optional<Failure> failure_;
};

/// A plan is freed by an explicit call and not with the Python object. Freeing is collective, and
/// each rank's Python may drop its object at another time.
class Plan {
 public:
  explicit Plan(Rondo_Plan plan) : plan_(plan) {}

  void execute(Address send, Address recv) const {
    require_success(
        Rondo_Execute(plan_, reinterpret_cast<const void*>(send), reinterpret_cast<void*>(recv)));
  }
  Request start(Address send, Address recv) const {
    Rondo_Request request = RONDO_REQUEST_NULL;
    require_success(Rondo_Start(plan_, reinterpret_cast<const void*>(send),
                                reinterpret_cast<void*>(recv), &request));
    return Request(request);
  }
  std::string algorithm() const {
    char text[1024] = "";
    require_success(Rondo_Plan_get_algorithm(plan_, text, sizeof text));
    return text;
  }
  void free() { require_success(Rondo_Plan_free(&plan_)); }

 private:
  Rondo_Plan plan_;
};

/// Defines the exchanges whose receivers know all lengths.
void bind_known(nb::module_& module);

/// Defines the exchanges of tensors' rows.
void bind_rows(nb::module_& module);

/// Defines the exchanges whose receivers learn the lengths from what arrives.
void bind_arriving(nb::module_& module);

}  // namespace rondo::python
