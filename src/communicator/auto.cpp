#include "communicator/auto.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <deque>
#include <limits>
#include <mutex>
#include <utility>

#include "communicator/profile.hpp"
#include "communicator/turns.hpp"
#include "mpi/transport.hpp"
#include "select/variants.hpp"
#include "transport/agreement.hpp"

namespace rondo::communicator {

using choice::Choice;
using registry::Collective;

namespace {

// While the chosen algorithm does not report lengths, the last kReportingCalls of 64 calls run an algorithm that
// does, since loads change. While they do not, each such period has twice as many calls as the one before, up to
// kMostSilence. Two calls are needed, because some algorithms report the length of the call before.
constexpr int kMostSilence = 512;
constexpr int kReportingCalls = 2;

// Calls of a cell before it looks for other algorithms: one, so that what the first call makes is not timed, if it is
// known what the library takes. Otherwise nothing is tried before select::Learning::kFirstUnseen calls on the
// communicator, so a program of fewer calls does not look at all.
constexpr std::uint64_t kCallsIfKnown = 1;
constexpr std::uint64_t kLeastCalls = 8;

// The bits of the longest of the short lengths, and of the shortest of the very long ones.
constexpr int kShort = 6;
constexpr int kLong = 24;

/// Lengths with one number are measured together. Short blocks cost alike, and so do very long ones. Where the length
/// is that of the longest of many blocks, it varies from call to call.
int number_of(std::size_t bytes, Kind kind) {
  const int bits = std::clamp(static_cast<int>(std::bit_width(bytes)), kShort, kLong);
  return kind == Kind::alltoall ? bits : bits / 2;
}

/// The least length with that number.
std::size_t least_with(int number, Kind kind) {
  const int bits = kind == Kind::alltoall ? number : 2 * number;
  return bits <= kShort ? 0 : std::size_t{1} << (bits - 1);
}

/// The greatest one.
std::size_t greatest_with(int number, Kind kind) {
  return number == number_of(select::kNoEnd, kind) ? select::kNoEnd
                                                   : least_with(number + 1, kind) - 1;
}

bool needs_node(const Choice& choice) {
  return choice.algorithm->needs_node();
}

bool reports_longest(const Choice& choice) {
  return select::reports_longest({.algorithm = choice.algorithm});
}

/// What rank 0 announces.
struct Announced {
  select::Decisions decisions;
  choice::OpenChoice reporting;  ///< what reports lengths if none of the decisions' algorithms does
};

/// Predicts once for each place without a profile.
select::Decisions predicted_once(const select::Place& place) {
  using Known = std::pair<select::Place, select::Decisions>;
  static std::mutex mutex;
  static auto& predicted = *new std::deque<Known>;
  const std::lock_guard lock(mutex);
  const auto known = std::ranges::find(predicted, place, &Known::first);
  if (known != predicted.end()) return known->second;
  return predicted.emplace_back(place, select::decide(place, nullptr)).second;
}

/// Decides once for each place and profile, since programs make many communicators of one layout.
Announced decide_once(const select::Place& place, const std::string& profile) {
  using Known = std::pair<std::pair<select::Place, std::string>, Announced>;
  static std::mutex mutex;
  static auto& decided = *new std::deque<Known>;
  const std::lock_guard lock(mutex);
  const auto key = std::make_pair(place, profile);
  const auto known = std::ranges::find(decided, key, &Known::first);
  if (known != decided.end()) return known->second;
  const auto found = find_profile(profile);
  const select::Decisions decisions =
      found == nullptr ? predicted_once(place) : select::decide(place, found.get());
  const Announced now{decisions, select::reporting(decisions.alltoallv, place, found.get())};
  return decided.emplace_back(key, now).second;
}

std::string to_text(const Announced& announced) {
  return announced.reporting.text() + '\n' + select::to_text(announced.decisions);
}

Announced announced_from(std::string_view text) {
  const std::size_t end = text.find('\n');
  return {select::decisions_from(text.substr(end + 1)),
          choice::parse(Collective::alltoallv, text.substr(0, end))};
}

/// Returns what rank 0 decides, since profiles and processors differ between nodes. The reasons for it
/// stay on rank 0.
Announced decided_by_rank_0(const transport::Tagged& tagged, const select::Place& place,
                            const std::string& profile) {
  std::optional<Announced> own;
  const std::string announced = transport::text_of_rank_0(tagged, [&] {
    own = decide_once(place, profile);
    return to_text(*own);
  });
  return own ? std::move(*own) : announced_from(announced);
}

}  // namespace

void Auto::predict_ahead(int ranks) {
  const bool is_built = engines::Node::is_built();
  const select::Place place{.layout = {.ranks = ranks, .nodes = 1, .per_node = ranks},
                            .has_node = is_built,
                            .copies_long = is_built};
  // Rank 0 says what is wrong with a profile, and is not known yet.
  if (has_default_profile())
    predicted_once(place);
  else
    decide_once(place, "");
}

/// `is_exact`: all blocks have this length.
const Choice& Auto::choose_anew(Kind kind, std::size_t bytes, bool is_exact) {
  const Collective collective = collective_of(kind);
  Last& last = last_[index_of(kind)];
  if (last.block_bytes != bytes || last.cell == &none_) {
    Cell& now = cell_of(kind, bytes);
    if (last.cell != &now) silences_[index_of(kind)] = {};
    last = {.block_bytes = bytes, .cell = &now};
  }
  Cell& cell = *last.cell;
  if (cell.turns.is_over()) begin_turn(cell, bytes, is_exact);
  if (!is_exact && !cell.reports && !timed_.has_begun() && must_report(kind))
    return reporting_choice(collective, bytes);
  if (!is_exact && !cell.reports) context_.longest.forget();
  return cell.turns.next();
}

/// Counts a call for which an algorithm is chosen that does not report lengths.
bool Auto::must_report(Kind kind) {
  Silence& silence = silences_[index_of(kind)];
  if (silence.calls == silence.period)
    silence = {.calls = 0, .period = std::min(2 * silence.period, kMostSilence)};
  return silence.calls++ >= silence.period - kReportingCalls || expects_change(collective_of(kind));
}

Auto::Cell& Auto::cell_of(Kind kind, std::size_t bytes) {
  const std::size_t band = look_up(collective_of(kind), bytes, false);
  const int length = number_of(bytes, kind);
  for (Cell& cell : cells_)
    if (cell.kind == kind && cell.band == band && cell.length == length) return cell;
  if (settings_.verbose != 0 && context_.rank == 0)
    print_decision(collective_of(kind), bytes, band);
  return cells_.emplace_back(Cell{.kind = kind, .band = band, .length = length});
}

void Auto::begin_turn(Cell& cell, std::size_t bytes, bool is_exact) {
  if (!cell.turns.have_begun()) return begin_first_turn(cell, bytes, is_exact);
  if (!cell.turns.learner()) cell.turns.learn_by(make_learner(cell, bytes));
  timed_.begin(cell.turns.begin_learned(context_, settings_, bytes));
  cell.reports = reports_longest(cell.turns.choice());
}

void Auto::begin_first_turn(Cell& cell, std::size_t bytes, bool is_exact) {
  const Choice& first = first_choice(cell);
  cell.reports = reports_longest(first);
  cell.is_of_any_length = !is_exact && bytes == 0;
  // The length of the first calls is not known yet. If they do not report it, it stays so for many.
  if (is_exact || bytes != 0 || !cell.reports) cell.library_time = std::exchange(library_time_, 0);
  cell.turns.begin(first, learns_ ? calls_to_learner(cell) : Turns::kNoEnd);
}

/// What calls of about the same length have found faster than the choice that is decided for both lengths, if they have
/// found anything. Calls whose length was not known count too, since their blocks may have had this length.
const Choice& Auto::first_choice(const Cell& cell) {
  const Collective collective = collective_of(cell.kind);
  const Choice& decided = choice_of(collective, *cell.band);
  if (!learns_) return decided;
  for (const Cell& other : cells_) {
    if (other.kind != cell.kind || !other.turns.learner() || !other.band) continue;
    if (!other.is_of_any_length && std::abs(other.length - cell.length) > 1) continue;
    const Choice& best = other.turns.best();
    if (choice_of(collective, *other.band) == decided && best != decided) return best;
  }
  return decided;
}

std::uint64_t Auto::calls_to_learner(const Cell& cell) const {
  if (cell.library_time != 0) return kCallsIfKnown;
  constexpr std::uint64_t kFirst = select::Learning::kFirstUnseen;
  return std::max(kLeastCalls, kFirst - std::min(calls_before_, kFirst));
}

/// What the cell runs is the first one.
std::vector<Choice> Auto::choices_of(const Cell& cell, std::size_t bytes) {
  const Choice& decided = choice_of(collective_of(cell.kind), *cell.band);
  auto choices = worth_trying(context_, settings_, decided, bytes);
  const auto runs = std::ranges::find(choices, cell.turns.choice());
  if (runs != choices.end()) {
    std::rotate(choices.begin(), runs, runs + 1);
    return choices;
  }
  static_assert(select::kMostTried < select::Learning::kMostChoices);
  choices.insert(choices.begin(), cell.turns.choice());
  return choices;
}

std::shared_ptr<Learner> Auto::make_learner(const Cell& cell, std::size_t bytes) {
  auto choices = choices_of(cell, bytes);
  const std::int64_t library_time =
      cell.library_time == 0
          ? 0
          : transport::combined(context_.tagged(), cell.library_time, std::plus<>());
  return std::make_shared<Learner>(mpi::comm_of(context_.transport()), std::move(choices),
                                   context_.last_exchange(), calls_before_ + calls_to_learner(cell),
                                   library_time);
}

const Choice& Auto::choose_for_plan(Kind kind, std::size_t block_bytes) {
  const Cell& cell = cell_of(kind, block_bytes);
  return cell.turns.learner() && learns_ ? cell.turns.best()
                                         : choice_of(collective_of(kind), *cell.band);
}

const Choice* Auto::learned(Kind kind, std::size_t block_bytes) const {
  if (!learns_) return nullptr;
  const int length = number_of(block_bytes, kind);
  for (const Cell& cell : cells_)
    if (cell.kind == kind && cell.length == length && cell.turns.learner() && cell.band &&
        cell.band == (*tables_)[index_of(collective_of(kind))].band_of(block_bytes))
      return &cell.turns.best();
  return nullptr;
}

std::vector<Auto::Learned> Auto::all_learned() const {
  std::vector<Learned> all;
  for (const Cell& cell : cells_) {
    if (!cell.turns.learner() || !cell.band) continue;
    const Table& table = (*tables_)[index_of(collective_of(cell.kind))];
    const std::size_t at = *cell.band;
    const std::size_t begin = at == 0 ? 0 : table.bands[at - 1].up_to + 1;
    all.push_back({.kind = cell.kind,
                   .from = std::max(begin, least_with(cell.length, cell.kind)),
                   .up_to = std::min(table.bands[at].up_to, greatest_with(cell.length, cell.kind)),
                   .decided = table.choices[at],
                   .learner = cell.turns.learner().get()});
  }
  return all;
}

std::optional<select::Decisions> Auto::measurable_decisions() const {
  const bool shares_memory =
      context_.node_if_made() != nullptr || context_.layout().real_nodes() == context_.ranks;
  if (!tables_ || !has_node_ || !shares_memory) return std::nullopt;
  return select::Decisions{.alltoall = (*tables_)[index_of(Collective::alltoall)].bands,
                           .alltoallv = (*tables_)[index_of(Collective::alltoallv)].bands};
}

void Auto::end_learning(bool is_given_up) {
  for (Cell& cell : cells_) cell.turns.end(is_given_up);
}

void Auto::prepare() {
  const engines::Node* const node = context_.node();
  has_node_ = node != nullptr;
  copies_long_ = has_node_ && node->copies_long();
  tables_ = make_tables();
}

bool Auto::expects_change(Collective collective) {
  const Table& all = table(collective);
  const engines::Longest& longest = context_.longest;
  return all.band_of(longest.latest_bytes()) != all.band_of(longest.bytes());
}

std::size_t Auto::look_up(Collective collective, std::size_t block_bytes, bool must_report) {
  const std::size_t band = table(collective).band_of(block_bytes, must_report);
  if (!needs_node(choice_of(collective, band))) return band;
  const engines::Node* const node = context_.node();
  if (node != nullptr && node->copies_long() == copies_long_) return band;
  // No decision of a table has used shared memory yet, so all ranks can decide again. A call in progress may still be
  // timed by the learner of its cell.
  has_node_ = node != nullptr;
  copies_long_ = has_node_ && node->copies_long();
  tables_.reset();
  last_.fill({.block_bytes = 0, .cell = &none_});
  for (Cell& cell : cells_) cell.band.reset();
  return table(collective).band_of(block_bytes, must_report);
}

const Choice& Auto::reporting_choice(Collective collective, std::size_t block_bytes) {
  const std::size_t band = look_up(collective, block_bytes, true);
  const Choice& choice = choice_of(collective, band);
  return reports_longest(choice) ? choice : table(collective).fallback;
}

const Choice& Auto::choice_of(Collective collective, std::size_t band) {
  return table(collective).choices[band];
}

Auto::Table& Auto::table(Collective collective) {
  if (!tables_) tables_ = make_tables();
  return (*tables_)[index_of(collective)];
}

Auto::Tables Auto::make_tables() const {
  const choice::Layout layout = context_.layout();
  Announced announced = decided_by_rank_0(
      context_.tagged(), {.layout = layout, .has_node = has_node_, .copies_long = copies_long_},
      settings_.profile);
  Tables tables;
  for (const Collective collective : {Collective::alltoall, Collective::alltoallv}) {
    Table& table = tables[index_of(collective)];
    table.bands = std::move(announced.decisions.of(collective));
    table.printed.resize(table.bands.size());
    table.fallback = choice::resolve(announced.reporting, layout);
    for (const select::Band& band : table.bands)
      table.choices.push_back(choice::resolve(band.choice, layout));
  }
  return tables;
}

void Auto::print_decision(Collective collective, std::size_t block_bytes, std::size_t band) {
  Table& all = table(collective);
  if (all.printed[band]) return;
  all.printed[band] = true;
  const select::Band& decided = all.bands[band];
  print_choice(collective, context_.layout(), block_bytes, decided.choice.text(), decided.reason);
}

}  // namespace rondo::communicator
