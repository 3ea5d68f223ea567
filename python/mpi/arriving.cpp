// The exchanges whose receivers learn the lengths from what arrives: dynamic and sparse ones.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "mpi/dynamic.hpp"
#include "mpi/plain.hpp"
#include "objects/lock.hpp"

namespace rondo::python {

using namespace nb::literals;

namespace {

/// These bytes, sources, counts and displacements.
using SparseReceived = std::tuple<Bytes, Numbers, Numbers, Numbers>;

Received alltoallv_dynamic(Address comm, const Side& send, Address type,
                           std::size_t element_bytes) {
  Dynamic exchange(send, element_bytes);
  exchange.run(&RONDO_PYTHON_CALL(Alltoallv_dynamic_alloc), comm, send,
               handle_at<MPI_Datatype>(type));
  return exchange.release();
}

DynamicRequest ialltoallv_dynamic(Address comm, const Side& send, Address type,
                                  std::size_t element_bytes) {
  auto exchange = std::make_unique<Dynamic>(send, element_bytes);
  Rondo_Request request = RONDO_REQUEST_NULL;
  exchange->run(&RONDO_PYTHON_CALL(Ialltoallv_dynamic_alloc), comm, send,
                handle_at<MPI_Datatype>(type), &request);
  return {request, std::move(exchange)};
}

/// A sent side of plain elements, which arrive with the same type, and the communicator.
struct PlainSent {
  PlainSent(const PlainComm& given, nb::handle send)
      : comm(given.handle), sent(send, false, given.ranks) {}

  Address comm;
  PlainSide<Layout::vector> sent;

  std::string code() const { return {sent.code()}; }
  std::size_t element_bytes() const { return static_cast<std::size_t>(sent.side().extent()); }
};

/// Null if it is not plain.
std::shared_ptr<const PlainSent> plain_sent(nb::handle given, nb::handle send) {
  const auto comm = plain_comm(given);
  if (!comm) return nullptr;
  auto plain = std::make_shared<const PlainSent>(*comm, send);
  return plain->sent.is_plain() && plain->sent.code() != '\0' ? plain : nullptr;
}

/// The character of the type of the elements, and what has arrived.
std::optional<std::pair<std::string, Received>> plain_alltoallv_dynamic(nb::handle comm,
                                                                        nb::handle send) {
  const auto plain = plain_sent(comm, send);
  if (!plain) return {};
  const Side& side = plain->sent.side();
  Dynamic exchange(side, plain->element_bytes());
  exchange.run(&RONDO_PYTHON_CALL(Alltoallv_dynamic_alloc), plain->comm, side, side.type());
  return std::pair(plain->code(), exchange.release());
}

/// The character of the type of the elements, the request, and what must live until it is complete.
std::optional<std::tuple<std::string, DynamicRequest, Held>> plain_ialltoallv_dynamic(
    nb::handle comm, nb::handle send) {
  const auto plain = plain_sent(comm, send);
  if (!plain) return {};
  const Side& side = plain->sent.side();
  auto exchange = std::make_unique<Dynamic>(side, plain->element_bytes());
  Rondo_Request request = RONDO_REQUEST_NULL;
  exchange->run(&RONDO_PYTHON_CALL(Ialltoallv_dynamic_alloc), plain->comm, side, side.type(),
                &request);
  return std::tuple(plain->code(), DynamicRequest(request, std::move(exchange)), Held{plain});
}

#if MPI_VERSION >= 4
using Sources = Rondo_Sources_c;
#else
using Sources = Rondo_Sources;
#endif

SparseReceived sparse_alltoallv(Address comm, const std::vector<int>& destinations,
                                const Side& send, Address type, std::size_t element_bytes) {
  Sources sources{};
  Arrived arrived{.element_bytes = element_bytes};
  {
    const WithoutLock others_run;
    require_success(RONDO_PYTHON_CALL(Sparse_alltoallv_alloc)(
        send.buffer(), static_cast<int>(destinations.size()), destinations.data(), send.counts(),
        send.displacements(), send.type(), &Arrived::allocate<MPI_Count>, &arrived, nullptr,
        handle_at<MPI_Datatype>(type), &sources, handle_at<MPI_Comm>(comm)));
  }
  const auto count = static_cast<std::size_t>(sources.count);
  return {arrived.release(), array_of(sources.ranks, count), array_of(sources.counts, count),
          array_of(sources.displs, count)};
}

/// A plan, and the ranks, counts and displacements of what it receives.
std::tuple<Plan, Numbers, Numbers, Numbers> plan_sparse_alltoallv(
    Address comm, const std::vector<int>& destinations, const Side& send, Address type,
    Address info) {
  Sources sources{};
  Rondo_Plan made = RONDO_PLAN_NULL;
  {
    const WithoutLock others_run;
    require_success(RONDO_PYTHON_CALL(Sparse_alltoallv_plan)(
        static_cast<int>(destinations.size()), destinations.data(), send.counts(),
        send.displacements(), send.type(), handle_at<MPI_Datatype>(type), &sources,
        handle_at<MPI_Comm>(comm), handle_at<MPI_Info>(info), &made));
  }
  const auto count = static_cast<std::size_t>(sources.count);
  return {Plan(made), array_of(sources.ranks, count), array_of(sources.counts, count),
          array_of(sources.displs, count)};
}

}  // namespace

void bind_arriving(nb::module_& module) {
  nb::class_<DynamicRequest, Request>(module, "DynamicRequest", "A nonblocking dynamic exchange.")
      .def("release", &DynamicRequest::release, "What has arrived, once it is complete.")
      .def("unexpected", &DynamicRequest::unexpected, "recv"_a,
           "Once it is complete: the counts of what has arrived, unless they are those of `recv`.");
  module.def("alltoallv_dynamic", &alltoallv_dynamic, "comm"_a, "send"_a, "type"_a,
             "element_bytes"_a);
  module.def("ialltoallv_dynamic", &ialltoallv_dynamic, "comm"_a, "send"_a, "type"_a,
             "element_bytes"_a);
  module.def("ialltoallv_dynamic_into", &ialltoallv_dynamic_into, "comm"_a, "send"_a, "recv"_a);
  module.def("plain_alltoallv_dynamic", &plain_alltoallv_dynamic, "comm"_a.none(), "send"_a.none(),
             "If the specification is plain: exchanges, and returns the character of the elements' "
             "type and what has arrived.");
  module.def("plain_ialltoallv_dynamic", &plain_ialltoallv_dynamic, "comm"_a.none(),
             "send"_a.none(),
             "If the specification is plain: the character of the elements' type, a request, and "
             "what must live until it is complete.");
  module.def("plan_sparse_alltoallv", &plan_sparse_alltoallv, "comm"_a, "destinations"_a, "send"_a,
             "type"_a, "info"_a);
  module.def("sparse_alltoallv", &sparse_alltoallv, "comm"_a, "destinations"_a, "send"_a, "type"_a,
             "element_bytes"_a);
}

}  // namespace rondo::python
