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
  std::size_t partners = 0;  ///< ranks to which it sent tuples
};

/// Numbers that a rank tells to all ranks in an exchange. Each is summed over the ranks.
struct Notes {
  Word fresh = 0;     ///< new tuples of the last round
  Word gained = 0;    ///< new tuples of the rounds since ranks were told before
  Word partners = 0;  ///< see Traffic; filled in by the exchange
};

/// Which exchanges a program makes.
enum class Exchanges {
  mixed,  ///< sparse ones in rounds in which ranks are expected to have few partners, else dynamic
  dynamic,  ///< dynamic in all rounds
  counts,   ///< an alltoall of counts and then an alltoallv, in all rounds
};

/// Sends parcels in one exchange, which is one step of the timer. A block begins with a header: the
/// number of words in each parcel, and the notes. Buffers never shrink.
class Exchange {
 public:
  Exchange(const support::Communicator& comm, apps::ExchangeTimer& timer, Exchanges exchanges);

  /// Collective, with the same number and order of parcels on all ranks. Afterwards the parcels are
  /// empty, and received() returns what has arrived. Returns the sums of the notes.
  ///
  /// Throws std::overflow_error on the rank that sends more words than an int counts, or without
  /// dynamic exchanges receives more, and else rondo::Exception on one that receives more.
  Notes run(std::span<Parcel> parcels, const Notes& notes);

  /// The same in a sparse exchange: ranks hear only from those that have tuples for them, and so
  /// there are no notes.
  void run_sparse(std::span<Parcel> parcels);

  /// The words of the given parcel that came from one rank.
  std::span<const Word> received(std::size_t parcel, int source) const;

  const Traffic& traffic() const { return traffic_; }

 private:
  void count(std::span<const Parcel> parcels);
  void lay_out(bool is_sparse);
  void pack(std::span<Parcel> parcels);
  void write_notes(Notes notes);
  Notes sum_notes() const;
  void exchange_counts_first();
  void find_parcels(std::span<const int> sources, std::span<const int> displs);
  std::size_t at(int rank, std::size_t number) const {
    return static_cast<std::size_t>(rank) * parcels_ + number;
  }

  const support::Communicator& comm_;
  apps::ExchangeTimer& timer_;
  bool counts_first_;
  std::size_t parcels_ = 0;          ///< how many
  std::size_t header_words_ = 0;     ///< the lengths of the parcels, and the notes if there are any
  std::vector<Word> words_;          ///< [rank][parcel]: sent, then received
  std::vector<std::size_t> starts_;  ///< index into the buffer of that side, [rank][parcel]
  std::vector<int> all_;             ///< the ranks
  std::vector<int> destinations_;    ///< the ranks to which a block is sent, which is all or some
  std::vector<int> send_counts_, send_displs_;  ///< of the destinations
  std::vector<Word> send_buffer_;
  Received<Word> received_;
  SparseReceived<Word> received_from_some_;
  std::span<const Word> arrived_;
  Traffic traffic_;
};

}  // namespace rondo::relalg
