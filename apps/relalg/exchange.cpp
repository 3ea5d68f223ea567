#include "relalg/exchange.hpp"

#include <algorithm>
#include <climits>
#include <numeric>
#include <stdexcept>

#include "base/error.hpp"

namespace rondo::relalg {

namespace {

constexpr std::size_t kNotes = 3;  // the members of Notes

/// Makes room for at least one word, because some MPI libraries reject null buffers even if nothing
/// is sent.
void make_room(std::vector<Word>& buffer, std::size_t words) {
  if (buffer.size() < std::max<std::size_t>(words, 1))
    buffer.resize(std::max<std::size_t>(words, 1));
}

}  // namespace

Exchange::Exchange(const support::Communicator& comm, apps::ExchangeTimer& timer,
                   Exchanges exchanges)
    : comm_(comm),
      timer_(timer),
      counts_first_(exchanges == Exchanges::counts),
      all_(static_cast<std::size_t>(comm.ranks())) {
  std::iota(all_.begin(), all_.end(), 0);
}

Notes Exchange::run(std::span<Parcel> parcels, const Notes& notes) {
  header_words_ = parcels.size() + kNotes;
  count(parcels);
  lay_out(false);
  pack(parcels);
  write_notes(notes);
  timer_.step([&] {
    if (counts_first_)
      exchange_counts_first();
    else
      rondo::alltoallv_dynamic(send_buffer_, send_counts_, send_displs_, received_, comm_.get());
  });
  arrived_ = received_.data;
  find_parcels(all_, received_.displs);
  return sum_notes();
}

void Exchange::run_sparse(std::span<Parcel> parcels) {
  header_words_ = parcels.size();
  count(parcels);
  lay_out(true);
  pack(parcels);
  timer_.step([&] {
    rondo::sparse_alltoallv(send_buffer_, destinations_, send_counts_, send_displs_,
                            received_from_some_, comm_.get());
  });
  arrived_ = received_from_some_.data;
  find_parcels(received_from_some_.sources, received_from_some_.displs);
}

void Exchange::count(std::span<const Parcel> parcels) {
  parcels_ = parcels.size();
  words_.assign(all_.size() * parcels_, 0);
  for (std::size_t parcel = 0; parcel < parcels.size(); ++parcel)
    for (const std::uint32_t destination : parcels[parcel].destinations)
      words_[at(static_cast<int>(destination), parcel)] += parcels[parcel].arity;
}

/// Turns the words of each parcel into counts and displacements of ranks and starts of parcels, each
/// block behind its header.
void Exchange::lay_out(bool is_sparse) {
  destinations_.clear();
  send_counts_.clear();
  send_displs_.clear();
  starts_.resize(words_.size());
  traffic_ = {};
  std::size_t next = 0;
  for (const int rank : all_) {
    const auto words = std::span(words_).subspan(at(rank, 0), parcels_);
    const std::size_t tuples = std::accumulate(words.begin(), words.end(), std::size_t{0});
    traffic_.bytes += tuples * sizeof(Word);
    traffic_.largest_block_bytes = std::max(traffic_.largest_block_bytes, tuples * sizeof(Word));
    if (tuples != 0) ++traffic_.partners;
    if (is_sparse && tuples == 0) continue;
    destinations_.push_back(rank);
    send_displs_.push_back(static_cast<int>(next));
    send_counts_.push_back(static_cast<int>(header_words_ + tuples));
    std::exclusive_scan(words.begin(), words.end(), &starts_[at(rank, 0)], next + header_words_);
    next += header_words_ + tuples;
    if (next > INT_MAX)
      throw std::overflow_error(
          text("one exchange of tuples has more words on one rank than an int can count; use more "
               "ranks"));
  }
  make_room(send_buffer_, next);
}

void Exchange::pack(std::span<Parcel> parcels) {
  for (std::size_t i = 0; i < destinations_.size(); ++i)
    std::copy_n(&words_[at(destinations_[i], 0)], parcels_,
                &send_buffer_[static_cast<std::size_t>(send_displs_[i])]);
  for (std::size_t number = 0; number < parcels.size(); ++number) {
    Parcel& parcel = parcels[number];
    const Word* tuple = parcel.words.data();
    for (const std::uint32_t destination : parcel.destinations) {
      std::size_t& start = starts_[at(static_cast<int>(destination), number)];
      std::copy_n(tuple, parcel.arity, &send_buffer_[start]);
      start += parcel.arity;
      tuple += parcel.arity;
    }
    parcel.clear();
  }
}

void Exchange::write_notes(Notes notes) {
  notes.partners = traffic_.partners;
  for (const int begin : send_displs_) {
    Word* const words = &send_buffer_[static_cast<std::size_t>(begin) + parcels_];
    words[0] = notes.fresh;
    words[1] = notes.gained;
    words[2] = notes.partners;
  }
}

Notes Exchange::sum_notes() const {
  Notes sums;
  for (const int begin : received_.displs) {
    const auto words = arrived_.subspan(static_cast<std::size_t>(begin) + parcels_, kNotes);
    sums.fresh += words[0];
    sums.gained += words[1];
    sums.partners += words[2];
  }
  return sums;
}

void Exchange::exchange_counts_first() {
  received_.counts.resize(all_.size());
  rondo::alltoall(send_counts_, received_.counts, comm_.get());
  received_.displs.resize(all_.size());
  std::size_t next = 0;
  for (std::size_t rank = 0; rank < all_.size(); ++rank) {
    received_.displs[rank] = static_cast<int>(next);
    next += static_cast<std::size_t>(received_.counts[rank]);
    if (next > INT_MAX)
      throw std::overflow_error(
          text("one exchange of tuples has more words for one rank than an int can count; use more "
               "ranks"));
  }
  make_room(received_.data, next);
  rondo::alltoallv(send_buffer_, send_counts_, send_displs_, received_.data, received_.counts,
                   received_.displs, comm_.get());
}

/// Reads the headers of what has arrived.
void Exchange::find_parcels(std::span<const int> sources, std::span<const int> displs) {
  std::ranges::fill(words_, 0);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const auto begin = static_cast<std::size_t>(displs[i]);
    std::size_t next = begin + header_words_;
    for (std::size_t parcel = 0; parcel < parcels_; ++parcel) {
      words_[at(sources[i], parcel)] = arrived_[begin + parcel];
      starts_[at(sources[i], parcel)] = next;
      next += arrived_[begin + parcel];
    }
  }
}

std::span<const Word> Exchange::received(std::size_t parcel, int source) const {
  const auto words = static_cast<std::size_t>(words_[at(source, parcel)]);
  return words == 0 ? std::span<const Word>()
                    : arrived_.subspan(starts_[at(source, parcel)], words);
}

}  // namespace rondo::relalg
