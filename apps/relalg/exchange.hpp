// One exchange of tuples among all ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/exchange_timer.hpp"
#include "relalg/rule.hpp"
#include "support/communicator.hpp"

namespace rondo::relalg {

/// Tuples of one relation, one after the other, and the rank that each is sent to.
struct Parcel {
  std::size_t arity = 0;
  std::vector<Word> words = {};
  std::vector<std::uint32_t> destinations = {};

  void add(const Word* tuple, int destination) {
    words.insert(words.end(), tuple, tuple + arity);
    destinations.push_back(static_cast<std::uint32_t>(destination));
  }
  void clear() {
    words.clear();
    destinations.clear();
  }
};

/// What a rank sent in an exchange.
struct Traffic {
  std::size_t bytes = 0;
  std::size_t largest_block_bytes = 0;
};

/// Sends parcels. The counts travel in an alltoall before the tuples' alltoallv; both are one step
/// of the timer. Buffers never shrink.
class Exchange {
 public:
  Exchange(const support::Communicator& comm, apps::ExchangeTimer& timer);

  /// Collective, with the same number and order of parcels on all ranks. Afterwards the parcels are
  /// empty, and received() returns what has arrived. `note` is summed over the ranks and returned.
  /// With `unless_zero`, no tuples travel if the sum is zero; then no rank may have any.
  ///
  /// Throws std::overflow_error on the rank that sends or receives more words than an int counts.
  Word run(std::span<Parcel> parcels, Word note, bool unless_zero = false);

  /// The words of the given parcel that came from one rank.
  std::span<const Word> received(std::size_t parcel, int source) const;

  const Traffic& traffic() const { return traffic_; }

 private:
  void count(std::span<const Parcel> parcels, Word note);
  void pack(std::span<const Parcel> parcels);
  std::size_t at(int rank, std::size_t number) const {
    return static_cast<std::size_t>(rank) * width_ + number;
  }

  const support::Communicator& comm_;
  apps::ExchangeTimer& timer_;
  int ranks_;
  std::size_t width_ = 0;         ///< the number of parcels, plus one for the note
  std::vector<Word> send_words_;  ///< [rank][parcel], then the note
  std::vector<Word> recv_words_;  ///< the same layout
  std::vector<int> send_counts_, recv_counts_, send_displs_, recv_displs_;
  std::vector<std::size_t> starts_;  ///< index into either buffer, [rank][parcel]
  std::vector<Word> send_buffer_, recv_buffer_;
  Traffic traffic_;
};

}  // namespace rondo::relalg
