// The exchanges whose receivers know all lengths, as calls, starts and plans.
#include <nanobind/stl/string.h>

#include "mpi/calls.hpp"

namespace rondo::python {

using namespace nb::literals;

namespace {

/// The exchanges of known lengths: their names in Python and in C, and how a side is placed.
#define RONDO_PYTHON_EXCHANGES(EXCHANGE)                   \
  EXCHANGE(alltoall, Alltoall, uniform)                    \
  EXCHANGE(alltoallv, Alltoallv, vector)                   \
  EXCHANGE(alltoallw, Alltoallw, typed)                    \
  EXCHANGE(neighbor_alltoall, Neighbor_alltoall, uniform)  \
  EXCHANGE(neighbor_alltoallv, Neighbor_alltoallv, vector) \
  EXCHANGE(neighbor_alltoallw, Neighbor_alltoallw, addressed)

/// Defines an exchange as a call, a start and a plan.
template <Layout layout, auto call, auto start, auto plan>
void bind_exchange(nb::module_& module, const char* name, const char* start_name,
                   const char* plan_name) {
  module.def(
      name,
      [](Address comm, const Side& send, const Side& recv) { run<layout>(call, comm, send, recv); },
      "comm"_a, "send"_a, "recv"_a, WithoutGil());
  module.def(
      start_name,
      [](Address comm, const Side& send, const Side& recv) {
        Rondo_Request request = RONDO_REQUEST_NULL;
        run<layout>(start, comm, send, recv, &request);
        return Request(request);
      },
      "comm"_a, "send"_a, "recv"_a, WithoutGil());
  module.def(
      plan_name,
      [](Address comm, const Side& send, const Side& recv, Address info) {
        Rondo_Plan made = RONDO_PLAN_NULL;
        run<layout>(plan, comm, send, recv, handle_at<MPI_Info>(info), &made);
        return Plan(made);
      },
      "comm"_a, "send"_a, "recv"_a, "info"_a, WithoutGil());
}

}  // namespace

void bind_known(nb::module_& module) {
  nb::class_<Plan>(module, "Plan", "A plan of librondo.")
      .def("execute", &Plan::execute, "send"_a, "recv"_a, WithoutGil())
      .def("start", &Plan::start, "send"_a, "recv"_a, WithoutGil())
      .def("algorithm", &Plan::algorithm)
      .def("free", &Plan::free, WithoutGil());
#define RONDO_PYTHON_BIND(name, c_name, layout)                                          \
  bind_exchange<Layout::layout, &RONDO_PYTHON_CALL(c_name), &RONDO_PYTHON_CALL(I##name), \
                &RONDO_PYTHON_CALL(c_name##_plan)>(module, #name, "i" #name, "plan_" #name);
  RONDO_PYTHON_EXCHANGES(RONDO_PYTHON_BIND)
#undef RONDO_PYTHON_BIND
}

}  // namespace rondo::python
