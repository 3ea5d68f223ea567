#include "transport/agreement.hpp"

#include <algorithm>
#include <array>

#include "base/status.hpp"

namespace rondo::transport {

void send_and_receive(const Tagged& tagged, int distance, const void* sent, void* received,
                      std::size_t bytes) {
  const int above = (tagged.rank() + distance) % tagged.ranks();
  const int below = (tagged.rank() - distance + tagged.ranks()) % tagged.ranks();
  // It is only read.
  auto* const leaving = static_cast<std::byte*>(const_cast<void*>(sent));
  const Transfer in{static_cast<std::byte*>(received), bytes, below};
  const Transfer out{leaving, bytes, above};
  tagged.transport.exchange_at_once({&in, 1}, {&out, 1}, tagged.tag);
}

/// Between the rotations the integers are by distance: those that still go to a rank so far above, and at the end
/// those from a rank so far below.
void exchange_integers(const Tagged& tagged, std::span<std::uint64_t> integers,
                       std::span<std::uint64_t> workspace) {
  std::ranges::rotate(integers, integers.begin() + tagged.rank());
  const auto for_each_with = [&](int bit, auto&& visit) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < integers.size(); ++i)
      if ((i & static_cast<std::size_t>(bit)) != 0) visit(integers[i], count++);
    return count;
  };
  for (int bit = 1; bit < tagged.ranks(); bit *= 2) {
    const std::size_t count =
        for_each_with(bit, [&](std::uint64_t& one, std::size_t at) { workspace[at] = one; });
    const auto arrived = workspace.subspan(count, count);
    send_and_receive(tagged, bit, workspace.data(), arrived.data(), arrived.size_bytes());
    for_each_with(bit, [&](std::uint64_t& one, std::size_t at) { one = arrived[at]; });
  }
  std::ranges::reverse(integers);
  std::ranges::rotate(integers, integers.end() - 1 - tagged.rank());
}

/// The parent of a rank is the rank without its lowest bit.
void broadcast(const Tagged& tagged, const Among& among, std::byte* data, std::size_t bytes) {
  const auto rank_of = [&](int number) {
    return among.ranks.empty() ? number : among.ranks[static_cast<std::size_t>(number)];
  };
  if (!tagged.transport.has_messages()) {
    const std::byte* const all = tagged.transport.gather(data, bytes);
    std::memcpy(data, all + static_cast<std::size_t>(rank_of(0)) * bytes, bytes);
    return;
  }
  const int lowest = among.self & -among.self;
  if (among.self != 0) {
    const Transfer in{data, bytes, rank_of(among.self - lowest)};
    tagged.transport.exchange_at_once({&in, 1}, {}, tagged.tag);
  }
  std::array<Transfer, Transport::kMostAtOnce> out;
  std::size_t sends = 0;
  for (int bit = 1; among.self + bit < among.count && (among.self == 0 || bit < lowest); bit *= 2)
    out[sends++] = {data, bytes, rank_of(among.self + bit)};
  tagged.transport.exchange_at_once({}, std::span(out).first(sends), tagged.tag);
}

void broadcast(const Tagged& tagged, std::byte* data, std::size_t bytes) {
  broadcast(tagged, {.self = tagged.rank(), .count = tagged.ranks()}, data, bytes);
}

std::string text_of_rank_0(const Tagged& tagged, const std::function<std::string()>& write) {
  // Most texts are short enough for the first message.
  struct Head {
    std::uint64_t bytes;
    std::array<char, 1016> text;
  };
  std::string text;
  if (tagged.rank() == 0) text = write();
  Head head{.bytes = text.size(), .text = {}};
  text.copy(head.text.data(), head.text.size());
  broadcast(tagged, reinterpret_cast<std::byte*>(&head), sizeof head);
  if (tagged.rank() != 0)
    text.assign(head.text.data(), std::min<std::size_t>(head.bytes, head.text.size()));
  if (head.bytes <= head.text.size()) return text;
  text.resize(head.bytes);
  broadcast(tagged, reinterpret_cast<std::byte*>(text.data()), text.size());
  return text;
}

namespace {

struct FailedRank {
  int rank;
  int told;
};

}  // namespace

void fail_together(const Tagged& tagged, const std::optional<Error>& failure) {
  constexpr int kNoRank = INT32_MAX;
  FailedRank first{kNoRank, 0};
  if (failure) first = {tagged.rank(), told_of(*failure)};
  first = least_of_all(tagged, first, &FailedRank::rank);
  if (failure) throw Error(*failure);
  if (first.rank != kNoRank) throw failure_elsewhere(first.rank, first.told);
}

}  // namespace rondo::transport
