#include "group/set_up.hpp"

#include <unistd.h>

#include <array>
#include <climits>
#include <cstdlib>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.hpp"
#include "base/system.hpp"
#include "registry/settings.hpp"

namespace rondo::group {

namespace {

/// What all ranks gather from each rank. The first fields never change their places, nor the structure its length, by
/// which other versions are told from this one.
struct alignas(256) RankInfo {
  int rank = 0;
  int ranks = 0;
  std::array<char, 24> version{};
  bool has_messages = false;
  int told = 0;  ///< of an error, if it is not 0
  std::uint64_t node = 0;
  engines::Limits limits{};
};
static_assert(sizeof(RankInfo) == 256);

std::uint64_t node_number(const char* node) {
  if (node != nullptr) return std::hash<std::string_view>{}(node);
  std::array<char, HOST_NAME_MAX + 1> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host = {};
  return std::hash<std::string>{}(kernel_id() + host.data());
}

/// Throws on all ranks, what this rank has found first.
void check_all(std::span<const RankInfo> all, const RankInfo& own,
               const std::optional<Error>& failure) {
  if (failure) throw Error(*failure);
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank].rank != static_cast<int>(rank) || all[rank].ranks != own.ranks)
      throw Error(ErrorClass::argument,
                  text("the transport's allgather gave in place ", rank, " what rank ",
                       all[rank].rank, " of ", all[rank].ranks, " gathers, must give what rank ",
                       rank, " of ", own.ranks, " gathers"));
    if (all[rank].version != own.version)
      throw Error(ErrorClass::argument,
                  text("rank ", rank, " has another version of Rondo: ", all[rank].version.data(),
                       ", and this rank has ", own.version.data()));
    if (all[rank].told != 0) throw failure_elsewhere(static_cast<int>(rank), all[rank].told);
    if (all[rank].has_messages != own.has_messages)
      throw Error(ErrorClass::argument,
                  text("the transport of rank ", rank,
                       own.has_messages ? " has no send and receive, unlike this rank's"
                                        : " has send and receive, unlike this rank's"));
  }
}

}  // namespace

std::unique_ptr<engines::Context> set_up(const std::shared_ptr<Table>& table, const char* node) {
  RankInfo own{
      .rank = table->rank(), .ranks = table->ranks(), .has_messages = table->has_messages()};
  std::string_view(RONDO_VERSION_TEXT).copy(own.version.data(), own.version.size() - 1);
  const auto failure = failure_of([&] {
    own.node = node_number(node);
    own.limits = engines::limits_of(registry::read_settings(
        [](const char* name) { return static_cast<const char*>(std::getenv(name)); }));
  });
  if (failure) own.told = told_of(*failure);
  std::vector<RankInfo> all(static_cast<std::size_t>(table->ranks()));
  table->gather_into(&own, std::as_writable_bytes(std::span(all)));
  check_all(all, own, failure);
  std::vector<std::uint64_t> nodes;
  for (const RankInfo& info : all) nodes.push_back(info.node);
  schedule::NodeMap map(schedule::lowest_with_same(nodes));
  if (map.nodes() > 1 && !table->has_messages())
    throw Error(ErrorClass::argument,
                text("the ranks are on ", map.nodes(),
                     " nodes, and the transport has no send and receive, by which nodes exchange"));
  return std::make_unique<engines::Context>(table, std::move(map), all.front().limits, 0);
}

}  // namespace rondo::group
