#include "communicator/state.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <utility>

#include "communicator/neighbourhood.hpp"
#include "communicator/profile.hpp"
#include "communicator/set_up.hpp"
#include "mpi/error.hpp"
#include "mpi/transport.hpp"

namespace rondo::communicator {

using mpi::check;

namespace {

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
  is_observed_ = settings_.ab != 0 || settings_.counts() || !settings_.record.empty();
  deferral_.emplace(settings_.forward_calls, ranks_);
  const std::pair<const char*, const std::string&> named[] = {
      {"RONDO_ALLTOALL", settings_.alltoall},
      {"RONDO_ALLTOALLV", settings_.alltoallv},
      {"RONDO_ALLTOALLW", settings_.alltoallw},
      {"RONDO_SPARSE_ALLTOALLV", settings_.sparse_alltoallv},
      {"RONDO_NEIGHBOR_ALLTOALLV", settings_.neighbor_alltoallv}};
  for (std::size_t form = 0; form < choices_.size(); ++form) {
    const auto& [variable, algorithm] = named[form];
    try {
      choices_[form] = parse_choice(static_cast<buffers::Form>(form), algorithm.c_str());
    } catch (const Error& error) {
      throw Error(error.error_class(), text(variable, ": ", error.what()));
    }
  }
}

State::~State() {
  close();
}

void State::watch(std::unique_ptr<Watched> first) {
  watched_ = Watched::agree(comm_, *this, std::move(first));
}

/// A watched call comes here each time, since it has forgotten the choice of the one before.
[[gnu::noinline]] void State::change_choice(const choice::Choice& choice,
                                            const buffers::Binding* binding) {
  last_choice_.replace(choice);
  if (watched_) watched_->note_choice(binding == nullptr ? nullptr : &binding->sending());
}

void State::close_together() {
  if (!own_.has_context()) return;
  const bool is_given_up = life() == Life::given_up;
  own_.end_learning(is_given_up);
  if (neighbourhood) neighbourhood->end_learning(is_given_up);
  sparse_->end_learning(is_given_up);
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
  if (!own_.has_context()) return;
  const Life before = life_.exchange(Life::closed);
  if (before == Life::closed) return;
  goes_straight_ = false;
  for (const auto& learner : learners_of_plans_)
    if (const auto alive = learner.lock()) alive->end(before == Life::given_up);
  note_last_exchange(own_.context().last_exchange());
  channels_->note_last_exchanges();
  count_freed();
  if (settings_.verbose != 0 && rank_ == 0) print_ways(own_.context());
  if (before == Life::given_up || !channels_->are_over()) return;
  int is_finalized = 0;
  if (PMPI_Finalized(&is_finalized) != MPI_SUCCESS || is_finalized) return;
  mpi::free_comm_of(own_.context().transport());
}

void State::abandon(engines::Context& context) {
  begin_no_more();
  context.abandon();
}

void State::give_up() {
  begin_no_more();
  if (own_.has_context()) own_.context().abandon();
}

void State::begin_no_more() {
  Life now = life();
  while (now != Life::closed && !life_.compare_exchange_weak(now, Life::given_up)) {
  }
}

/// An exchange that there was no memory for has not begun, and other ranks wait for it. Prepares a new channel
/// together with the other ranks.
void State::begin_turn(Channel& channel, std::uint64_t number) {
  if (channel.begun != number) begin_no_more();
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
  return !choice_or_auto(form) && settings_.check == 0 && deferral_->defers(comm_);
}

void State::throw_unusable() const {
  switch (life()) {
    case Life::closed:
      throw Error(ErrorClass::other, "Rondo cannot be used after MPI_Finalize has begun");
    case Life::given_up:
      throw Error(ErrorClass::other,
                  "an error interrupted an earlier exchange on this communicator, and other ranks "
                  "may still be in it; use a new communicator");
    default:
      throw Error(ErrorClass::other,
                  "Rondo could not set itself up on this communicator; its exchanges are forwarded "
                  "to the MPI library");
  }
}

MPI_Comm State::forwarding_comm() {
  const bool is_users = life() == Life::closed || !own_.has_context();
  return is_users && comm_ != MPI_COMM_NULL ? comm_ : mpi::comm_of(context().transport());
}

MPI_Comm State::error_comm() const {
  if (comm_ != MPI_COMM_NULL) return comm_;
  return own_.has_context() && life() != Life::closed ? mpi::comm_of(own_.context().transport())
                                                      : MPI_COMM_SELF;
}

choice::Choice State::usable_for(buffers::Form form, const choice::OpenChoice& open) {
  const bool is_sparse = form == buffers::Form::sparse_alltoallv;
  if (is_sparse && open.algorithm->needs_node() && own_.context().node() == nullptr)
    return sparse_->first();
  return own_.usable(choice::resolve(open, own_.context().layout()), 0);
}

void State::set_choice(buffers::Form form, ChoiceOrAuto choice) {
  last_choice_.forget();
  if (own_.has_context()) {
    channels_->complete();
    std::optional<choice::Choice> resolved;
    if (choice) resolved = usable_for(form, *choice);
    own_.set_resolved(form, std::move(resolved));
    if (std::ranges::find(buffers::kStartedForms, form) != buffers::kStartedForms.end())
      channels_->resolve(form, choice);
  }
  choices_[index(form)] = std::move(choice);
}

void State::prepare() {
  if (life() != Life::counting) return;
  std::optional<Abilities> found;
  const auto failure = failure_of([&] {
    found = set_up(comm_, settings_, [this](auto context) {
      own_.begin(std::move(context), settings_);
      channels_.emplace(own_.context(), settings_);
      sparse_.emplace(own_.context(), settings_);
    });
  });
  if (!found) {
    sparse_.reset();
    channels_.reset();
    own_.end();
    if (failure) {
      begin_no_more();
      throw Error(*failure);
    }
    life_ = Life::forwarding;
    return;
  }
  life_ = Life::ready;
  goes_straight_ = watched_ == nullptr;
  packs_raw_ = found->packs_raw;
  can_have_progress_hook_ = found->has_progress_hook;
  if (learns()) {
    const std::uint64_t calls = deferral_->calls() != 0 ? deferral_->calls() : kPrepared;
    own_.begin_learning(calls, deferral_->longest_call());
    sparse_->begin_learning(calls);
  }
  for (std::size_t form = 0; form < choices_.size(); ++form)
    set_choice(static_cast<buffers::Form>(form), choices_[form]);
}

}  // namespace rondo::communicator
