#include "relalg/exchange.hpp"

#include <algorithm>
#include <climits>
#include <stdexcept>

#include "base/error.hpp"

namespace rondo::relalg {

namespace {

/// Makes room for at least one word, because some MPI libraries reject null buffers even if nothing
/// is sent.
void make_room(std::vector<Word>& buffer, std::size_t words) {
  if (buffer.size() < std::max<std::size_t>(words, 1))
    buffer.resize(std::max<std::size_t>(words, 1));
}

}  // namespace

Exchange::Exchange(const support::Communicator& comm, apps::ExchangeTimer& timer)
    : comm_(comm), timer_(timer), ranks_(comm.ranks()) {}

Word Exchange::run(std::span<Parcel> parcels, Word note) {
  count(parcels);
  pack(parcels, note);
  for (Parcel& parcel : parcels) parcel.clear();
  timer_.step([&] {
    rondo::alltoallv_dynamic(send_buffer_, send_counts_, send_displs_, received_, comm_.get());
  });
  return find_parcels();
}

void Exchange::count(std::span<const Parcel> parcels) {
  width_ = parcels.size() + 1;
  words_.assign(static_cast<std::size_t>(ranks_) * width_, 0);
  for (std::size_t parcel = 0; parcel < parcels.size(); ++parcel)
    for (const std::uint32_t destination : parcels[parcel].destinations)
      words_[at(static_cast<int>(destination), parcel)] += parcels[parcel].arity;
  const std::size_t headers = words_.size();
  const std::size_t all = lay_out();
  make_room(send_buffer_, all);
  const int largest = *std::max_element(send_counts_.begin(), send_counts_.end());
  traffic_ = {.bytes = (all - headers) * sizeof(Word),
              .largest_block_bytes = (static_cast<std::size_t>(largest) - width_) * sizeof(Word)};
}

/// Turns the words of each parcel into counts and displacements of ranks and starts of parcels, each
/// block behind its header. Returns the words of all.
std::size_t Exchange::lay_out() {
  send_counts_.resize(static_cast<std::size_t>(ranks_));
  send_displs_.resize(send_counts_.size());
  starts_.resize(words_.size());
  std::size_t next = 0;
  for (int rank = 0; rank < ranks_; ++rank) {
    const std::size_t first = next;
    next += width_;
    for (std::size_t parcel = 0; parcel + 1 < width_; ++parcel) {
      starts_[at(rank, parcel)] = next;
      next += words_[at(rank, parcel)];
    }
    if (next > INT_MAX)
      throw std::overflow_error(
          text("one exchange of tuples has more words on one rank than an int can count; use more "
               "ranks"));
    send_displs_[static_cast<std::size_t>(rank)] = static_cast<int>(first);
    send_counts_[static_cast<std::size_t>(rank)] = static_cast<int>(next - first);
  }
  return next;
}

void Exchange::pack(std::span<const Parcel> parcels, Word note) {
  for (int rank = 0; rank < ranks_; ++rank) {
    words_[at(rank, width_ - 1)] = note;
    std::copy_n(
        &words_[at(rank, 0)], width_,
        &send_buffer_[static_cast<std::size_t>(send_displs_[static_cast<std::size_t>(rank)])]);
  }
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

/// Reads the headers of what has arrived. Returns the sum of the notes.
Word Exchange::find_parcels() {
  Word sum = 0;
  for (int rank = 0; rank < ranks_; ++rank) {
    const std::span<const Word> block = received_.from(static_cast<std::size_t>(rank));
    std::copy_n(block.begin(), width_, &words_[at(rank, 0)]);
    std::size_t next =
        static_cast<std::size_t>(received_.displs[static_cast<std::size_t>(rank)]) + width_;
    for (std::size_t parcel = 0; parcel + 1 < width_; ++parcel) {
      starts_[at(rank, parcel)] = next;
      next += words_[at(rank, parcel)];
    }
    sum += words_[at(rank, width_ - 1)];
  }
  return sum;
}

std::span<const Word> Exchange::received(std::size_t parcel, int source) const {
  return {received_.data.data() + starts_[at(source, parcel)],
          static_cast<std::size_t>(words_[at(source, parcel)])};
}

}  // namespace rondo::relalg
