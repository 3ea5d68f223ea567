// The receiving side of a dynamic exchange: turns lengths into counts, and finds the place for what
// arrives.
#pragma once

#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "buffers/arguments.hpp"
#include "buffers/kept.hpp"
#include "exchange/receiving.hpp"
#include "mpi/error.hpp"
#include "rondo/rondo.h"

namespace rondo::exchange {

/// Where what arrives goes: to the caller's buffer or, if there is none, to what `allocate` returns
/// or to memory of Rondo's own, whose address the caller wants.
struct Target {
  void* buffer = nullptr;
  std::int64_t capacity = 0;
  Rondo_Allocate_function* allocate = nullptr;
  void* extra = nullptr;
  void* address = nullptr;      ///< of a pointer that the caller wants to be set
  bool is_given = true;         ///< whether there is a buffer of the caller's
  bool is_handed_over = false;  ///< whether `allocate` is called when a request is completed
};

inline Target given(void* buffer, std::int64_t capacity) {
  return {.buffer = buffer, .capacity = capacity};
}

inline Target allocated(Rondo_Allocate_function* allocate, void* extra, void* address) {
  return {.allocate = allocate, .extra = extra, .address = address, .is_given = false};
}

template <class Count, class Displacement>
struct DynamicArguments {
  static constexpr buffers::Form kForm = buffers::Form::alltoallv;
  static constexpr const char* kKind = "dynamic";
  static const choice::Choice& choose(communicator::State& state) {
    const choice::Choice& choice = state.own().choose_dynamic();
    state.note_choice(choice);
    return choice;
  }
  static communicator::Learner* take_timed(communicator::State& state) {
    return state.own().take_timed();
  }
  static bool is_forwarded(const choice::Choice& choice) { return choice.algorithm->is_library(); }

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
class Placing final : public ReceiverOf<std::uint64_t> {
 public:
  using Arguments = DynamicArguments<Count, Displacement>;

  Placing(const Arguments& arguments, buffers::Kept& kept) : arguments_(arguments), kept_(kept) {}

  /// Checks the arguments of the receiving side.
  void bind(buffers::Side& side, int ranks) {
    require(arguments_.receive_counts != nullptr, "recvcounts is a null pointer");
    require(arguments_.receive_displacements != nullptr, "rdispls is a null pointer");
    bind_target(side, ranks);
  }

  /// The same without the arrays.
  void bind_target(buffers::Side& side, int ranks) {
    const Target& target = arguments_.target;
    require(target.is_given || target.allocate != nullptr || target.address != nullptr,
            "recvbuf and allocate are null pointers");
    if (target.capacity < 0)
      throw Error(ErrorClass::count,
                  text("recvcapacity is ", target.capacity, "; a capacity must not be negative"));
    side.bind_elements(ranks, arguments_.receive_type);
    type_ = *side.part(0).type;
    if (target.is_given && target.capacity > 0) side.check_buffer(target.buffer);
  }

  /// From now on the lengths are those of the blocks of these ranks, and not of all.
  void name_sources(std::span<const int> sources) { sources_ = sources; }

  void* place(std::span<const std::uint64_t> lengths, buffers::Side& side) override {
    error_ = failure_of([&] { count(lengths); });
    is_counted_ = !error_;
    if (!is_counted_) return place_uncounted(lengths, side);
    side.bind_alltoallv(
        static_cast<int>(lengths.size()), buffers::Numbers(arguments_.receive_counts),
        buffers::Numbers(arguments_.receive_displacements), arguments_.receive_type);
    buffer_ = find_buffer();
    return buffer_;
  }

  bool is_allocated() const override {
    return arguments_.target.allocate != nullptr && !arguments_.target.is_handed_over;
  }

  /// Runs the library's alltoallv. If what arrives cannot be counted, this rank leaves the exchange.
  void receive_forwarded() {
    if (!is_counted_) throw Error(*error_);
    // MPICH 4.0 rejects two equal buffers, even null ones for nothing.
    void* const buffer = total_ == 0 ? this : buffer_;
    mpi::check(call_library(buffer), "MPI_Alltoallv");
  }

  /// Throws what is wrong on this rank with what has arrived. Otherwise tells the caller where it is.
  void finish() const {
    if (error_) throw Error(*error_);
    if (!arguments_.target.is_handed_over) tell_address();
  }

  /// On the stack of the program, which completes a nonblocking exchange: lets it allocate the buffer, and fills it.
  void hand_over(MPI_Comm comm) {
    if (arguments_.target.allocate != nullptr) {
      buffer_ = allocate();
      if (error_) throw Error(*error_);
      kept_.copy_to(buffer_, static_cast<std::int64_t>(total_), arguments_.receive_type, comm);
      kept_.forget();
    }
    tell_address();
  }

 private:
  void tell_address() const {
    if (arguments_.target.address == nullptr) return;
    void* const address = total_ == 0 && arguments_.target.allocate == nullptr ? nullptr : buffer_;
    std::memcpy(arguments_.target.address, &address, sizeof address);
  }

  int rank_of(std::size_t source) const {
    return sources_.empty() ? static_cast<int>(source) : sources_[source];
  }

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

  void count(std::span<const std::uint64_t> lengths) {
    total_ = 0;
    for (std::size_t source = 0; source < lengths.size(); ++source) {
      const std::uint64_t elements = type_.size == 0 ? 0 : lengths[source] / type_.size;
      if (elements * type_.size != lengths[source])
        throw Error(
            ErrorClass::truncate,
            text("rank ", rank_of(source), " sends ", lengths[source],
                 " bytes, which is not a multiple of recvtype's size, ", type_.size, " bytes"));
      arguments_.receive_counts[source] = narrow<Count>(elements);
      arguments_.receive_displacements[source] = narrow<Displacement>(total_);
      total_ += elements;
    }
  }

  /// Blocks that cannot be counted must arrive too. Nobody reads them.
  void* place_uncounted(std::span<const std::uint64_t> lengths, buffers::Side& side) {
    raw_counts_.assign(lengths.begin(), lengths.end());
    raw_displacements_.resize(lengths.size());
    std::exclusive_scan(raw_counts_.begin(), raw_counts_.end(), raw_displacements_.begin(),
                        std::int64_t{0});
    const auto bytes = static_cast<std::size_t>(raw_counts_.back() + raw_displacements_.back());
    side.bind_alltoallv(static_cast<int>(lengths.size()), buffers::Numbers(raw_counts_.data()),
                        buffers::Numbers(raw_displacements_.data()), MPI_BYTE);
    return kept_.reserve(buffers::describe(MPI_BYTE), bytes);
  }

  int call_library(void* buffer) const {
    const buffers::AlltoallvArguments<Count, Displacement> call{arguments_.send_buffer,
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

  void* allocate() {
    const Target& target = arguments_.target;
    void* const allocated = target.allocate(static_cast<MPI_Count>(total_), target.extra);
    if (allocated == nullptr && total_ != 0)
      error_ = Error(ErrorClass::no_memory,
                     text("allocate returned a null pointer for ", total_,
                          " elements; Rondo keeps them until the next dynamic exchange on this "
                          "communicator, for Rondo_Alltoallv_dynamic_take"));
    return allocated;
  }

  void* find_buffer() {
    const Target& target = arguments_.target;
    if (target.is_given) {
      error_ = failure_of([&] { buffers::check_capacity(target.capacity, total_); });
      if (!error_) return target.buffer;
    } else if (is_allocated()) {
      void* const allocated = allocate();
      if (!error_) return allocated;
    }
    std::byte* const own = kept_.reserve(type_, total_);
    kept_.keep();
    return own;
  }

  const Arguments& arguments_;
  buffers::Kept& kept_;
  buffers::TypeInfo type_;
  std::span<const int> sources_;
  std::uint64_t total_ = 0;  ///< elements
  void* buffer_ = nullptr;
  bool is_counted_ = false;
  std::optional<Error> error_;  ///< of this rank alone; the exchange goes on
  std::vector<std::int64_t> raw_counts_, raw_displacements_;
};

}  // namespace rondo::exchange
