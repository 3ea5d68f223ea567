#include "support/dynamic.hpp"

#include <algorithm>

namespace rondo::testing {

namespace {

constexpr int kPoison = PairMemory::kPoison;

std::size_t at(int index) {
  return static_cast<std::size_t>(index);
}

int value_at(std::uint64_t values, int i) {
  return static_cast<int>((values ^ static_cast<std::uint64_t>(i)) * kGoldenGamma >> 33U);
}

}  // namespace

const char* collective_of(Kind kind) {
  return kind == Kind::dense ? "alltoallv" : "sparse_alltoallv";
}

int call_dynamic(Kind kind, const AnyArguments& arguments, MPI_Comm comm) {
  const Arguments& send = arguments.send;
  const Arguments& receive = arguments.receive;
  if (kind == Kind::sparse)
    return Rondo_Sparse_alltoallv(send.buffer, arguments.destination_count, arguments.destinations,
                                  send.counts, send.displacements, *send.types, receive.buffer,
                                  arguments.capacity, *receive.types, arguments.sources, comm);
  return Rondo_Alltoallv_dynamic(send.buffer, send.counts, send.displacements, *send.types,
                                 receive.buffer, arguments.capacity,
                                 const_cast<int*>(receive.counts),
                                 const_cast<int*>(receive.displacements), *receive.types, comm);
}

int call_dynamic_alloc(Kind kind, const AnyArguments& arguments, Rondo_Allocate_function* allocate,
                       void* extra, void* address, MPI_Comm comm) {
  const Arguments& send = arguments.send;
  const Arguments& receive = arguments.receive;
  if (kind == Kind::sparse)
    return Rondo_Sparse_alltoallv_alloc(send.buffer, arguments.destination_count,
                                        arguments.destinations, send.counts, send.displacements,
                                        *send.types, allocate, extra, address, *receive.types,
                                        arguments.sources, comm);
  return Rondo_Alltoallv_dynamic_alloc(send.buffer, send.counts, send.displacements, *send.types,
                                       allocate, extra, address, const_cast<int*>(receive.counts),
                                       const_cast<int*>(receive.displacements), *receive.types,
                                       comm);
}

DynamicExchange::DynamicExchange(Kind kind, MPI_Comm comm, const Traffic& traffic,
                                 std::uint64_t seed, Types types)
    : kind_(kind),
      comm_(comm),
      traffic_(traffic),
      seed_(seed),
      rank_(rank_of(comm)),
      ranks_(ranks_of(comm)),
      send_type_(types.send),
      receive_type_(types.receive),
      send_handle_(send_type_),
      receive_handle_(receive_type_) {
  for (int peer = 0; peer < ranks_; ++peer) {
    total_ += at(pairs(peer, rank_));
    if (kind == Kind::dense || pairs(rank_, peer) != 0 || hash(seed, rank_, peer, 0x0) % 4 == 0)
      destinations_.push_back(peer);
  }
  write_blocks();
}

/// Blocks lie a pair apart: those of a dense exchange in descending order of the ranks.
void DynamicExchange::write_blocks() {
  const std::uint64_t order = hash(seed_, rank_, 0x0d);
  if (kind_ == Kind::sparse && order % 3 != 0) Random(order).shuffle(destinations_);
  const std::size_t blocks = destinations_.size();
  send_counts_.resize(blocks);
  send_displacements_.resize(blocks);
  std::size_t next = 0;
  for (std::size_t left = blocks; left > 0; --left) {
    const std::size_t block = left - 1;
    send_counts_[block] = pairs(rank_, destinations_[block]);
    send_displacements_[block] = static_cast<int>(next);
    next += at(send_counts_[block]) + 1;
  }
  sent_ = PairMemory(send_type_, next);
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::uint64_t values = values_of(rank_, destinations_[block]);
    for (int i = 0; i < 2 * send_counts_[block]; ++i)
      sent_.at(at(send_displacements_[block]) + at(i / 2), at(i % 2)) = value_at(values, i);
  }
}

int DynamicExchange::pairs(int source, int destination) const {
  return traffic_.pairs(seed_, source, destination, ranks_);
}

/// From this follow the ints of a block.
std::uint64_t DynamicExchange::values_of(int source, int destination) const {
  return hash(seed_, source, destination);
}

void* DynamicExchange::new_memory(std::size_t pairs) {
  received_ = PairMemory(receive_type_, pairs);
  return received_.address();
}

AnyArguments DynamicExchange::arguments() {
  AnyArguments arguments;
  arguments.send = {sent_.address(), send_counts_.data(), send_displacements_.data(),
                    &send_handle_};
  arguments.receive = {.buffer = new_memory(total_), .types = &receive_handle_};
  arguments.capacity = total();
  if (kind_ == Kind::dense) {
    receive_counts_.assign(at(ranks_), kPoison);
    receive_displacements_.assign(at(ranks_), kPoison);
    arguments.receive.counts = receive_counts_.data();
    arguments.receive.displacements = receive_displacements_.data();
    return arguments;
  }
  sources_ = {.count = kPoison, .ranks = nullptr, .counts = nullptr, .displs = nullptr};
  arguments.sources = &sources_;
  arguments.destination_count = static_cast<int>(destinations_.size());
  arguments.destinations = destinations_.data();
  if (destinations_.empty()) {
    arguments.destinations = nullptr;
    arguments.send.counts = arguments.send.displacements = nullptr;
  }
  return arguments;
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
  AnyArguments arguments = this->arguments();
  arguments.receive.buffer = new_memory(capacity);
  arguments.capacity = static_cast<int>(capacity);
  const int code = call_dynamic(kind_, arguments, comm_);
  expect_counts(row);
  if (capacity >= total_) {
    row.expect_success(code, "the exchange");
    return expect_data(row);
  }
  const std::string words = rondo::text(total_, " elements have arrived");
  row.expect_error(code, MPI_ERR_TRUNCATE, words);
  row.expect(received_ == received_.untouched(),
             "something was written to a buffer that is too small");
  row.expect_error(Rondo_Alltoallv_dynamic_take(
                       received_.address(), static_cast<MPI_Count>(capacity), receive_type_, comm_),
                   MPI_ERR_TRUNCATE, words);
  take(row);
}

#if MPI_VERSION >= 4
void DynamicExchange::run_large(Row& row) {
  const AnyArguments with = arguments();
  const std::vector<MPI_Count> send_counts(send_counts_.begin(), send_counts_.end());
  const std::vector<MPI_Aint> send_displacements(send_displacements_.begin(),
                                                 send_displacements_.end());
  const auto capacity = static_cast<MPI_Count>(total_);
  if (kind_ == Kind::sparse) {
    Rondo_Sources_c sources{};
    row.expect_success(
        Rondo_Sparse_alltoallv_c(with.send.buffer, with.destination_count, with.destinations,
                                 send_counts.data(), send_displacements.data(), send_type_,
                                 with.receive.buffer, capacity, receive_type_, &sources, comm_),
        "Rondo_Sparse_alltoallv_c");
    expect_sources(sources, row);
    return expect_data(row);
  }
  std::vector<MPI_Count> counts(at(ranks_), kPoison);
  std::vector<MPI_Aint> displacements(at(ranks_), kPoison);
  row.expect_success(
      Rondo_Alltoallv_dynamic_c(with.send.buffer, send_counts.data(), send_displacements.data(),
                                send_type_, with.receive.buffer, capacity, counts.data(),
                                displacements.data(), receive_type_, comm_),
      "Rondo_Alltoallv_dynamic_c");
  const auto narrow = [](auto number) { return static_cast<int>(number); };
  std::ranges::transform(counts, receive_counts_.begin(), narrow);
  std::ranges::transform(displacements, receive_displacements_.begin(), narrow);
  expect_counts(row);
  expect_data(row);
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
    return call.is_refused ? nullptr : call.exchange.new_memory(static_cast<std::size_t>(count));
  };
  const int code = call_dynamic_alloc(kind_, arguments(), allocate, &asked, nullptr, comm_);
  row.expect(asked.counts == std::vector<MPI_Count>{static_cast<MPI_Count>(total_)},
             "allocate was not called once with the total");
  expect_counts(row);
  if (is_refused && total_ > 0) {
    row.expect_error(code, MPI_ERR_NO_MEM, rondo::text("null pointer for ", total_, " elements"));
    return take(row);
  }
  row.expect_success(code, "the exchange with a callback");
  if (!is_refused) expect_data(row);
}

void DynamicExchange::run_own(Row& row) {
  const int* own = received_.address();
  row.expect_success(call_dynamic_alloc(kind_, arguments(), nullptr, nullptr, &own, comm_),
                     "the exchange to Rondo's memory");
  row.expect((own == nullptr) == (total_ == 0), "the address of Rondo's memory is wrong");
  expect_counts(row);
  if (own == nullptr) return;
  for (std::size_t pair = 0; pair < total_; ++pair)
    for (std::size_t member = 0; member < 2; ++member)
      received_.at(pair, member) = own[receive_type_.at(pair, member)];
  expect_data(row);
  take(row);  // what may be read where it is, may be taken as well
}

void DynamicExchange::take(Row& row) {
  new_memory(total_);
  row.expect_success(Rondo_Alltoallv_dynamic_take(
                         received_.address(), static_cast<MPI_Count>(total_), receive_type_, comm_),
                     "Rondo_Alltoallv_dynamic_take");
  expect_counts(row);
  expect_data(row);
}

void DynamicExchange::expect_counts(Row& row) const {
  if (kind_ == Kind::sparse) return expect_sources(sources_, row);
  int next = 0;
  for (int peer = 0; peer < ranks_; ++peer) {
    const int arriving = pairs(peer, rank_);
    row.expect(receive_counts_[at(peer)] == arriving, "recvcounts[", peer, "] is ",
               receive_counts_[at(peer)], " instead of ", arriving);
    row.expect(receive_displacements_[at(peer)] == next, "rdispls[", peer, "] is ",
               receive_displacements_[at(peer)], " instead of ", next);
    next += arriving;
  }
}

template <class Sources>
void DynamicExchange::expect_sources(const Sources& sources, Row& row) const {
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

/// The memory between and around the pairs that have arrived must be as it was.
void DynamicExchange::expect_data(Row& row) const {
  PairMemory expected = received_.untouched();
  std::size_t next = 0;
  for (int peer = 0; peer < ranks_; ++peer) {
    const std::uint64_t values = values_of(peer, rank_);
    const int ints = 2 * pairs(peer, rank_);
    for (int i = 0; i < ints; ++i, ++next) expected.at(next / 2, next % 2) = value_at(values, i);
  }
  row.expect(received_ == expected, "int ", received_.first_difference(expected),
             " of the received ", 2 * total_, " is wrong");
}

}  // namespace rondo::testing
