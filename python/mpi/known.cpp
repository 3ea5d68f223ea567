// The exchanges whose receivers know all lengths, as calls, starts and plans.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <optional>
#include <utility>

#include "mpi/calls.hpp"
#include "mpi/plain.hpp"

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

/// An exchange of which both specifications may be plain, and the memory that it uses.
template <Layout layout>
class PlainExchange {
 public:
  PlainExchange(const PlainComm& comm, nb::handle send, nb::handle recv)
      : comm_(comm.handle), send_(send, false, comm.ranks), recv_(recv, true, comm.ranks) {}

  bool is_plain() const { return send_.is_plain() && recv_.is_plain(); }

  template <class Function, class... More>
  void run(Function function, More... more) const {
    const WithoutLock others_run;
    rondo::python::run<layout>(function, comm_, send_.side(), recv_.side(), more...);
  }

 private:
  Address comm_;
  PlainSide<layout> send_;
  PlainSide<layout> recv_;
};

/// Defines the same exchange with plain specifications, as a call and a start.
template <Layout layout, auto call, auto start>
void bind_plain_exchange(nb::module_& module, const char* name, const char* start_name) {
  module.def(
      name,
      [](nb::handle given, nb::handle send, nb::handle recv) {
        const auto comm = plain_comm(given);
        if (!comm) return false;
        const PlainExchange<layout> exchange(*comm, send, recv);
        if (exchange.is_plain()) exchange.run(call);
        return exchange.is_plain();
      },
      "comm"_a.none(), "send"_a.none(), "recv"_a.none(),
      "Whether both specifications are plain. If so, exchanges.");
  module.def(
      start_name,
      [](nb::handle given, nb::handle send,
         nb::handle recv) -> std::optional<std::pair<Request, Held>> {
        const auto comm = plain_comm(given);
        if (!comm) return {};
        auto exchange = std::make_shared<const PlainExchange<layout>>(*comm, send, recv);
        if (!exchange->is_plain()) return {};
        Rondo_Request request = RONDO_REQUEST_NULL;
        exchange->run(start, &request);
        return std::pair(Request(request), Held{std::move(exchange)});
      },
      "comm"_a.none(), "send"_a.none(), "recv"_a.none(),
      "If both specifications are plain: a request, and what must live until it is complete.");
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
  bind_plain_exchange<Layout::uniform, &RONDO_PYTHON_CALL(Alltoall), &RONDO_PYTHON_CALL(Ialltoall)>(
      module, "plain_alltoall", "plain_ialltoall");
  bind_plain_exchange<Layout::vector, &RONDO_PYTHON_CALL(Alltoallv),
                      &RONDO_PYTHON_CALL(Ialltoallv)>(module, "plain_alltoallv",
                                                      "plain_ialltoallv");
}

}  // namespace rondo::python
