#include "engines/context.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <string>
#include <utility>

#include "mpi/error.hpp"

namespace rondo::engines {

Context::Context(MPI_Comm private_comm, schedule::NodeMap map, const Limits& bounds,
                 std::uint64_t last_exchange, const mpi::Tags& tags)
    : comm(private_comm),
      nodes(std::move(map)),
      limits(bounds),
      messages(private_comm, bounds.longest_message),
      early(private_comm, bounds.longest_message),
      last_exchange_(last_exchange),
      tags_(tags) {
  mpi::check(PMPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  mpi::check(PMPI_Comm_size(comm, &ranks), "MPI_Comm_size");
}

choice::Layout Context::layout() const {
  return choice::layout_of(nodes);
}

namespace {

/// Whether this is the process's first warning. Programs make many communicators, each with several channels, which
/// fail for one reason, though their figures differ.
bool is_first_warning() {
  static std::atomic_flag has_warned;
  return !has_warned.test_and_set(std::memory_order_relaxed);
}

/// Returns what was made for `choice`, or makes it.
template <class Made, class Make>
const auto& find_or_make(Made& made, const choice::Choice& choice, Make&& make) {
  const auto known = std::ranges::find(made, choice, &Made::value_type::first);
  return known != made.end() ? known->second : made.emplace_back(choice, make()).second;
}

}  // namespace

Node* Context::make_node() {
  has_asked_for_node_ = true;
  std::string why;
  node_ = Node::make(tagged_comm(), nodes, limits.memory, why);
  if (!node_ && rank == 0 && is_first_warning())
    std::fprintf(stderr, "rondo: no shared memory, so messages are used instead: %s\n",
                 why.c_str());
  return node_.get();
}

const schedule::Schedule& Context::schedule(const choice::Choice& choice) {
  return find_or_make(schedules_, choice, [&] { return choice::schedule_of(choice, layout()); });
}

const schedule::NodeSchedule& Context::node_schedule(const choice::Choice& choice) {
  return find_or_make(node_schedules_, choice,
                      [&] { return choice::node_schedule_of(choice, nodes); });
}

choice::Choice Context::defaults(registry::Collective collective, std::string_view name) const {
  return choice::resolve({.algorithm = registry::find(collective, name)}, layout());
}

}  // namespace rondo::engines
