// One exchange of tuples among all ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <rondo/rondo.hpp>
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

/// Sends parcels in one dynamic exchange, which is one step of the timer. A block begins with a
/// header: the number of words in each parcel, and the note. Buffers never shrink.
class Exchange {
 public:
  Exchange(const support::Communicator& comm, apps::ExchangeTimer& timer);

  /// Collective, with the same number and order of parcels on all ranks. Afterwards the parcels are
  /// empty, and received() returns what has arrived. `note` is summed over the ranks and returned.
  ///
  /// Throws std::overflow_error on the rank that sends more words than an int counts, and
  /// rondo::Exception on one that receives more.
  Word run(std::span<Parcel> parcels, Word note);

  /// The words of the given parcel that came from one rank.
  std::span<const Word> received(std::size_t parcel, int source) const;

  const Traffic& traffic() const { return traffic_; }

 private:
  void count(std::span<const Parcel> parcels);
  std::size_t lay_out();
  void pack(std::span<const Parcel> parcels, Word note);
  Word find_parcels();
  std::size_t at(int rank, std::size_t number) const {
    return static_cast<std::size_t>(rank) * width_ + number;
  }

  const support::Communicator& comm_;
  apps::ExchangeTimer& timer_;
  int ranks_;
  std::size_t width_ = 0;    ///< of a header: the number of parcels, plus one for the note
  std::vector<Word> words_;  ///< the headers, [rank][parcel], then the note: sent, then received
  std::vector<std::size_t> starts_;  ///< index into the buffer of that side, [rank][parcel]
  std::vector<int> send_counts_, send_displs_;
  std::vector<Word> send_buffer_;
  Received<Word> received_;
  Traffic traffic_;
};

}  // namespace rondo::relalg
