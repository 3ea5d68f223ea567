// One exchange of tuples between all ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/exchange_timer.hpp"
#include "relalg/rule.hpp"
#include "support/communicator.hpp"

namespace rondo::relalg {

/// Tuples of one kind, one after the other, and to which rank each goes.
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

/// What a rank put into an exchange.
struct Traffic {
  std::size_t bytes = 0;
  std::size_t largest_block_bytes = 0;
};

/// Sends parcels. Counts travel in an alltoall of their own before the tuples' alltoallv; both are one
/// step of the timer. Buffers keep the largest size that they ever had.
class Exchange {
 public:
  Exchange(const support::Communicator& comm, apps::ExchangeTimer& timer);

  /// Collective: as many parcels of the same kinds on all ranks. Afterwards the parcels are empty, and
  /// received() has what came. `note` is added up over the ranks and returned. With `unless_zero`,
  /// and if the sum is zero, no tuple travels: then nobody must have any.
  ///
  /// Throws std::overflow_error on the rank that sends or receives more words than an int counts.
  Word run(std::span<Parcel> parcels, Word note, bool unless_zero = false);

  /// Of the parcel of that number, from one rank.
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
  std::size_t width_ = 0;         ///< parcels, and the note
  std::vector<Word> send_words_;  ///< [rank][parcel], then the note
  std::vector<Word> recv_words_;  ///< the same
  std::vector<int> send_counts_, recv_counts_, send_displs_, recv_displs_;
  std::vector<std::size_t> starts_;  ///< in the buffer of either side, [rank][parcel]
  std::vector<Word> send_buffer_, recv_buffer_;
  Traffic traffic_;
};

}  // namespace rondo::relalg
