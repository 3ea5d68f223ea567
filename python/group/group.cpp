#include "group/group.hpp"

#include <numeric>
#include <utility>

#include "objects/lock.hpp"

namespace rondo::python {

namespace {

/// The blocks of a tensor's rows, which follow each other. Nothing if the numbers of rows that are to be for each rank
/// are no integers or not all rows.
std::optional<Blocks> blocks_of_rows(nb::handle given, std::int64_t rows, std::int64_t row_bytes,
                                     Address address, int ranks) {
  const auto count = static_cast<std::size_t>(ranks);
  const bool are_equal =
      given.is_none() || (is_list_or_tuple(given) && PySequence_Fast_GET_SIZE(given.ptr()) == 0);
  if (are_equal && rows % ranks != 0) return {};
  const auto sizes =
      are_equal ? MaybeIntegers(std::in_place, count, rows / ranks) : integers_of(given, count);
  if (!sizes) return {};
  Blocks blocks{.address = address, .lengths = {}, .displacements = {}};
  std::int64_t first = 0;
  for (const std::int64_t size : *sizes) {
    if (size < 0 || size > rows - first) return {};
    blocks.lengths.push_back(static_cast<std::size_t>(size * row_bytes));
    blocks.displacements.push_back(static_cast<std::size_t>(first * row_bytes));
    first += size;
  }
  return first == rows ? std::optional(std::move(blocks)) : std::nullopt;
}

/// Where the bytes go whose number is expected, or other bytes, which are only counted.
struct Expected {
  void* place;
  std::size_t bytes;
  Arrived others{.element_bytes = 1};

  static void* allocate(std::size_t bytes, void* extra) {
    auto& expected = *static_cast<Expected*>(extra);
    if (bytes == expected.bytes) return expected.place;
    return Arrived::allocate(bytes, &expected.others);
  }
};

/// Both sides of an exchange of arrays.
void read(std::optional<Specification>& from, nb::handle send, std::optional<Specification>& to,
          nb::handle recv) {
  from.emplace(send, false);
  to.emplace(recv, true);
  Specification::require_apart(*from, *to);
}

std::size_t in_elements(std::size_t bytes, std::size_t item_bytes) {
  if (bytes % item_bytes != 0)
    throw nb::value_error("the elements that other ranks send have another size");
  return bytes / item_bytes;
}

}  // namespace

Group::Group(int rank, int size, nb::object allgather, nb::object messages,
             std::optional<std::string> node, double timeout_seconds)
    : transport_(rank, size, std::move(allgather), std::move(messages), std::move(node),
                 timeout_seconds),
      rank_(rank),
      size_(size) {
  const Rondo_Transport functions = transport_.functions();
  call(&Rondo_Group_create, &functions, &group_);
  transport_.forget_allgather();
}

Group::~Group() {
  end();
}

void Group::end() {
  static_cast<void>(Rondo_Group_free(&group_));
  transport_.forget_messages();
}

void Group::free() {
  call(&Rondo_Group_free, &group_);
}

template <class Function, class... Arguments>
void Group::call(Function function, Arguments... arguments) {
  if (std::exchange(is_in_use_, true)) throw GroupFailure("another thread uses this group");
  int code = RONDO_SUCCESS;
  {
    const WithoutLock others_run;
    code = function(arguments...);
  }
  is_in_use_ = false;
  if (code == RONDO_SUCCESS) return;
  transport_.rethrow();
  throw GroupFailure(Rondo_Group_get_last_error());
}

template <class Body>
auto Group::checked(Body&& body) {
  try {
    return body();
  } catch (...) {
    take_part();
    throw;
  }
}

void Group::take_part() {
  try {
    call(&Rondo_Group_alltoallv, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, group_);
  } catch (const GroupFailure&) {  // The caller's own error says more.
  }
}

void Group::alltoall(nb::handle send, nb::handle recv) {
  std::optional<Specification> from;
  std::optional<Specification> to;
  const std::size_t bytes = checked([&] {
    read(from, send, to, recv);
    const std::size_t sent = from->bytes_of_equal_blocks(size_);
    const std::size_t received = to->bytes_of_equal_blocks(size_);
    if (sent != received)
      throw nb::value_error(
          "the memory that is sent and the memory that is received differ in size");
    return sent;
  });
  call(&Rondo_Group_alltoall, from->buffer(), to->buffer(), bytes, group_);
}

void Group::alltoallv(nb::handle send, nb::handle recv) {
  std::optional<Specification> from;
  std::optional<Specification> to;
  const auto [sent, received] = checked([&] {
    read(from, send, to, recv);
    return std::pair(from->blocks(size_), to->blocks(size_));
  });
  call(&Rondo_Group_alltoallv, sent.buffer(), sent.lengths.data(), sent.displacements.data(),
       received.buffer(), received.lengths.data(), received.displacements.data(), group_);
}

Received Group::alltoallv_dynamic(nb::handle send) {
  std::optional<Specification> from;
  const Blocks sent = checked([&] { return from.emplace(send, false).blocks(size_); });
  Arrived arrived{.element_bytes = 1};
  std::vector<std::size_t> lengths(sent.lengths.size());
  std::vector<std::size_t> starts(lengths.size());
  void* place = nullptr;
  call(&Rondo_Group_alltoallv_dynamic, sent.buffer(), sent.lengths.data(),
       sent.displacements.data(), &Arrived::allocate<std::size_t>, &arrived, &place, lengths.data(),
       starts.data(), group_);
  for (auto* const values : {&lengths, &starts})
    for (std::size_t& value : *values) value = in_elements(value, from->item_bytes());
  return {arrived.release(), array_of(lengths.data(), lengths.size()),
          array_of(starts.data(), starts.size())};
}

Group::Came Group::exchange_rows(nb::handle sizes, std::int64_t rows, std::int64_t row_bytes,
                                 Address from, nb::handle arriving, std::int64_t rows_to,
                                 std::int64_t row_bytes_to, Address to) {
  const auto sent = blocks_of_rows(sizes, rows, row_bytes, from, size_);
  const auto received = blocks_of_rows(arriving, rows_to, row_bytes_to, to, size_);
  if (!sent || !received) return {};
  Expected expected{received->buffer(),
                    std::reduce(received->lengths.begin(), received->lengths.end())};
  std::vector<std::size_t> lengths(sent->lengths.size());
  std::vector<std::size_t> starts(lengths.size());
  void* place = nullptr;
  call(&Rondo_Group_alltoallv_dynamic, sent->buffer(), sent->lengths.data(),
       sent->displacements.data(), &Expected::allocate, &expected, &place, lengths.data(),
       starts.data(), group_);
  if (lengths == received->lengths) return std::vector<std::int64_t>();
  return std::vector<std::int64_t>(lengths.begin(), lengths.end());
}

}  // namespace rondo::python
