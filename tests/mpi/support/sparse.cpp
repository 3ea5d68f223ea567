#include "support/sparse.hpp"

#include <algorithm>

namespace rondo::testing {

namespace {

constexpr int kPoison = -77;

std::size_t at(int index) {
  return static_cast<std::size_t>(index);
}

/// Each rank has `partners` on average.
bool is_partner(std::uint64_t seed, int source, int destination, int ranks, unsigned partners) {
  return hash(seed, source, destination, 0x5a) % static_cast<unsigned>(ranks) < partners;
}

}  // namespace

std::vector<Traffic> sparse_traffics() {
  std::vector<Traffic> all = traffics();
  all.push_back({"few partners", [](std::uint64_t seed, int source, int destination, int ranks) {
                   if (!is_partner(seed, source, destination, ranks, 2)) return 0;
                   return static_cast<int>(hash(seed, source, destination) % 30);
                 }});
  all.push_back({"few partners, long and short",
                 [](std::uint64_t seed, int source, int destination, int ranks) {
                   if (!is_partner(seed, source, destination, ranks, 3)) return 0;
                   return hash(seed, source, destination) % 2 == 0 ? 4 : 3000;
                 }});
  all.push_back({"only to itself", [](std::uint64_t, int source, int destination, int) {
                   return source == destination ? 5 : 0;
                 }});
  return all;
}

std::vector<std::string> sparse_algorithms() {
  std::vector<std::string> names;
  for (int index = 0; index < Rondo_Algorithm_count(); ++index) {
    Rondo_Algorithm algorithm{};
    if (Rondo_Algorithm_get(index, &algorithm) == MPI_SUCCESS &&
        std::string(algorithm.collective) == "sparse_alltoallv")
      names.emplace_back(algorithm.name);
  }
  for (const char* more :
       {"nbx:threshold=0", "nbx:threshold=off", "personalized:threshold=64", "rma:threshold=off",
        "fused_bruck:radix=2:ports=1:threshold=256", "node_aware:threshold=64",
        "node_aware:inter=bruck:radix=2:parts=2", "auto"})
    names.emplace_back(more);
  return names;
}

void set_sparse_algorithm(MPI_Comm comm, const std::string& algorithm, Row& row) {
  row.expect_success(Rondo_Comm_set_algorithm(comm, "sparse_alltoallv", algorithm.c_str()),
                     "Rondo_Comm_set_algorithm");
}

SparseExchange::SparseExchange(MPI_Comm comm, const Traffic& traffic, std::uint64_t seed,
                               Types types)
    : comm_(comm),
      traffic_(traffic),
      seed_(seed),
      rank_(rank_of(comm)),
      ranks_(ranks_of(comm)),
      send_type_(types.send_spread),
      receive_type_(types.receive_spread) {
  for (int peer = 0; peer < ranks_; ++peer) {
    total_ += at(pairs(peer, rank_));
    if (pairs(rank_, peer) != 0 || hash(seed, rank_, peer, 0x0) % 4 == 0)
      destinations_.push_back(peer);
  }
  write_blocks(hash(seed, rank_, 0x0d));
}

/// Blocks lie a pair apart.
void SparseExchange::write_blocks(std::uint64_t order) {
  if (order % 3 != 0) Random(order).shuffle(destinations_);
  std::size_t next = 0;
  for (const int destination : destinations_) {
    send_counts_.push_back(pairs(rank_, destination));
    send_displacements_.push_back(static_cast<int>(next));
    next += at(send_counts_.back()) + 1;
  }
  sent_.assign(send_type_.ints(next), kPoison);
  for (std::size_t block = 0; block < destinations_.size(); ++block)
    for (int i = 0; i < 2 * send_counts_[block]; ++i)
      sent_[send_type_.at(at(send_displacements_[block]) + at(i / 2), at(i % 2))] =
          value(rank_, destinations_[block], i);
}

int SparseExchange::pairs(int source, int destination) const {
  return traffic_.pairs(seed_, source, destination, ranks_);
}

int SparseExchange::value(int source, int destination, int index) const {
  return static_cast<int>(hash(seed_, source, destination, index) >> 33U);
}

SparseArguments SparseExchange::arguments() {
  received_.assign(receive_type_.ints(total_) + 1, kPoison);
  sources_ = {.count = kPoison, .ranks = nullptr, .counts = nullptr, .displs = nullptr};
  const bool has_none = destinations_.empty();
  return {sent_.data(),
          static_cast<int>(destinations_.size()),
          has_none ? nullptr : destinations_.data(),
          has_none ? nullptr : send_counts_.data(),
          has_none ? nullptr : send_displacements_.data(),
          send_type_,
          received_.data(),
          total(),
          receive_type_,
          &sources_,
          comm_};
}

void SparseExchange::run(Place place, Row& row) {
  switch (place) {
    case Place::large:
      return run_large(row);
    case Place::larger:
      return run_given(total_ + 5, row);
    case Place::too_small:
      return run_given(total_ == 0 ? 0 : total_ - 1, row);
    case Place::allocated:
      return run_allocated(false, row);
    case Place::refused:
      return run_allocated(true, row);
    case Place::own:
      return run_own(row);
    default:
      return run_given(total_, row);
  }
}

void SparseExchange::run_given(std::size_t capacity, Row& row) {
  SparseArguments arguments = this->arguments();
  received_.assign(receive_type_.ints(capacity) + 1, kPoison);
  arguments.receive_buffer = received_.data();
  arguments.capacity = static_cast<int>(capacity);
  const int code = arguments.call();
  expect_sources(sources_, row);
  if (capacity >= total_) {
    row.expect_success(code, "Rondo_Sparse_alltoallv");
    return expect_data(capacity, row);
  }
  row.expect_error(code, MPI_ERR_TRUNCATE, rondo::text(total_, " elements have arrived"));
  row.expect(std::ranges::count(received_, kPoison) == std::ssize(received_),
             "something was written to a buffer that is too small");
  take(row);
}

#if MPI_VERSION >= 4
void SparseExchange::run_large(Row& row) {
  const SparseArguments arguments = this->arguments();
  const std::vector<MPI_Count> counts(send_counts_.begin(), send_counts_.end());
  const std::vector<MPI_Aint> displacements(send_displacements_.begin(), send_displacements_.end());
  Rondo_Sources_c sources{};
  row.expect_success(
      Rondo_Sparse_alltoallv_c(
          arguments.send_buffer, arguments.destination_count, arguments.destinations, counts.data(),
          displacements.data(), arguments.send_type, arguments.receive_buffer,
          static_cast<MPI_Count>(total_), arguments.receive_type, &sources, comm_),
      "Rondo_Sparse_alltoallv_c");
  expect_sources(sources, row);
  expect_data(total_, row);
}
#else
void SparseExchange::run_large(Row& row) {
  run_given(total_, row);
}
#endif

void SparseExchange::run_allocated(bool is_refused, Row& row) {
  struct Asked {
    SparseExchange& exchange;
    bool is_refused;
    std::vector<MPI_Count> counts{};
  } asked{*this, is_refused};
  const auto allocate = [](MPI_Count count, void* extra) -> void* {
    auto& call = *static_cast<Asked*>(extra);
    call.counts.push_back(count);
    if (call.is_refused) return nullptr;
    std::vector<int>& received = call.exchange.received_;
    received.assign(call.exchange.receive_type_.ints(static_cast<std::size_t>(count)) + 1, kPoison);
    return received.data();
  };
  const SparseArguments arguments = this->arguments();
  const int code = Rondo_Sparse_alltoallv_alloc(
      arguments.send_buffer, arguments.destination_count, arguments.destinations,
      arguments.send_counts, arguments.send_displacements, arguments.send_type, allocate, &asked,
      nullptr, arguments.receive_type, &sources_, comm_);
  row.expect(asked.counts == std::vector<MPI_Count>{static_cast<MPI_Count>(total_)},
             "allocate was not called once with the total");
  expect_sources(sources_, row);
  if (is_refused && total_ > 0) {
    row.expect_error(code, MPI_ERR_NO_MEM, rondo::text("null pointer for ", total_, " elements"));
    return take(row);
  }
  row.expect_success(code, "Rondo_Sparse_alltoallv_alloc");
  if (!is_refused) expect_data(total_, row);
}

void SparseExchange::run_own(Row& row) {
  const SparseArguments arguments = this->arguments();
  const int* own = received_.data();
  row.expect_success(Rondo_Sparse_alltoallv_alloc(
                         arguments.send_buffer, arguments.destination_count, arguments.destinations,
                         arguments.send_counts, arguments.send_displacements, arguments.send_type,
                         nullptr, nullptr, &own, arguments.receive_type, &sources_, comm_),
                     "Rondo_Sparse_alltoallv_alloc");
  row.expect((own == nullptr) == (total_ == 0), "the address of Rondo's memory is wrong");
  expect_sources(sources_, row);
  if (own == nullptr) return;
  for (std::size_t pair = 0; pair < total_; ++pair)
    for (std::size_t member = 0; member < 2; ++member)
      received_[receive_type_.at(pair, member)] = own[receive_type_.at(pair, member)];
  expect_data(total_, row);
  take(row);  // what may be read where it is, may be taken as well
}

void SparseExchange::take(Row& row) {
  received_.assign(receive_type_.ints(total_) + 1, kPoison);
  row.expect_success(Rondo_Alltoallv_dynamic_take(received_.data(), static_cast<MPI_Count>(total_),
                                                  receive_type_, comm_),
                     "Rondo_Alltoallv_dynamic_take");
  expect_sources(sources_, row);
  expect_data(total_, row);
}

template <class Sources>
void SparseExchange::expect_sources(const Sources& sources, Row& row) const {
  int found = 0;
  int next = 0;
  for (int peer = 0; peer < ranks_; ++peer) {
    const int arriving = pairs(peer, rank_);
    if (arriving == 0) continue;
    if (found < sources.count) {
      row.expect(sources.ranks[found] == peer, "source ", found, " is ", sources.ranks[found],
                 " instead of ", peer);
      row.expect(sources.counts[found] == arriving, "the count of source ", peer, " is ",
                 sources.counts[found], " instead of ", arriving);
      row.expect(sources.displs[found] == next, "the displacement of source ", peer, " is ",
                 sources.displs[found], " instead of ", next);
    }
    ++found;
    next += arriving;
  }
  row.expect(sources.count == found, "there are ", sources.count, " sources instead of ", found);
}

/// All ints of `capacity` pairs and the one behind them: those between and behind the pairs that
/// have arrived must be as they were.
void SparseExchange::expect_data(std::size_t capacity, Row& row) const {
  std::vector<int> expected(receive_type_.ints(capacity) + 1, kPoison);
  std::size_t next = 0;
  for (int peer = 0; peer < ranks_; ++peer)
    for (int i = 0; i < 2 * pairs(peer, rank_); ++i, ++next)
      expected[receive_type_.at(next / 2, next % 2)] = value(peer, rank_, i);
  const auto wrong = std::ranges::mismatch(expected, received_).in1;
  row.expect(expected.size() == received_.size() && wrong == expected.end(), "int ",
             wrong - expected.begin(), " of the received ", expected.size() - 1, " is wrong");
}

}  // namespace rondo::testing
