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

int call_dynamic(Kind kind, const AnyArguments& arguments, MPI_Comm comm, Rondo_Request* request) {
  const Arguments& send = arguments.send;
  const Arguments& receive = arguments.receive;
  if (kind == Kind::sparse)
    return Rondo_Sparse_alltoallv(send.buffer, arguments.destination_count, arguments.destinations,
                                  send.counts, send.displacements, *send.types, receive.buffer,
                                  arguments.capacity, *receive.types, arguments.sources, comm);
  const auto with = [&](auto function, auto... last) {
    return function(send.buffer, send.counts, send.displacements, *send.types, receive.buffer,
                    arguments.capacity, const_cast<int*>(receive.counts),
                    const_cast<int*>(receive.displacements), *receive.types, comm, last...);
  };
  return request != nullptr ? with(Rondo_Ialltoallv_dynamic, request)
                            : with(Rondo_Alltoallv_dynamic);
}

int plan_sparse(const AnyArguments& arguments, MPI_Comm comm, MPI_Info info, Rondo_Plan* plan) {
  const Arguments& send = arguments.send;
  return Rondo_Sparse_alltoallv_plan(arguments.destination_count, arguments.destinations,
                                     send.counts, send.displacements, *send.types,
                                     *arguments.receive.types, arguments.sources, comm, info, plan);
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
  lay_blocks();
  write_blocks();
}

/// Blocks lie a pair apart: those of a dense exchange in descending order of the ranks.
void DynamicExchange::lay_blocks() {
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
}

void DynamicExchange::write_blocks() {
  for (std::size_t block = 0; block < destinations_.size(); ++block) {
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
  return hash(seed_, source, destination, salt_);
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

void DynamicExchange::make_plan(bool is_large, MPI_Info info, Rondo_Plan* plan, Row& row) {
  const AnyArguments with = arguments();
#if MPI_VERSION >= 4
  if (is_large) {
    const std::vector<MPI_Count> counts(send_counts_.begin(), send_counts_.end());
    const std::vector<MPI_Aint> places(send_displacements_.begin(), send_displacements_.end());
    row.expect_success(Rondo_Sparse_alltoallv_plan_c(
                           with.destination_count, with.destinations, counts.data(), places.data(),
                           send_type_, receive_type_, &large_sources_, comm_, info, plan),
                       "Rondo_Sparse_alltoallv_plan_c");
    return expect_sources(large_sources_, row);
  }
#endif
  row.expect_success(plan_sparse(with, comm_, info, plan), rondo::text("a plan, large ", is_large));
  expect_sources(sources_, row);
}

std::pair<const void*, void*> DynamicExchange::buffers(int salt) {
  salt_ = salt;
  write_blocks();
  void* const received = new_memory(total_);
  return {sent_.address(), received};
}

std::size_t DynamicExchange::room_in(Place place) const {
  if (place == Place::larger) return total_ + 5;
  return place == Place::too_small && total_ != 0 ? total_ - 1 : total_;
}

int DynamicExchange::call(Place place, Rondo_Request* request) {
  const auto allocate = [](MPI_Count count, void* extra) -> void* {
    auto& self = *static_cast<DynamicExchange*>(extra);
    self.asked_.push_back(count);
    return self.is_refused_ ? nullptr : self.new_memory(static_cast<std::size_t>(count));
  };
  switch (place) {
    case Place::large:
      return call_large(request);
    case Place::allocated:
    case Place::refused:
      asked_.clear();
      is_refused_ = place == Place::refused;
      return call_alloc(allocate, nullptr, request);
    case Place::own:
      own_ = received_.address();
      return call_alloc(nullptr, &own_, request);
    default:
      break;
  }
  AnyArguments arguments = this->arguments();
  arguments.receive.buffer = new_memory(room_in(place));
  arguments.capacity = static_cast<int>(room_in(place));
  return call_dynamic(kind_, arguments, comm_, request);
}

void DynamicExchange::expect(Place place, int code, Row& row) {
  switch (place) {
    case Place::large:
      return expect_large(code, row);
    case Place::allocated:
    case Place::refused:
      return expect_allocated(place == Place::refused, code, row);
    case Place::own:
      return expect_own(code, row);
    default:
      return expect_given(room_in(place), code, row);
  }
}

void DynamicExchange::expect_given(std::size_t capacity, int code, Row& row) {
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
int DynamicExchange::call_large(Rondo_Request* request) {
  const AnyArguments with = arguments();
  large_ = {.send_counts = {send_counts_.begin(), send_counts_.end()},
            .receive_counts = std::vector<MPI_Count>(at(ranks_), kPoison),
            .send_displacements = {send_displacements_.begin(), send_displacements_.end()},
            .receive_displacements = std::vector<MPI_Aint>(at(ranks_), kPoison)};
  const auto capacity = static_cast<MPI_Count>(total_);
  if (kind_ == Kind::sparse)
    return Rondo_Sparse_alltoallv_c(with.send.buffer, with.destination_count, with.destinations,
                                    large_.send_counts.data(), large_.send_displacements.data(),
                                    send_type_, with.receive.buffer, capacity, receive_type_,
                                    &large_sources_, comm_);
  const auto call = [&](auto function, auto... last) {
    return function(with.send.buffer, large_.send_counts.data(), large_.send_displacements.data(),
                    static_cast<MPI_Datatype>(send_type_), with.receive.buffer, capacity,
                    large_.receive_counts.data(), large_.receive_displacements.data(),
                    static_cast<MPI_Datatype>(receive_type_), comm_, last...);
  };
  return request != nullptr ? call(Rondo_Ialltoallv_dynamic_c, request)
                            : call(Rondo_Alltoallv_dynamic_c);
}

void DynamicExchange::expect_large(int code, Row& row) {
  row.expect_success(code, "the exchange with large counts");
  if (kind_ == Kind::sparse) {
    expect_sources(large_sources_, row);
    return expect_data(row);
  }
  const auto narrow = [](auto number) { return static_cast<int>(number); };
  std::ranges::transform(large_.receive_counts, receive_counts_.begin(), narrow);
  std::ranges::transform(large_.receive_displacements, receive_displacements_.begin(), narrow);
  expect_counts(row);
  expect_data(row);
}
#else
int DynamicExchange::call_large(Rondo_Request* request) {
  return call(Place::exact, request);
}

void DynamicExchange::expect_large(int code, Row& row) {
  expect(Place::exact, code, row);
}
#endif

int DynamicExchange::call_alloc(Rondo_Allocate_function* allocate, void* address,
                                Rondo_Request* request) {
  const AnyArguments with = arguments();
  const Arguments& send = with.send;
  if (kind_ == Kind::sparse)
    return Rondo_Sparse_alltoallv_alloc(send.buffer, with.destination_count, with.destinations,
                                        send.counts, send.displacements, send_type_, allocate, this,
                                        address, receive_type_, &sources_, comm_);
  const auto call = [&](auto function, auto... last) {
    return function(send.buffer, send.counts, send.displacements,
                    static_cast<MPI_Datatype>(send_type_), allocate, this, address,
                    receive_counts_.data(), receive_displacements_.data(),
                    static_cast<MPI_Datatype>(receive_type_), comm_, last...);
  };
  return request != nullptr ? call(Rondo_Ialltoallv_dynamic_alloc, request)
                            : call(Rondo_Alltoallv_dynamic_alloc);
}

void DynamicExchange::expect_allocated(bool is_refused, int code, Row& row) {
  row.expect(asked_ == std::vector<MPI_Count>{static_cast<MPI_Count>(total_)},
             "allocate was not called once with the total");
  expect_counts(row);
  if (is_refused && total_ > 0) {
    row.expect_error(code, MPI_ERR_NO_MEM, rondo::text("null pointer for ", total_, " elements"));
    return take(row);
  }
  row.expect_success(code, "the exchange with a callback");
  if (!is_refused) expect_data(row);
}

void DynamicExchange::expect_own(int code, Row& row) {
  row.expect_success(code, "the exchange to Rondo's memory");
  row.expect((own_ == nullptr) == (total_ == 0), "the address of Rondo's memory is wrong");
  expect_counts(row);
  if (own_ == nullptr) return;
  for (std::size_t pair = 0; pair < total_; ++pair)
    for (std::size_t member = 0; member < 2; ++member)
      received_.at(pair, member) = own_[receive_type_.at(pair, member)];
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
