// rondo._mpi: the exchanges. rondo/_specs.py has parsed mpi4py's buffer specifications, and keeps
// alive what they point to. The handles of mpi4py's objects are passed as the addresses at which
// the objects store them.
#include <mpi.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "mpi/side.hpp"
#include "rondo/rondo.h"

namespace nb = nanobind;
using namespace nb::literals;
using rondo::python::Address;
using rondo::python::Failure;
using rondo::python::handle_at;
using rondo::python::Integers;
using rondo::python::Layout;
using rondo::python::Memory;
using rondo::python::Side;

namespace {

#if MPI_VERSION >= 4
#define RONDO_PYTHON_CALL(name) Rondo_##name##_c
#else
#define RONDO_PYTHON_CALL(name) Rondo_##name
#endif

using WithoutGil = nb::call_guard<nb::gil_scoped_release>;

void require_success(int code) {
  if (code != MPI_SUCCESS) throw Failure(code, Rondo_Get_last_error());
}

/// An exchange that has been started. rondo/requests.py keeps alive what it uses until it is complete.
class Request {
 public:
  explicit Request(Rondo_Request request) : request_(request) {}

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
  void expect_success(int code) {
    if (code == MPI_SUCCESS) return;
    failure_.emplace(code, Rondo_Get_last_error());
    rethrow();
  }

  Rondo_Request request_;
  std::optional<Failure> failure_;
};

/// The bytes of the elements that have arrived.
using Bytes = nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>>;

/// Ranks, counts or displacements.
using Numbers = nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>>;

template <class Integer>
Numbers array_of(const Integer* values, std::size_t size) {
  auto copy = std::make_unique_for_overwrite<std::int64_t[]>(size);
  std::copy_n(values, size, copy.get());
  std::int64_t* const data = copy.release();
  const nb::capsule owner(data,
                          [](void* held) noexcept { delete[] static_cast<std::int64_t*>(held); });
  return Numbers(data, {size}, owner);
}

/// These bytes, counts and displacements.
using Received = std::tuple<Bytes, Numbers, Numbers>;

/// These bytes, sources, counts and displacements.
using SparseReceived = std::tuple<Bytes, Numbers, Numbers, Numbers>;

/// Memory from malloc for elements of `element_bytes` bytes; none if they fill the receiving side.
struct Arrived {
  std::size_t element_bytes;
  const Side* own = nullptr;
  void* data = nullptr;
  std::size_t bytes = 0;
  ~Arrived() { std::free(data); }

  /// Hands the memory over to an array.
  Bytes release() {
    void* const memory = std::exchange(data, nullptr);
    const nb::capsule owner(memory != nullptr ? memory : std::malloc(1),
                            [](void* held) noexcept { std::free(held); });
    return Bytes(owner.data(), {bytes}, owner);
  }

  static void* allocate(MPI_Count count, void* extra) {
    auto& arrived = *static_cast<Arrived*>(extra);
    const std::size_t bytes = static_cast<std::size_t>(count) * arrived.element_bytes;
    if (arrived.own != nullptr && bytes != 0 && bytes == arrived.own->bytes())
      return arrived.own->buffer();
    arrived.bytes = bytes;
    arrived.data = std::malloc(arrived.bytes);
    return arrived.data;
  }
};

/// The counts of what has come, if they are not those that were expected.
using Unexpected = std::optional<std::vector<std::int64_t>>;

/// A dynamic exchange of this rank, and what comes of it.
class Dynamic {
 public:
  /// What arrives is elements of `element_bytes` bytes, in new memory.
  Dynamic(const Side& send, std::size_t element_bytes)
      : counts_(send.blocks()), displacements_(counts_.size()), arrived_{element_bytes} {}

  /// What arrives is in the memory of `recv`, if the counts are those of `recv`.
  Dynamic(const Side& send, const Side& recv)
      : Dynamic(send, static_cast<std::size_t>(recv.extent())) {
    arrived_.own = &recv;
  }

  /// Calls or starts it: `last` is what the function takes in the end.
  template <class Function, class... Last>
  void run(Function function, Address comm, const Side& send, MPI_Datatype type, Last... last) {
    const nb::gil_scoped_release others_run;
    require_success(function(send.buffer(), send.counts(), send.displacements(), send.type(),
                             &Arrived::allocate, &arrived_, nullptr, counts_.data(),
                             displacements_.data(), type, handle_at<MPI_Comm>(comm), last...));
  }

  /// Once, when it is complete.
  Received release() {
    return {arrived_.release(), array_of(counts_.data(), counts_.size()),
            array_of(displacements_.data(), displacements_.size())};
  }

  /// When it is complete: what has come, unless it is what `recv` expects.
  Unexpected unexpected(const Side& recv) const {
    if (std::equal(counts_.begin(), counts_.end(), recv.counts())) return std::nullopt;
    return std::vector<std::int64_t>(counts_.begin(), counts_.end());
  }

 private:
  std::vector<rondo::python::Count> counts_;
  std::vector<rondo::python::Displacement> displacements_;
  Arrived arrived_;
};

Received alltoallv_dynamic(Address comm, const Side& send, Address type,
                           std::size_t element_bytes) {
  Dynamic exchange(send, element_bytes);
  exchange.run(&RONDO_PYTHON_CALL(Alltoallv_dynamic_alloc), comm, send,
               handle_at<MPI_Datatype>(type));
  return exchange.release();
}

Unexpected alltoallv_dynamic_into(Address comm, const Side& send, const Side& recv) {
  Dynamic exchange(send, recv);
  exchange.run(&RONDO_PYTHON_CALL(Alltoallv_dynamic_alloc), comm, send, recv.type());
  return exchange.unexpected(recv);
}

/// A dynamic exchange that has been started. If nobody completes it, the memory stays in use.
class DynamicRequest : public Request {
 public:
  DynamicRequest(Rondo_Request request, std::unique_ptr<Dynamic> exchange)
      : Request(request), exchange_(std::move(exchange)) {}

  Received release() {
    rethrow();
    return exchange_->release();
  }
  Unexpected unexpected(const Side& recv) const {
    rethrow();
    return exchange_->unexpected(recv);
  }

 private:
  std::unique_ptr<Dynamic> exchange_;
};

DynamicRequest started(std::unique_ptr<Dynamic> exchange, Address comm, const Side& send,
                       MPI_Datatype type) {
  Rondo_Request request = RONDO_REQUEST_NULL;
  exchange->run(&RONDO_PYTHON_CALL(Ialltoallv_dynamic_alloc), comm, send, type, &request);
  return {request, std::move(exchange)};
}

DynamicRequest ialltoallv_dynamic(Address comm, const Side& send, Address type,
                                  std::size_t element_bytes) {
  return started(std::make_unique<Dynamic>(send, element_bytes), comm, send,
                 handle_at<MPI_Datatype>(type));
}

DynamicRequest ialltoallv_dynamic_into(Address comm, const Side& send, const Side& recv) {
  return started(std::make_unique<Dynamic>(send, recv), comm, send, recv.type());
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
    const nb::gil_scoped_release others_run;
    require_success(RONDO_PYTHON_CALL(Sparse_alltoallv_alloc)(
        send.buffer(), static_cast<int>(destinations.size()), destinations.data(), send.counts(),
        send.displacements(), send.type(), &Arrived::allocate, &arrived, nullptr,
        handle_at<MPI_Datatype>(type), &sources, handle_at<MPI_Comm>(comm)));
  }
  const auto count = static_cast<std::size_t>(sources.count);
  return {arrived.release(), array_of(sources.ranks, count), array_of(sources.counts, count),
          array_of(sources.displs, count)};
}

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

/// A plan, and the ranks, counts and displacements of what it receives.
std::tuple<Plan, Numbers, Numbers, Numbers> plan_sparse_alltoallv(
    Address comm, const std::vector<int>& destinations, const Side& send, Address type,
    Address info) {
  Sources sources{};
  Rondo_Plan made = RONDO_PLAN_NULL;
  {
    const nb::gil_scoped_release others_run;
    require_success(RONDO_PYTHON_CALL(Sparse_alltoallv_plan)(
        static_cast<int>(destinations.size()), destinations.data(), send.counts(),
        send.displacements(), send.type(), handle_at<MPI_Datatype>(type), &sources,
        handle_at<MPI_Comm>(comm), handle_at<MPI_Info>(info), &made));
  }
  const auto count = static_cast<std::size_t>(sources.count);
  return {Plan(made), array_of(sources.ranks, count), array_of(sources.counts, count),
          array_of(sources.displs, count)};
}

/// The exchanges of known lengths: their names in Python and in C, and how a side is placed.
#define RONDO_PYTHON_EXCHANGES(EXCHANGE)                   \
  EXCHANGE(alltoall, Alltoall, uniform)                    \
  EXCHANGE(alltoallv, Alltoallv, vector)                   \
  EXCHANGE(alltoallw, Alltoallw, typed)                    \
  EXCHANGE(neighbor_alltoall, Neighbor_alltoall, uniform)  \
  EXCHANGE(neighbor_alltoallv, Neighbor_alltoallv, vector) \
  EXCHANGE(neighbor_alltoallw, Neighbor_alltoallw, addressed)

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

void prepare(Address comm, Address info) {
  require_success(Rondo_Comm_prepare(handle_at<MPI_Comm>(comm), handle_at<MPI_Info>(info)));
}

void set_algorithm(Address comm, const std::string& collective, const std::string& algorithm) {
  require_success(
      Rondo_Comm_set_algorithm(handle_at<MPI_Comm>(comm), collective.c_str(), algorithm.c_str()));
}

bool is_world(Address comm) {
  return handle_at<MPI_Comm>(comm) == MPI_COMM_WORLD;
}

std::vector<std::int64_t> values_of(const Integers& array) {
  return {array.data(), array.data() + array.shape(0)};
}

void make_side(Side* place, const std::string& name, Layout layout, int ranks,
               const Integers& counts, const std::optional<Integers>& displacements,
               const std::vector<Address>& types, Address buffer,
               std::optional<std::size_t> bytes) {
  std::optional<std::vector<std::int64_t>> starts;
  if (displacements) starts = values_of(*displacements);
  new (place)
      Side(name, layout, ranks, values_of(counts), std::move(starts), types, {buffer, bytes});
}

Side packed(const std::string& name, std::vector<std::int64_t> sizes, std::int64_t elements,
            Address type, Address buffer, std::size_t bytes) {
  for (std::int64_t& size : sizes) size *= elements;
  return {name, Layout::vector, 1, std::move(sizes), std::nullopt, {type}, {buffer, bytes}};
}

void bind_sides(nb::module_& module) {
  nb::enum_<Layout>(module, "Layout", "The unit of displacements, and the collective.")
      .value("uniform", Layout::uniform)
      .value("vector", Layout::vector)
      .value("typed", Layout::typed)
      .value("addressed", Layout::addressed);
  nb::class_<Side>(module, "Side", "One side of an exchange.")
      .def("__init__", &make_side, "name"_a, "layout"_a, "ranks"_a, "counts"_a,
           "displacements"_a.none(), "types"_a, "buffer"_a, "bytes"_a.none(),
           "Blocks in this buffer, or in MPI.BOTTOM if its size is None. Raises ValueError if the "
           "buffer is too small.")
      .def_static("packed", &packed, "name"_a, "sizes"_a, "elements"_a, "type"_a, "buffer"_a,
                  "bytes"_a,
                  "Blocks of so many times `elements` elements, which follow each other.")
      .def_prop_ro("address", &Side::address, "The buffer's address for MPI.")
      .def(
          "place",
          [](const Side& side, Address buffer, std::optional<std::size_t> bytes) {
            return side.place({buffer, bytes});
          },
          "buffer"_a, "bytes"_a.none(),
          "Another buffer's address for MPI. Raises ValueError if the buffer is too small.");
}

void bind_calls(nb::module_& module) {
#define RONDO_PYTHON_BIND(name, c_name, layout)                                          \
  bind_exchange<Layout::layout, &RONDO_PYTHON_CALL(c_name), &RONDO_PYTHON_CALL(I##name), \
                &RONDO_PYTHON_CALL(c_name##_plan)>(module, #name, "i" #name, "plan_" #name);
  RONDO_PYTHON_EXCHANGES(RONDO_PYTHON_BIND)
#undef RONDO_PYTHON_BIND
  module.def("alltoallv_dynamic", &alltoallv_dynamic, "comm"_a, "send"_a, "type"_a,
             "element_bytes"_a);
  module.def("ialltoallv_dynamic", &ialltoallv_dynamic, "comm"_a, "send"_a, "type"_a,
             "element_bytes"_a);
  module.def("alltoallv_dynamic_into", &alltoallv_dynamic_into, "comm"_a, "send"_a, "recv"_a,
             "None if what arrives is what `recv` expects, where it is then; else its counts.");
  module.def("ialltoallv_dynamic_into", &ialltoallv_dynamic_into, "comm"_a, "send"_a, "recv"_a);
  module.def("plan_sparse_alltoallv", &plan_sparse_alltoallv, "comm"_a, "destinations"_a, "send"_a,
             "type"_a, "info"_a);
  module.def("sparse_alltoallv", &sparse_alltoallv, "comm"_a, "destinations"_a, "send"_a, "type"_a,
             "element_bytes"_a);
  module.def("prepare", &prepare, "comm"_a, "info"_a, WithoutGil());
  module.def("set_algorithm", &set_algorithm, "comm"_a, "collective"_a, "algorithm"_a,
             WithoutGil());
}

}  // namespace

NB_MODULE(_mpi, module) {
  module.doc() = "The exchanges, with arguments that rondo/_specs.py has parsed.";
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Failure& failure) {
      const nb::object type = nb::module_::import_("rondo.errors").attr("Error");
      PyErr_SetObject(type.ptr(), nb::make_tuple(failure.code, failure.what()).ptr());
    }
  });
  module.attr("in_place") = reinterpret_cast<Address>(MPI_IN_PLACE);
  module.def("is_world", &is_world, "comm"_a, "Whether the handle is this MPI's MPI_COMM_WORLD.");
  bind_sides(module);
  nb::class_<Request>(module, "Request", "A started exchange of librondo.")
      .def("wait", &Request::wait, WithoutGil())
      .def("test", &Request::test, WithoutGil());
  nb::class_<DynamicRequest, Request>(module, "DynamicRequest", "A started dynamic exchange.")
      .def("release", &DynamicRequest::release, "What has arrived, once it is complete.")
      .def("unexpected", &DynamicRequest::unexpected, "recv"_a,
           "Once it is complete: the counts of what has arrived, unless they are those of `recv`.");
  nb::class_<Plan>(module, "Plan", "A plan of librondo.")
      .def("execute", &Plan::execute, "send"_a, "recv"_a, WithoutGil())
      .def("start", &Plan::start, "send"_a, "recv"_a, WithoutGil())
      .def("algorithm", &Plan::algorithm)
      .def("free", &Plan::free, WithoutGil());
  bind_calls(module);
}
