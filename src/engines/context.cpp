#include "engines/context.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <string>
#include <utility>

namespace rondo::engines {

Context::Context(std::shared_ptr<transport::Transport> transport, schedule::NodeMap map,
                 const Limits& bounds, std::uint64_t last_exchange, const transport::Tags& tags)
    : transport_(std::move(transport)),
      messages_(transport_->messages(bounds.longest_message, &noted_)),
      early_(transport_->messages(bounds.longest_message)),
      rank(transport_->rank()),
      ranks(transport_->ranks()),
      nodes(std::move(map)),
      limits(bounds),
      messages(*messages_),
      early(*early_),
      last_exchange_(last_exchange),
      tags_(tags) {}

Limits limits_of(const registry::Settings& settings) {
  using enum Node::Pulls;
  return {.padding_bytes = static_cast<std::size_t>(settings.padding_bytes),
          .memory = {static_cast<std::size_t>(settings.slot_bytes),
                     static_cast<std::size_t>(settings.memory),
                     settings.single_copy == 0   ? never
                     : settings.single_copy == 1 ? where_faster
                                                 : always}};
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
  node_ = Node::make(tagged(), nodes, limits.memory, why_no_node_);
  if (!node_ && rank == 0 && transport_->has_messages() && is_first_warning())
    std::fprintf(stderr, "rondo: no shared memory, so messages are used instead: %s\n",
                 why_no_node_.c_str());
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
