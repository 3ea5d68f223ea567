// What all plans have in common.
#pragma once

#include <string>

#include "api/entry.hpp"
#include "rondo/rondo.h"

struct Rondo_Plan_s {
  virtual ~Rondo_Plan_s() = default;
  virtual void execute(const void* send_buffer, void* receive_buffer) = 0;
  virtual MPI_Comm error_comm() const = 0;
  virtual Rondo_Request start(const void* send_buffer, void* receive_buffer) = 0;
  virtual std::string algorithm() const = 0;
};

namespace rondo::api {

/// Collective. Makes a plan of class `Made`, whose constructor gets what this rank has found wrong.
template <class Made, class Arguments>
int make_plan_of(const Arguments& arguments, MPI_Info info, Rondo_Plan* plan) {
  return guarded(arguments.comm, [&] {
    const auto failure = failure_of([&] {
      if (plan == nullptr) throw Error(ErrorClass::argument, "plan is a null pointer");
      *plan = RONDO_PLAN_NULL;
    });
    *plan = new Made(arguments, info, failure);
  });
}

}  // namespace rondo::api
