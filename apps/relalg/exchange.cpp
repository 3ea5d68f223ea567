#include "relalg/exchange.hpp"

#include <algorithm>
#include <climits>
#include <numeric>
#include <rondo/rondo.hpp>
#include <stdexcept>

#include "base/error.hpp"

namespace rondo::relalg {

namespace {

/// Converts the number of words in each parcel, [rank][parcel], to counts and displacements of
/// ranks and the starts of parcels. There are `width` entries per rank, of which the last is not a
/// parcel. Returns the total number of words.
std::size_t lay_out(std::span<const Word> words, std::size_t width, std::vector<int>& counts,
                    std::vector<int>& displs, std::vector<std::size_t>& starts) {
  const std::size_t ranks = words.size() / width;
  counts.resize(ranks);
  displs.resize(ranks);
  starts.resize(words.size());
  const Word all = std::accumulate(words.begin(), words.end(), Word{0});
  std::size_t next = 0;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const std::size_t first = next;
    for (std::size_t parcel = 0; parcel + 1 < width; ++parcel) {
      starts[rank * width + parcel] = next;
      next += words[rank * width + parcel];
    }
    if (next > INT_MAX)
      throw std::overflow_error(
          text("one exchange of tuples has ", all,
               " words on one rank, more than an int can count; use more ranks"));
    displs[rank] = static_cast<int>(first);
    counts[rank] = static_cast<int>(next - first);
  }
  return next;
}

/// Makes room for at least one word, because some MPI libraries reject null buffers even if nothing
/// is sent.
void make_room(std::vector<Word>& buffer, std::size_t words) {
  if (buffer.size() < std::max<std::size_t>(words, 1))
    buffer.resize(std::max<std::size_t>(words, 1));
}

}  // namespace

Exchange::Exchange(const support::Communicator& comm, apps::ExchangeTimer& timer)
    : comm_(comm), timer_(timer), ranks_(comm.ranks()) {}

Word Exchange::run(std::span<Parcel> parcels, Word note, bool unless_zero) {
  count(parcels, note);
  pack(parcels);
  for (Parcel& parcel : parcels) parcel.clear();
  Word sum = 0;
  timer_.step([&] {
    rondo::alltoall(send_words_, recv_words_, comm_.get());
    for (int rank = 0; rank < ranks_; ++rank) sum += recv_words_[at(rank, width_ - 1)];
    for (int rank = 0; rank < ranks_; ++rank) recv_words_[at(rank, width_ - 1)] = 0;
    make_room(recv_buffer_, lay_out(recv_words_, width_, recv_counts_, recv_displs_, starts_));
    if (sum == 0 && unless_zero) return;
    rondo::alltoallv(send_buffer_, send_counts_, send_displs_, recv_buffer_, recv_counts_,
                     recv_displs_, comm_.get());
  });
  return sum;
}

void Exchange::count(std::span<const Parcel> parcels, Word note) {
  width_ = parcels.size() + 1;
  send_words_.assign(static_cast<std::size_t>(ranks_) * width_, 0);
  recv_words_.resize(send_words_.size());
  for (std::size_t parcel = 0; parcel < parcels.size(); ++parcel)
    for (const std::uint32_t destination : parcels[parcel].destinations)
      send_words_[at(static_cast<int>(destination), parcel)] += parcels[parcel].arity;
  const std::size_t all = lay_out(send_words_, width_, send_counts_, send_displs_, starts_);
  make_room(send_buffer_, all);
  for (int rank = 0; rank < ranks_; ++rank) send_words_[at(rank, width_ - 1)] = note;
  const int largest = *std::max_element(send_counts_.begin(), send_counts_.end());
  traffic_ = {.bytes = all * sizeof(Word),
              .largest_block_bytes = static_cast<std::size_t>(largest) * sizeof(Word)};
}

void Exchange::pack(std::span<const Parcel> parcels) {
  for (std::size_t number = 0; number < parcels.size(); ++number) {
    const Parcel& parcel = parcels[number];
    const Word* tuple = parcel.words.data();
    for (const std::uint32_t destination : parcel.destinations) {
      std::size_t& start = starts_[at(static_cast<int>(destination), number)];
      std::copy_n(tuple, parcel.arity, &send_buffer_[start]);
      start += parcel.arity;
      tuple += parcel.arity;
    }
  }
}

std::span<const Word> Exchange::received(std::size_t parcel, int source) const {
  return {recv_buffer_.data() + starts_[at(source, parcel)],
          static_cast<std::size_t>(recv_words_[at(source, parcel)])};
}

}  // namespace rondo::relalg
