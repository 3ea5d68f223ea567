#include "support/dynamic.hpp"

#include <algorithm>

namespace rondo::testing {

namespace {

constexpr int kPoison = -77;

/// In bytes: none, in a cell, in a slot, past the small thresholds, past every threshold.
constexpr int kPairs[] = {0, 1, 6, 7, 40, 1500, 9000};

int any_pairs(std::uint64_t seed, int source, int destination) {
  return kPairs[hash(seed, source, destination) % std::size(kPairs)];
}

}  // namespace

std::vector<Traffic> traffics() {
  return {
      {"nothing", [](std::uint64_t, int, int, int) { return 0; }},
      {"one pair to everybody", [](std::uint64_t, int, int, int) { return 1; }},
      {"uneven", [](std::uint64_t seed, int source, int destination,
                    int) { return static_cast<int>(hash(seed, source, destination) % 9); }},
      {"all to one rank",
       [](std::uint64_t seed, int, int destination, int ranks) {
         return destination == static_cast<int>(seed % static_cast<unsigned>(ranks)) ? 20 : 0;
       }},
      {"one rank to all",
       [](std::uint64_t seed, int source, int destination, int ranks) {
         return source == static_cast<int>(seed % static_cast<unsigned>(ranks)) ? destination : 0;
       }},
      {"to the next rank", [](std::uint64_t, int source, int destination,
                              int ranks) { return destination == (source + 1) % ranks ? 300 : 0; }},
      {"long and short", [](std::uint64_t seed, int source, int destination,
                            int) { return any_pairs(seed, source, destination); }},
      {"a long one",
       [](std::uint64_t, int source, int destination, int ranks) {
         return source == ranks - 1 && destination == 0 ? 20'000 : 3;
       }},
  };
}

PairType::PairType(bool is_spread)
    : is_spread_(is_spread), type_(is_spread ? Type::packed_ints() : Type(side_by_side())) {}

MPI_Datatype PairType::side_by_side() {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  must(MPI_Type_contiguous(2, MPI_INT, &type));
  return type;
}

/// Blocks to send lie in descending order of the ranks, a pair apart.
DynamicExchange::DynamicExchange(MPI_Comm comm, const Traffic& traffic, std::uint64_t seed,
                                 Types types)
    : comm_(comm),
      traffic_(traffic),
      seed_(seed),
      rank_(rank_of(comm)),
      ranks_(ranks_of(comm)),
      send_type_(types.send_spread),
      receive_type_(types.receive_spread) {
  const auto ranks = static_cast<std::size_t>(ranks_);
  send_counts_.resize(ranks);
  send_displacements_.resize(ranks);
  std::size_t next = 0;
  for (int peer = ranks_ - 1; peer >= 0; --peer) {
    const auto at = static_cast<std::size_t>(peer);
    send_counts_[at] = pairs(rank_, peer);
    send_displacements_[at] = static_cast<int>(next);
    next += static_cast<std::size_t>(send_counts_[at]) + 1;
    total_ += static_cast<std::size_t>(pairs(peer, rank_));
  }
  sent_.assign(send_type_.ints(next), kPoison);
  for (int peer = 0; peer < ranks_; ++peer)
    for (int i = 0; i < 2 * pairs(rank_, peer); ++i) {
      const auto first =
          static_cast<std::size_t>(send_displacements_[static_cast<std::size_t>(peer)]);
      const auto index = static_cast<std::size_t>(i);
      sent_[send_type_.at(first + index / 2, index % 2)] = value(rank_, peer, i);
    }
}

int DynamicExchange::pairs(int source, int destination) const {
  return traffic_.pairs(seed_, source, destination, ranks_);
}

int DynamicExchange::value(int source, int destination, int index) const {
  return static_cast<int>(hash(seed_, source, destination, index) >> 33U);
}

DynamicArguments DynamicExchange::arguments() {
  receive_counts_.assign(static_cast<std::size_t>(ranks_), kPoison);
  receive_displacements_.assign(static_cast<std::size_t>(ranks_), kPoison);
  received_.assign(receive_type_.ints(total_) + 1, kPoison);
  return {sent_.data(),
          send_counts_.data(),
          send_displacements_.data(),
          send_type_,
          received_.data(),
          total(),
          receive_counts_.data(),
          receive_displacements_.data(),
          receive_type_,
          comm_};
}

void DynamicExchange::run(Place place, Row& row) {
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

void DynamicExchange::run_given(std::size_t capacity, Row& row) {
  DynamicArguments arguments = this->arguments();
  received_.assign(receive_type_.ints(capacity) + 1, kPoison);
  arguments.receive_buffer = received_.data();
  arguments.capacity = static_cast<int>(capacity);
  const int code = arguments.call();
  if (capacity >= total_) {
    row.expect_success(code, "Rondo_Alltoallv_dynamic");
    expect_counts(row);
    return expect_data(received_.data(), capacity, row);
  }
  row.expect_error(code, MPI_ERR_TRUNCATE, rondo::text(total_, " elements have arrived"));
  row.expect(std::ranges::count(received_, kPoison) == std::ssize(received_),
             "something was written to a buffer that is too small");
  row.expect_error(Rondo_Alltoallv_dynamic_take(received_.data(), static_cast<MPI_Count>(capacity),
                                                receive_type_, comm_),
                   MPI_ERR_TRUNCATE, rondo::text(total_, " elements have arrived"));
  take(row);
}

#if MPI_VERSION >= 4
void DynamicExchange::run_large(Row& row) {
  const DynamicArguments arguments = this->arguments();
  const std::vector<MPI_Count> send_counts(send_counts_.begin(), send_counts_.end());
  const std::vector<MPI_Aint> send_displacements(send_displacements_.begin(),
                                                 send_displacements_.end());
  std::vector<MPI_Count> counts(send_counts.size(), kPoison);
  std::vector<MPI_Aint> displacements(send_counts.size(), kPoison);
  row.expect_success(
      Rondo_Alltoallv_dynamic_c(arguments.send_buffer, send_counts.data(),
                                send_displacements.data(), arguments.send_type,
                                arguments.receive_buffer, static_cast<MPI_Count>(total_),
                                counts.data(), displacements.data(), arguments.receive_type, comm_),
      "Rondo_Alltoallv_dynamic_c");
  std::ranges::transform(counts, receive_counts_.begin(),
                         [](MPI_Count count) { return static_cast<int>(count); });
  std::ranges::transform(displacements, receive_displacements_.begin(),
                         [](MPI_Aint displacement) { return static_cast<int>(displacement); });
  expect_counts(row);
  expect_data(received_.data(), total_, row);
}
#else
void DynamicExchange::run_large(Row& row) {
  run_given(total_, row);
}
#endif

void DynamicExchange::run_allocated(bool is_refused, Row& row) {
  struct Asked {
    DynamicExchange& exchange;
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
  const DynamicArguments arguments = this->arguments();
  const int code = Rondo_Alltoallv_dynamic_alloc(
      arguments.send_buffer, arguments.send_counts, arguments.send_displacements,
      arguments.send_type, allocate, &asked, nullptr, arguments.receive_counts,
      arguments.receive_displacements, arguments.receive_type, comm_);
  row.expect(asked.counts == std::vector<MPI_Count>{static_cast<MPI_Count>(total_)},
             "allocate was not called once with the total");
  if (is_refused && total_ > 0) {
    row.expect_error(code, MPI_ERR_NO_MEM, rondo::text("null pointer for ", total_, " elements"));
    return take(row);
  }
  row.expect_success(code, "Rondo_Alltoallv_dynamic_alloc");
  expect_counts(row);
  if (!is_refused) expect_data(received_.data(), total_, row);
}

void DynamicExchange::run_own(Row& row) {
  const DynamicArguments arguments = this->arguments();
  const int* own = received_.data();
  row.expect_success(Rondo_Alltoallv_dynamic_alloc(
                         arguments.send_buffer, arguments.send_counts, arguments.send_displacements,
                         arguments.send_type, nullptr, nullptr, &own, arguments.receive_counts,
                         arguments.receive_displacements, arguments.receive_type, comm_),
                     "Rondo_Alltoallv_dynamic_alloc");
  row.expect((own == nullptr) == (total_ == 0), "the address of Rondo's memory is wrong");
  expect_counts(row);
  if (own == nullptr) return;
  for (std::size_t pair = 0; pair < total_; ++pair)
    for (std::size_t member = 0; member < 2; ++member)
      received_[receive_type_.at(pair, member)] = own[receive_type_.at(pair, member)];
  expect_data(received_.data(), total_, row);
  take(row);  // what may be read where it is, may be taken as well
}

void DynamicExchange::take(Row& row) {
  received_.assign(receive_type_.ints(total_) + 1, kPoison);
  row.expect_success(Rondo_Alltoallv_dynamic_take(received_.data(), static_cast<MPI_Count>(total_),
                                                  receive_type_, comm_),
                     "Rondo_Alltoallv_dynamic_take");
  expect_counts(row);
  expect_data(received_.data(), total_, row);
}

void DynamicExchange::expect_counts(Row& row) const {
  int next = 0;
  for (int peer = 0; peer < ranks_; ++peer) {
    const auto at = static_cast<std::size_t>(peer);
    row.expect(receive_counts_[at] == pairs(peer, rank_), "recvcounts[", peer, "] is ",
               receive_counts_[at], " instead of ", pairs(peer, rank_));
    row.expect(receive_displacements_[at] == next, "rdispls[", peer, "] is ",
               receive_displacements_[at], " instead of ", next);
    next += pairs(peer, rank_);
  }
}

/// All ints of `capacity` pairs and the one behind them: those between and behind the pairs that
/// have arrived must be as they were.
void DynamicExchange::expect_data(const int* data, std::size_t capacity, Row& row) const {
  std::vector<int> expected(receive_type_.ints(capacity) + 1, kPoison);
  std::size_t next = 0;
  for (int peer = 0; peer < ranks_; ++peer)
    for (int i = 0; i < 2 * pairs(peer, rank_); ++i, ++next)
      expected[receive_type_.at(next / 2, next % 2)] = value(peer, rank_, i);
  const auto wrong = std::mismatch(expected.begin(), expected.end(), data).first;
  row.expect(wrong == expected.end(), "int ", wrong - expected.begin(), " of the received ",
             expected.size() - 1, " is wrong");
}

}  // namespace rondo::testing
