#include "api/state.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "exchange/mpi_error.hpp"
#include "exchange/owned_comm.hpp"

namespace rondo::api {

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

Form parse_form(const char* name) {
  for (std::size_t form = 0; form < kFormNames.size(); ++form)
    if (name != nullptr && std::strcmp(name, kFormNames[form]) == 0) return static_cast<Form>(form);
  throw Error(ErrorClass::argument, text("collective is '", name == nullptr ? "(null)" : name,
                                         "', must be alltoall, alltoallv or alltoallw"));
}

Wanted parse_wanted(Form form, const char* text) {
  if (text == nullptr || *text == '\0' || std::strcmp(text, "auto") == 0) return std::nullopt;
  return registry::parse(collective_of(form), text);
}

State::State(MPI_Comm comm, registry::Settings settings)
    : comm_(comm), number_(++g_states), settings_(std::move(settings)) {
  check(PMPI_Comm_rank(comm, &rank_), "MPI_Comm_rank");
  check(PMPI_Comm_size(comm, &ranks_), "MPI_Comm_size");
  const std::string* texts[] = {&settings_.alltoall, &settings_.alltoallv, &settings_.alltoallw};
  for (std::size_t form = 0; form < wanted_.size(); ++form)
    wanted_[form] = parse_wanted(static_cast<Form>(form), texts[form]->c_str());
}

State::~State() {
  close();
}

void State::close() {
  if (is_closed_ || !context_) return;
  is_closed_ = true;
  raise_last_exchange(context_->last_exchange());
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

bool State::leave_to_library(Form form) {
  last_choice_ = nullptr;
  if (!is_prepared()) {
    const bool is_early = calls_++ < settings_.forward_calls;
    if (is_early && !wanted(form) && settings_.check == 0) return true;
    prepare();
  }
  return !packs_raw_;
}

void State::throw_unusable() const {
  if (is_closed_)
    throw Error(ErrorClass::other, "the exchange is used after MPI_Finalize has begun");
  throw Error(ErrorClass::other,
              "an earlier exchange on this communicator broke off, and other ranks may still be in "
              "it");
}

MPI_Comm State::library_comm() {
  return is_closed_ && comm_ != MPI_COMM_NULL ? comm_ : context().comm;
}

MPI_Comm State::error_comm() const {
  if (comm_ != MPI_COMM_NULL) return comm_;
  return is_prepared() && !is_closed_ ? context_->comm : MPI_COMM_SELF;
}

void State::set_wanted(Form form, Wanted wanted) {
  auto& resolved = resolved_[index(form)];
  resolved.reset();
  last_choice_ = nullptr;
  if (wanted && is_prepared()) resolved = usable(registry::resolve(*wanted, context_->layout()), 0);
  wanted_[index(form)] = std::move(wanted);
}

const registry::Choice& State::choose(Form form, std::optional<std::size_t> block_bytes) {
  const auto& resolved = resolved_[index(form)];
  last_choice_ = resolved ? &*resolved : &auto_->choose(collective_of(form), block_bytes);
  return *last_choice_;
}

Auto::Blind State::choose_blindly() {
  const auto& resolved = resolved_[index(Form::alltoall)];
  const Auto::Blind blind = resolved ? Auto::Blind{.choice = &*resolved}
                                     : auto_->choose_blindly(registry::Collective::alltoall);
  last_choice_ = blind.choice;
  return blind;
}

namespace {

/// The lowest rank of `comm` on this rank's node: a number that names the node.
int node_number(MPI_Comm comm, int rank) {
  exchange::OwnedComm node;
  check(PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node.handle),
        "MPI_Comm_split_type");
  int lowest = rank;
  check(PMPI_Allreduce(&rank, &lowest, 1, MPI_INT, MPI_MIN, node.handle), "MPI_Allreduce");
  return lowest;
}

/// What every rank tells every other when the private side is made.
struct Introduction {
  std::int64_t node;
  std::int64_t packs_raw;
  std::uint64_t last_exchange;
};

std::vector<Introduction> introduce(MPI_Comm comm, int rank, int ranks) {
  const Introduction own{.node = node_number(comm, rank),
                         .packs_raw = packs_raw_bytes(comm),
                         .last_exchange = g_last_exchange};
  std::vector<Introduction> all(static_cast<std::size_t>(ranks));
  check(PMPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, comm),
        "MPI_Allgather");
  return all;
}

}  // namespace

void State::prepare() {
  if (context_) return;
  exchange::OwnedComm own;
  // Not a dup: that would run the copy callbacks of the user's attributes.
  check(PMPI_Comm_split(comm_, 0, rank_, &own.handle), "MPI_Comm_split");
  check(PMPI_Comm_set_errhandler(own.handle, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  std::vector<int> nodes;
  std::uint64_t last_exchange = 0;
  for (const Introduction& introduction : introduce(own.handle, rank_, ranks_)) {
    nodes.push_back(static_cast<int>(introduction.node));
    packs_raw_ = packs_raw_ && introduction.packs_raw != 0;
    last_exchange = std::max(last_exchange, introduction.last_exchange);
  }
  const exchange::Limits limits{.padding_bytes = static_cast<std::size_t>(settings_.padding_bytes),
                                .slot_bytes = static_cast<std::size_t>(settings_.slot_bytes)};
  context_ = std::make_unique<exchange::Context>(own.handle, schedule::NodeMap(nodes), limits,
                                                 last_exchange);
  auto_.emplace(*context_, settings_);
  own.release();
  for (std::size_t form = 0; form < wanted_.size(); ++form)
    set_wanted(static_cast<Form>(form), wanted_[form]);
}

}  // namespace rondo::api
