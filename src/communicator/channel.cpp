#include "communicator/channel.hpp"

#include <algorithm>
#include <bit>
#include <functional>

#include "communicator/set_up.hpp"
#include "transport/agreement.hpp"

namespace rondo::communicator {

void Channel::prepare(const ChoicesOrAuto& choices) {
  auto_->prepare();
  for (const auto form : buffers::kStartedForms) resolve(form, choices[index(form)]);
  is_prepared_ = true;
}

const choice::Choice& Channel::usable(const choice::Choice& choice, std::size_t block_bytes) {
  if (!choice.algorithm->needs_node() || context_->node() != nullptr) return choice;
  const registry::Collective collective = choice.algorithm->collective;
  return collective == registry::Collective::neighbor_alltoallv
             ? spread_out(collective)
             : auto_->without_node(collective, block_bytes);
}

const choice::Choice& Channel::spread_out(registry::Collective collective) {
  auto& found = spread_out_[static_cast<std::size_t>(collective)];
  if (!found) found = context_->defaults(collective, "spread_out");
  return *found;
}

std::unique_ptr<Channel> Channels::make(std::size_t number, const engines::Limits& limits,
                                        const transport::Tags& tags) const {
  auto channel = std::make_unique<Channel>();
  channel->number = number;
  channel->begin(std::make_unique<engines::Context>(own_.shared_transport(), own_.nodes, limits,
                                                    own_.last_exchange(), tags),
                 settings_);
  // Otherwise a start would copy long blocks before it returns.
  if (settings_.single_copy != 0)
    channel->context().limits.memory.pulls = engines::Node::Pulls::always;
  return channel;
}

Channel& Channels::next() {
  while (ring_.size() < static_cast<std::size_t>(settings_.requests)) {
    const auto tags = transport::tags::of_channel(static_cast<int>(ring_.size()));
    ring_.push_back(make(ring_.size(), own_.limits, tags));
  }
  return *ring_[starts_++ % ring_.size()];
}

/// Its slots are no longer than what its short blocks need, so that there may be many such requests.
std::unique_ptr<Channel> Channels::take(std::size_t longest) {
  const std::uint64_t free =
      transport::combined(own_.tagged(), ~taken_, std::bit_and<std::uint64_t>());
  if (free == 0) return nullptr;
  const int number = std::countr_zero(free);
  engines::Limits limits = own_.limits;
  if (longest < segment::Times::kShortest) {
    const std::size_t block =
        round_up(std::max<std::size_t>(longest, 1), engines::NodeLayout::kShortestLimit);
    limits.memory.slot_bytes =
        std::min(limits.memory.slot_bytes, static_cast<std::size_t>(own_.ranks) * block);
  }
  auto channel = make(transport::tags::kMostChannels + static_cast<std::size_t>(number), limits,
                      transport::tags::of_persistent(number));
  taken_ |= std::uint64_t{1} << number;
  return channel;
}

void Channels::give_back(std::unique_ptr<Channel> channel) {
  const std::size_t number = channel->number - transport::tags::kMostChannels;
  note_last_exchange(channel->context().last_exchange());
  channel.reset();
  taken_ &= ~(std::uint64_t{1} << number);
}

void Channels::complete() {
  for (const auto& channel : ring_) channel->complete();
}

void Channels::resolve(buffers::Form form, const ChoiceOrAuto& request) {
  for (const auto& channel : ring_)
    if (channel->is_prepared()) channel->resolve(form, request);
}

bool Channels::are_over() const {
  return taken_ == 0 && std::ranges::none_of(ring_, [](const auto& channel) {
           return channel->started && !channel->started->has_ended();
         });
}

void Channels::note_last_exchanges() const {
  for (const auto& channel : ring_) note_last_exchange(channel->context().last_exchange());
}

}  // namespace rondo::communicator
