#include "communicator/state.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "communicator/set_up.hpp"
#include "exchange/mpi_error.hpp"

namespace rondo::communicator {

using exchange::check;

namespace {

/// The highest number of an exchange on a communicator that this process has freed. MPI may give
/// that communicator's place to a new one, with the messages in it that nobody received: numbers
/// go on from here.
std::atomic<std::uint64_t> g_last_exchange{0};

/// The states that this process has made.
std::atomic<std::size_t> g_states{0};

void raise_last_exchange(std::uint64_t number) {
  std::uint64_t known = g_last_exchange;
  while (known < number && !g_last_exchange.compare_exchange_weak(known, number)) {
  }
}

}  // namespace

buffers::Form parse_form(const char* name) {
  for (std::size_t form = 0; form < buffers::kFormNames.size(); ++form)
    if (name != nullptr && std::strcmp(name, buffers::kFormNames[form]) == 0)
      return static_cast<buffers::Form>(form);
  throw Error(ErrorClass::argument, text("collective is '", name == nullptr ? "(null)" : name,
                                         "', must be alltoall, alltoallv or alltoallw"));
}

Wanted parse_wanted(buffers::Form form, const char* text) {
  if (text == nullptr || *text == '\0' || std::strcmp(text, "auto") == 0) return std::nullopt;
  return choice::parse(buffers::collective_of(form), text);
}

State::State(MPI_Comm comm, registry::Settings settings)
    : comm_(comm),
      number_(++g_states),
      settings_(std::move(settings)),
      deferral_(settings_.forward_calls) {
  check(PMPI_Comm_rank(comm, &rank_), "MPI_Comm_rank");
  check(PMPI_Comm_size(comm, &ranks_), "MPI_Comm_size");
  const std::string* texts[] = {&settings_.alltoall, &settings_.alltoallv, &settings_.alltoallw};
  for (std::size_t form = 0; form < wanted_.size(); ++form)
    wanted_[form] = parse_wanted(static_cast<buffers::Form>(form), texts[form]->c_str());
}

State::~State() {
  close();
}

void State::close() {
  if (is_closed_ || !context_) return;
  is_closed_ = true;
  raise_last_exchange(context_->last_exchange());
  count_freed();
  if (is_broken_) return;
  int is_finalized = 0;
  if (PMPI_Finalized(&is_finalized) == MPI_SUCCESS && !is_finalized)
    PMPI_Comm_free(&context_->comm);
}

void State::abandon() {
  is_broken_ = true;
  if (!context_) return;
  context_->messages.abandon();
  context_->early.abandon();
}

bool State::is_deferred(buffers::Form form) {
  return !wanted(form) && settings_.check == 0 && deferral_.defers(comm_, ranks_);
}

void State::throw_unusable() const {
  if (is_closed_)
    throw Error(ErrorClass::other, "the exchange is used after MPI_Finalize has begun");
  if (has_failed_)
    throw Error(ErrorClass::other,
                "Rondo could not set itself up on this communicator; its exchanges are the MPI "
                "library's");
  throw Error(ErrorClass::other,
              "an earlier exchange on this communicator broke off, and other ranks may still be in "
              "it");
}

MPI_Comm State::library_comm() {
  return (is_closed_ || has_failed_) && comm_ != MPI_COMM_NULL ? comm_ : context().comm;
}

MPI_Comm State::error_comm() const {
  if (comm_ != MPI_COMM_NULL) return comm_;
  return is_prepared() && !is_closed_ ? context_->comm : MPI_COMM_SELF;
}

void State::set_wanted(buffers::Form form, Wanted wanted) {
  auto& resolved = resolved_[index(form)];
  resolved.reset();
  last_choice_ = nullptr;
  if (wanted && is_prepared()) resolved = usable(choice::resolve(*wanted, context_->layout()), 0);
  wanted_[index(form)] = std::move(wanted);
}

const choice::Choice& State::choose(buffers::Form form, std::optional<std::size_t> block_bytes) {
  const auto& resolved = resolved_[index(form)];
  last_choice_ = resolved ? &*resolved : &auto_->choose(buffers::collective_of(form), block_bytes);
  return *last_choice_;
}

Auto::Blind State::choose_blindly() {
  const auto& resolved = resolved_[index(buffers::Form::alltoall)];
  const Auto::Blind blind = resolved ? Auto::Blind{.choice = &*resolved}
                                     : auto_->choose_blindly(registry::Collective::alltoall);
  last_choice_ = blind.choice;
  return blind;
}

void State::prepare() {
  if (!is_untried()) return;
  PrivateSide side = set_up(comm_, settings_, g_last_exchange);
  has_failed_ = side.context == nullptr;
  if (has_failed_) return;
  context_ = std::move(side.context);
  packs_raw_ = side.packs_raw;
  auto_.emplace(*context_, settings_);
  for (std::size_t form = 0; form < wanted_.size(); ++form)
    set_wanted(static_cast<buffers::Form>(form), wanted_[form]);
}

}  // namespace rondo::communicator
