#include "communicator/state.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdio>
#include <cstring>
#include <functional>
#include <utility>

#include "communicator/learned_profile.hpp"
#include "communicator/neighbourhood.hpp"
#include "communicator/set_up.hpp"
#include "engines/discovery/sparse.hpp"
#include "mpi/error.hpp"

namespace rondo::communicator {

using mpi::check;

namespace {

/// The highest exchange number on any communicator that this process has freed. MPI may reuse such
/// a communicator's context id while messages that nobody received are still there. Numbers
/// therefore continue from here.
std::atomic<std::uint64_t> g_last_exchange{0};

/// Prints what long blocks have cost, as RONDO_VERBOSE=1 requests.
void print_ways(const engines::Context& context) {
  const engines::Node* const node = context.node_if_made();
  const std::string figures = node != nullptr ? node->figures_of_ways() : std::string();
  if (!figures.empty())
    std::fprintf(stderr, "rondo: a long block from rank 0 to the nearest rank of its node:\n%s",
                 figures.c_str());
}

/// Counts as calls already made where a communicator is prepared before its first call, which says that many will
/// follow: 16 of them are enough then.
constexpr std::uint64_t kPrepared = select::Learning::kFirstUnseen - 16;

/// How many states this process has made.
std::atomic<std::size_t> g_states{0};

void raise_last_exchange(std::uint64_t number) {
  std::uint64_t known = g_last_exchange;
  while (known < number && !g_last_exchange.compare_exchange_weak(known, number)) {
  }
}

}  // namespace

ChoiceOrAuto parse_choice(buffers::Form form, const char* text) {
  if (text == nullptr || *text == '\0' || std::strcmp(text, "auto") == 0) return std::nullopt;
  return choice::parse(buffers::collective_of(form), text);
}

State::State(MPI_Comm comm) : comm_(comm), number_(++g_states) {
  check(PMPI_Comm_rank(comm, &rank_), "MPI_Comm_rank");
  check(PMPI_Comm_size(comm, &ranks_), "MPI_Comm_size");
}

void State::begin(registry::Settings settings) {
  settings_ = std::move(settings);
  deferral_ = Deferral(settings_.forward_calls);
  const std::string* texts[] = {&settings_.alltoall, &settings_.alltoallv, &settings_.alltoallw,
                                &settings_.sparse_alltoallv, &settings_.neighbor_alltoallv};
  for (std::size_t form = 0; form < choices_.size(); ++form)
    choices_[form] = parse_choice(static_cast<buffers::Form>(form), texts[form]->c_str());
}

State::~State() {
  close();
}

void State::close_together() {
  if (!own_.has_context()) return;
  own_.end_learning(is_given_up());
  if (neighbourhood) neighbourhood->end_learning(is_given_up());
  automatic_sparse_->end_learning(is_given_up());
  note_learned();
}

void State::note_learned() {
  if (rank_ == 0 && own_.has_context() && learns() && !std::exchange(has_noted_, true))
    communicator::note_learned(*this);
}

void State::end_with(const std::shared_ptr<Learner>& learner) {
  std::erase_if(learners_of_plans_, [](const auto& other) { return other.expired(); });
  learners_of_plans_.push_back(learner);
}

void State::close() {
  if (is_closed_ || !is_prepared()) return;
  is_closed_ = true;
  for (const auto& learner : learners_of_plans_)
    if (const auto alive = learner.lock()) alive->end(is_given_up());
  raise_last_exchange(own_.context().last_exchange());
  for (const auto& channel : ring_) raise_last_exchange(channel->context().last_exchange());
  count_freed();
  if (settings_.verbose != 0 && rank_ == 0) print_ways(own_.context());
  const auto is_open = [](const auto& channel) {
    return channel->started && !channel->started->has_ended();
  };
  if (is_given_up() || taken_ != 0 || std::ranges::any_of(ring_, is_open)) return;
  int is_finalized = 0;
  if (PMPI_Finalized(&is_finalized) != MPI_SUCCESS || is_finalized) return;
  PMPI_Comm_free(&own_.context().comm);
}

void State::abandon(engines::Context& context) {
  is_broken_ = true;
  context.messages.abandon();
  context.early.abandon();
  context.sparse.abandon();
}

void State::give_up() {
  is_broken_ = true;
  if (own_.has_context()) abandon(own_.context());
}

std::unique_ptr<Channel> State::make_channel(std::size_t number, const engines::Limits& limits,
                                             const mpi::Tags& tags) const {
  const engines::Context& own = own_.context();
  auto channel = std::make_unique<Channel>();
  channel->number = number;
  channel->begin(
      std::make_unique<engines::Context>(own.comm, own.nodes, limits, own.last_exchange(), tags),
      settings_);
  // Otherwise a start would copy long blocks before it returns.
  if (settings_.single_copy != 0)
    channel->context().limits.memory.pulls = engines::Node::Pulls::always;
  return channel;
}

Channel& State::next_channel() {
  const engines::Context& own = context();
  while (ring_.size() < static_cast<std::size_t>(settings_.requests)) {
    const auto tags = mpi::tags::of_channel(static_cast<int>(ring_.size()));
    ring_.push_back(make_channel(ring_.size(), own.limits, tags));
  }
  return *ring_[starts_++ % ring_.size()];
}

/// Its slots are no longer than what its short blocks need, so that there may be many such requests.
std::unique_ptr<Channel> State::take_channel(std::size_t longest) {
  const engines::Context& own = begin_exchange();
  const std::uint64_t free =
      mpi::combined(own.tagged_comm(), ~taken_, std::bit_and<std::uint64_t>());
  if (free == 0) return nullptr;
  const int number = std::countr_zero(free);
  engines::Limits limits = own.limits;
  if (longest < segment::Times::kShortest) {
    const std::size_t block =
        round_up(std::max<std::size_t>(longest, 1), engines::NodeLayout::kShortestLimit);
    limits.memory.slot_bytes =
        std::min(limits.memory.slot_bytes, static_cast<std::size_t>(ranks_) * block);
  }
  auto channel = make_channel(mpi::tags::kMostChannels + static_cast<std::size_t>(number), limits,
                              mpi::tags::of_persistent(number));
  taken_ |= std::uint64_t{1} << number;
  return channel;
}

void State::give_back(std::unique_ptr<Channel> channel) {
  const std::size_t number = channel->number - mpi::tags::kMostChannels;
  raise_last_exchange(channel->context().last_exchange());
  channel.reset();
  taken_ &= ~(std::uint64_t{1} << number);
}

/// An exchange that there was no memory for has not begun, and other ranks wait for it. Prepares a new channel
/// together with the other ranks.
void State::begin_turn(Channel& channel, std::uint64_t number) {
  if (channel.begun != number) is_broken_ = true;
  channel.begun = number + 1;
  context();  // throws if it cannot be used
  if (!channel.is_prepared()) {
    try {
      channel.prepare(choices_);
    } catch (...) {
      abandon(channel.context());
      throw;
    }
  }
  channel.context().begin_exchange();
}

bool State::is_deferred(buffers::Form form) {
  return !choice_or_auto(form) && settings_.check == 0 && deferral_.defers(comm_, ranks_);
}

void State::throw_unusable() const {
  if (is_closed_)
    throw Error(ErrorClass::other, "Rondo cannot be used after MPI_Finalize has begun");
  if (has_failed_ && !is_broken_)
    throw Error(
        ErrorClass::other,
        "Rondo could not set itself up on this communicator; its exchanges are forwarded to "
        "the MPI library");
  throw Error(ErrorClass::other,
              "an error interrupted an earlier exchange on this communicator, and other ranks may "
              "still be in it; use a new communicator");
}

MPI_Comm State::forwarding_comm() {
  return (is_closed_ || has_failed_) && comm_ != MPI_COMM_NULL ? comm_ : context().comm;
}

MPI_Comm State::error_comm() const {
  if (comm_ != MPI_COMM_NULL) return comm_;
  return is_prepared() && !is_closed_ ? own_.context().comm : MPI_COMM_SELF;
}

choice::Choice State::usable_for(buffers::Form form, const choice::OpenChoice& open) {
  if (form == buffers::Form::sparse_alltoallv) return usable_sparse(open);
  const choice::Choice choice = choice::resolve(open, own_.context().layout());
  return form == buffers::Form::neighbor_alltoallv ? usable_on_edges(own_.context(), choice)
                                                   : usable(choice, 0);
}

void State::set_choice(buffers::Form form, ChoiceOrAuto choice) {
  for (const auto& channel : ring_) channel->complete();
  last_choice_.forget();
  std::optional<choice::Choice> resolved;
  if (choice && is_prepared()) resolved = usable_for(form, *choice);
  own_.set_resolved(form, std::move(resolved));
  if (std::ranges::find(buffers::kStartedForms, form) != buffers::kStartedForms.end())
    for (const auto& channel : ring_)
      if (channel->is_prepared()) channel->resolve(form, choice);
  choices_[index(form)] = std::move(choice);
}

const choice::Choice& State::choose_sparse() {
  const auto& resolved = own_.resolved(buffers::Form::sparse_alltoallv);
  const choice::Choice& choice = resolved ? *resolved : automatic_sparse_->choose();
  note_choice(choice);
  return choice;
}

choice::Choice State::usable_sparse(const choice::OpenChoice& open) {
  const bool needs_node = open.algorithm->shape == registry::Shape::node;
  if (needs_node && own_.context().node() == nullptr) return automatic_sparse_->first();
  return choice::resolve(open, own_.context().layout());
}

choice::Choice State::choose_for_lengths(Channel& channel) {
  const choice::Choice& choice = channel.choose(buffers::Form::alltoall, sizeof(std::uint64_t));
  return &channel == &own_ ? choice : channel.instead_of_library(choice);
}

void State::prepare() {
  if (!awaits_set_up()) return;
  std::optional<Abilities> found;
  const auto failure = failure_of([&] {
    found = set_up(comm_, settings_, g_last_exchange, [this](auto context) {
      own_.begin(std::move(context), settings_);
      automatic_sparse_.emplace(own_.context(), settings_);
    });
  });
  if (!found) {
    automatic_sparse_.reset();
    own_.end();
    if (failure) throw Error(*failure);
    has_failed_ = true;
    return;
  }
  packs_raw_ = found->packs_raw;
  can_have_progress_hook_ = found->has_progress_hook;
  if (learns()) {
    const std::uint64_t calls = deferral_.calls() != 0 ? deferral_.calls() : kPrepared;
    own_.begin_learning(calls, deferral_.longest_call());
    automatic_sparse_->begin_learning(calls);
  }
  for (std::size_t form = 0; form < choices_.size(); ++form)
    set_choice(static_cast<buffers::Form>(form), choices_[form]);
}

}  // namespace rondo::communicator
