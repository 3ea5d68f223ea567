// Rondo_Alltoallv_dynamic, Rondo_Alltoallv_dynamic_alloc, their large-count forms, and
// Rondo_Alltoallv_dynamic_take.

#include <limits>
#include <numeric>
#include <vector>

#include "api/entry.hpp"
#include "buffers/arguments.hpp"
#include "communicator/attributes.hpp"
#include "communicator/dynamic.hpp"
#include "communicator/execute.hpp"
#include "rondo/rondo.h"

namespace rondo::api {

using namespace buffers;       // NOLINT: the entries use both
using namespace communicator;  // NOLINT

namespace {

using LengthsIn = std::span<const std::uint64_t>;

/// Where what arrives goes: to the caller's buffer or, if there is none, to what `allocate` returns
/// or to memory of Rondo's own, whose address the caller wants.
struct Target {
  void* buffer = nullptr;
  std::int64_t capacity = 0;
  Rondo_Allocate_function* allocate = nullptr;
  void* extra = nullptr;
  void* address = nullptr;  ///< of a pointer that the caller wants to be set
  bool is_given = true;     ///< whether there is a buffer of the caller's
};

template <class Count, class Displacement>
struct DynamicArguments {
  const void* send_buffer;
  const Count* send_counts;
  const Displacement* send_displacements;
  MPI_Datatype send_type;
  Target target;
  Count* receive_counts;
  Displacement* receive_displacements;
  MPI_Datatype receive_type;
  MPI_Comm comm;
};

/// Turns the lengths that arrive into counts and displacements, and finds the place for the blocks.
template <class Count, class Displacement>
class Placing final : public Receiver {
 public:
  using Arguments = DynamicArguments<Count, Displacement>;

  Placing(const Arguments& arguments, Kept& kept) : arguments_(arguments), kept_(kept) {}

  /// Checks the arguments of the receiving side.
  void bind(Side& side, int ranks) {
    const Target& target = arguments_.target;
    require(arguments_.receive_counts != nullptr, "recvcounts is a null pointer");
    require(arguments_.receive_displacements != nullptr, "rdispls is a null pointer");
    require(target.is_given || target.allocate != nullptr || target.address != nullptr,
            "recvbuf and allocate are null pointers");
    if (target.capacity < 0)
      throw Error(ErrorClass::count,
                  text("recvcapacity is ", target.capacity, "; a capacity must not be negative"));
    side.bind_alltoall(ranks, 1, arguments_.receive_type);
    type_ = *side.part(0).type;
    if (target.is_given && target.capacity > 0) side.check_buffer(target.buffer);
  }

  void* place(LengthsIn lengths, Side& side) override {
    error_ = failure_of([&] { count(lengths); });
    is_counted_ = !error_;
    if (!is_counted_) return place_uncounted(lengths, side);
    side.bind_alltoallv(static_cast<int>(lengths.size()), Numbers(arguments_.receive_counts),
                        Numbers(arguments_.receive_displacements), arguments_.receive_type);
    buffer_ = find_buffer();
    return buffer_;
  }

  /// Runs the library's alltoallv. If what arrives cannot be counted, this rank leaves the exchange.
  void receive_forwarded() {
    if (!is_counted_) throw Error(*error_);
    // MPICH 4.0 rejects two equal buffers, even null ones for nothing.
    void* const buffer = total_ == 0 ? this : buffer_;
    exchange::check(call_library(buffer), "MPI_Alltoallv");
  }

  /// Throws what is wrong on this rank with what has arrived. Otherwise tells the caller where it is.
  void finish() const {
    if (error_) throw Error(*error_);
    if (arguments_.target.address == nullptr) return;
    void* const address = total_ == 0 && arguments_.target.allocate == nullptr ? nullptr : buffer_;
    std::memcpy(arguments_.target.address, &address, sizeof address);
  }

 private:
  static void require(bool holds, const char* otherwise) {
    if (!holds) throw Error(ErrorClass::argument, otherwise);
  }

  template <class Number>
  static Number narrow(std::uint64_t number) {
    if (number > static_cast<std::uint64_t>(std::numeric_limits<Number>::max()))
      throw Error(ErrorClass::count, text(number,
                                          " elements or more have arrived, which the type of "
                                          "recvcounts or rdispls cannot count"));
    return static_cast<Number>(number);
  }

  void count(LengthsIn lengths) {
    total_ = 0;
    for (std::size_t rank = 0; rank < lengths.size(); ++rank) {
      const std::uint64_t elements = type_.size == 0 ? 0 : lengths[rank] / type_.size;
      if (elements * type_.size != lengths[rank])
        throw Error(ErrorClass::truncate,
                    text("rank ", rank, " sends ", lengths[rank],
                         " bytes, which are no whole number of elements of recvtype, of ",
                         type_.size, " bytes each"));
      arguments_.receive_counts[rank] = narrow<Count>(elements);
      arguments_.receive_displacements[rank] = narrow<Displacement>(total_);
      total_ += elements;
    }
  }

  /// Blocks that cannot be counted must arrive too. Nobody reads them.
  void* place_uncounted(LengthsIn lengths, Side& side) {
    raw_counts_.assign(lengths.begin(), lengths.end());
    raw_displacements_.resize(lengths.size());
    std::exclusive_scan(raw_counts_.begin(), raw_counts_.end(), raw_displacements_.begin(),
                        std::int64_t{0});
    const auto bytes = static_cast<std::size_t>(raw_counts_.back() + raw_displacements_.back());
    side.bind_alltoallv(static_cast<int>(lengths.size()), Numbers(raw_counts_.data()),
                        Numbers(raw_displacements_.data()), MPI_BYTE);
    return kept_.make_room(describe(MPI_BYTE), bytes);
  }

  int call_library(void* buffer) const {
    const AlltoallvArguments<Count, Displacement> call{arguments_.send_buffer,
                                                       arguments_.send_counts,
                                                       arguments_.send_displacements,
                                                       arguments_.send_type,
                                                       buffer,
                                                       arguments_.receive_counts,
                                                       arguments_.receive_displacements,
                                                       arguments_.receive_type,
                                                       arguments_.comm};
    return call.forward();
  }

  void* find_buffer() {
    const Target& target = arguments_.target;
    if (target.is_given) {
      error_ = failure_of([&] { check_capacity(target.capacity, total_); });
      if (!error_) return target.buffer;
    } else if (target.allocate != nullptr) {
      void* const allocated = target.allocate(static_cast<MPI_Count>(total_), target.extra);
      if (allocated != nullptr || total_ == 0) return allocated;
      error_ = Error(ErrorClass::no_memory,
                     text("allocate returned a null pointer for ", total_,
                          " elements; Rondo keeps them until the next dynamic exchange on this "
                          "communicator, for Rondo_Alltoallv_dynamic_take"));
    }
    std::byte* const own = kept_.make_room(type_, total_);
    kept_.keep();
    return own;
  }

  const Arguments& arguments_;
  Kept& kept_;
  TypeInfo type_;
  std::uint64_t total_ = 0;  ///< elements
  void* buffer_ = nullptr;
  bool is_counted_ = false;
  std::optional<Error> error_;  ///< of this rank alone; the exchange goes on
  std::vector<std::int64_t> raw_counts_, raw_displacements_;
};

/// Binds the sending side, and checks all arguments. Returns what is wrong.
template <class Count, class Displacement>
std::optional<Error> bind(State& state, const DynamicArguments<Count, Displacement>& arguments,
                          Placing<Count, Displacement>& placing) {
  Binding& binding = state.binding;
  binding.clear();
  binding.is_in_place = false;
  auto failure = failure_of([&] {
    if (arguments.send_buffer == MPI_IN_PLACE)
      throw Error(ErrorClass::buffer,
                  "sendbuf is MPI_IN_PLACE; a dynamic exchange is not in place");
    placing.bind(binding.receive, state.ranks());
    binding.send().bind_alltoallv(state.ranks(), Numbers(arguments.send_counts),
                                  Numbers(arguments.send_displacements), arguments.send_type);
    binding.send().check_buffer(arguments.send_buffer);
  });
  if (failure) binding.clear();
  return failure;
}

/// The MPI library's two calls: an alltoall of lengths and an alltoallv. MPI only returns its errors
/// here, since the entry raises them.
template <class Count, class Displacement>
void forward(State& state, const DynamicArguments<Count, Displacement>& arguments) {
  Placing placing(arguments, state.kept);
  const auto failure = bind(state, arguments, placing);
  const auto ranks = static_cast<std::size_t>(state.ranks());
  std::vector<std::uint64_t> lengths(2 * ranks);
  const std::span sent = std::span(lengths).first(ranks);
  const std::span arriving = std::span(lengths).last(ranks);
  write_lengths(sent, state.binding.sending(), failure);
  const exchange::ErrorsReturned returned(arguments.comm);
  exchange::check(
      PMPI_Alltoall(sent.data(), 1, MPI_UINT64_T, arriving.data(), 1, MPI_UINT64_T, arguments.comm),
      "MPI_Alltoall");
  if (failure) throw Error(*failure);
  if (const auto elsewhere = failure_in(arriving)) throw Error(*elsewhere);
  placing.place(arriving, state.binding.receive);
  placing.receive_forwarded();
  placing.finish();
}

template <class Count, class Displacement>
void exchange_once(State& state, const DynamicArguments<Count, Displacement>& arguments) {
  if (state.must_forward()) return forward(state, arguments);
  state.begin_exchange();
  const choice::Choice& choice = state.choose(Form::alltoallv, std::nullopt);
  if (choice.algorithm->shape == registry::Shape::library) return forward(state, arguments);
  Placing placing(arguments, state.kept);
  auto failure = bind(state, arguments, placing);
  execute_dynamic({.state = state,
                   .choice = choice,
                   .send_buffer = arguments.send_buffer,
                   .receiver = placing,
                   .failure = std::move(failure)});
  placing.finish();
}

template <class Count, class Displacement>
int exchange(const DynamicArguments<Count, Displacement>& arguments) {
  return guarded(arguments.comm, [&] {
    if (is_inter(arguments.comm))
      throw Error(ErrorClass::communicator,
                  "comm is an inter-communicator, on which there are no dynamic exchanges");
    State* const recent = recent_state(arguments.comm);
    State& state = recent != nullptr ? *recent : *state_of(arguments.comm);
    state.kept.forget();
    const auto run = [&](auto&& body) {
      return [&] {
        body(state, arguments);
        return MPI_SUCCESS;
      };
    };
    const auto exchanged = run(exchange_once<Count, Displacement>);
    if (!state.awaits_set_up()) return exchanged();
    return state.start(Form::alltoallv, run(forward<Count, Displacement>), exchanged);
  });
}

void take(void* buffer, std::int64_t capacity, MPI_Datatype type, MPI_Comm comm) {
  const State* const state = is_inter(comm) ? nullptr : find_state(comm);
  if (state == nullptr) throw Error(ErrorClass::argument, "there was no dynamic exchange on comm");
  state->kept.copy_to(buffer, capacity, type, comm);
}

Target given(void* buffer, std::int64_t capacity) {
  return {.buffer = buffer, .capacity = capacity};
}

Target allocated(Rondo_Allocate_function* allocate, void* extra, void* address) {
  return {.allocate = allocate, .extra = extra, .address = address, .is_given = false};
}

}  // namespace

}  // namespace rondo::api

using namespace rondo::api;  // NOLINT: the C interface is outside the namespace

extern "C" {

int Rondo_Alltoallv_dynamic(const void* sendbuf, const int sendcounts[], const int sdispls[],
                            MPI_Datatype sendtype, void* recvbuf, int recvcapacity,
                            int recvcounts[], int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  return exchange(DynamicArguments<int, int>{sendbuf, sendcounts, sdispls, sendtype,
                                             given(recvbuf, recvcapacity), recvcounts, rdispls,
                                             recvtype, comm});
}

int Rondo_Alltoallv_dynamic_alloc(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                  MPI_Datatype sendtype, Rondo_Allocate_function* allocate,
                                  void* extra, void* recvbuf, int recvcounts[], int rdispls[],
                                  MPI_Datatype recvtype, MPI_Comm comm) {
  return exchange(DynamicArguments<int, int>{sendbuf, sendcounts, sdispls, sendtype,
                                             allocated(allocate, extra, recvbuf), recvcounts,
                                             rdispls, recvtype, comm});
}

#if MPI_VERSION >= 4
int Rondo_Alltoallv_dynamic_c(const void* sendbuf, const MPI_Count sendcounts[],
                              const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf,
                              MPI_Count recvcapacity, MPI_Count recvcounts[], MPI_Aint rdispls[],
                              MPI_Datatype recvtype, MPI_Comm comm) {
  return exchange(DynamicArguments<MPI_Count, MPI_Aint>{sendbuf, sendcounts, sdispls, sendtype,
                                                        given(recvbuf, recvcapacity), recvcounts,
                                                        rdispls, recvtype, comm});
}

int Rondo_Alltoallv_dynamic_alloc_c(const void* sendbuf, const MPI_Count sendcounts[],
                                    const MPI_Aint sdispls[], MPI_Datatype sendtype,
                                    Rondo_Allocate_function* allocate, void* extra, void* recvbuf,
                                    MPI_Count recvcounts[], MPI_Aint rdispls[],
                                    MPI_Datatype recvtype, MPI_Comm comm) {
  return exchange(DynamicArguments<MPI_Count, MPI_Aint>{sendbuf, sendcounts, sdispls, sendtype,
                                                        allocated(allocate, extra, recvbuf),
                                                        recvcounts, rdispls, recvtype, comm});
}
#endif

int Rondo_Alltoallv_dynamic_take(void* recvbuf, MPI_Count recvcapacity, MPI_Datatype recvtype,
                                 MPI_Comm comm) {
  return guarded(comm, [&] {
    take(recvbuf, recvcapacity, recvtype, comm);
    return MPI_SUCCESS;
  });
}

}  // extern "C"
