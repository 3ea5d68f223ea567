// The exchanges as calls, starts and plans: Rondo_Alltoall, Rondo_Ialltoall, Rondo_Alltoall_plan and the other rows of
// exchanges.def. And Rondo_Execute, Rondo_Start, Rondo_Plan_get_algorithm, Rondo_Plan_free.

#include "api/own_call.hpp"
#include "exchange/call.hpp"
#include "exchange/plan.hpp"
#include "exchange/start.hpp"
#include "rondo/rondo.h"
#include "transport/outstanding.hpp"

using namespace rondo::exchange;  // NOLINT: the C interface is outside the namespace
using namespace rondo::buffers;   // NOLINT

#define RONDO_EXCHANGE(Arguments, Call, Start, Shape, Count, Displacement, entry, start_entry, \
                       plan_entry)                                                             \
  template int rondo::exchange::carry_out(const Arguments&);                                   \
  extern "C" int entry(RONDO_PARAMETERS_##Shape(Count, Displacement)) {                        \
    const rondo::api::OwnCall own(#entry);                                                     \
    return carry_out(Arguments{RONDO_NAMES_##Shape});                                          \
  }                                                                                            \
  extern "C" int start_entry(RONDO_PARAMETERS_##Shape(Count, Displacement),                    \
                             Rondo_Request* request) {                                         \
    const rondo::api::OwnCall own(#start_entry);                                               \
    return start(Arguments{RONDO_NAMES_##Shape}, request);                                     \
  }                                                                                            \
  extern "C" int plan_entry(RONDO_PARAMETERS_##Shape(Count, Displacement), MPI_Info info,      \
                            Rondo_Plan* plan) {                                                \
    return make_plan(Arguments{RONDO_NAMES_##Shape}, info, plan);                              \
  }
#include "buffers/exchanges.def"

namespace {

/// Runs `body` for an existing plan and raises its errors on the plan's communicator.
template <class Body>
int with_plan(Rondo_Plan plan, Body&& body) {
  return guarded_on([&] { return plan == nullptr ? MPI_COMM_SELF : plan->error_comm(); },
                    [&] {
                      if (plan == nullptr)
                        throw rondo::Error(rondo::ErrorClass::argument, "plan is RONDO_PLAN_NULL");
                      body();
                    });
}

}  // namespace

extern "C" {

int Rondo_Execute(Rondo_Plan plan, const void* sendbuf, void* recvbuf) {
  const rondo::api::OwnCall own("Rondo_Execute");
  return with_plan(plan, [&] { plan->execute(sendbuf, recvbuf); });
}

int Rondo_Start(Rondo_Plan plan, const void* sendbuf, void* recvbuf, Rondo_Request* request) {
  const rondo::api::OwnCall own("Rondo_Start");
  return with_plan(plan, [&] {
    clear_request(request);
    if (rondo::transport::has_outstanding()) rondo::transport::advance_outstanding();
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
