#include "communicator/auto.hpp"

#include <algorithm>
#include <deque>
#include <mutex>
#include <utility>

#include "communicator/announcement.hpp"

namespace rondo::communicator {

using choice::Choice;
using registry::Collective;

namespace {

/// While the chosen algorithm does not report lengths, the last kReportingCalls of every
/// kSilentCalls calls run an algorithm that does, since loads change. Two calls are needed, because
/// some algorithms report the length of the call before.
constexpr int kSilentCalls = 64;
constexpr int kReportingCalls = 2;

std::size_t index_of(Collective collective) {
  return static_cast<std::size_t>(collective);
}

/// Whether the same ranks exchange messages in the same rounds.
bool have_same_messages(const schedule::NodeSchedule& a, const schedule::NodeSchedule& b) {
  return a.how() == b.how() && a.lanes() == b.lanes() &&
         std::ranges::equal(a.between().rounds(), b.between().rounds(), {}, &schedule::Round::hop,
                            &schedule::Round::hop);
}

/// What rank 0 announces.
struct Announced {
  select::Decisions decisions;
  choice::OpenChoice reporting;  ///< what reports lengths if none of the decisions' algorithms does
};

/// Decides once for each place and profile, since programs make many communicators of one layout.
Announced decide_once(const select::Place& place, const std::string& profile) {
  using Known = std::pair<std::pair<select::Place, std::string>, Announced>;
  static std::mutex mutex;
  static std::deque<Known> decided;
  const std::lock_guard lock(mutex);
  const auto key = std::make_pair(place, profile);
  const auto known = std::ranges::find(decided, key, &Known::first);
  if (known != decided.end()) return known->second;
  const auto found = find_profile(profile);
  const Announced now{select::decide(place, found.get()), select::reporting(place, found.get())};
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
Announced agree(const mpi::TaggedComm& tagged_comm, const select::Place& place,
                const std::string& profile) {
  std::optional<Announced> own;
  const std::string text = announce(tagged_comm, "choose algorithms", [&] {
    own = decide_once(place, profile);
    return to_text(*own);
  });
  return own ? std::move(*own) : announced_from(text);
}

}  // namespace

/// `is_exact`: all blocks have this length.
const Choice& Auto::choose_anew(Collective collective, std::size_t bytes, bool is_exact) {
  Last& last = last_[index_of(collective)];
  if (last.choice == nullptr || last.block_bytes != bytes) {
    const select::Band& band = look_up(collective, bytes, false);
    last.block_bytes = bytes;
    last.choice = &choice_of(collective, band);
    last.reports = select::reports_longest(band.choice);
    last.is_elsewhere =
        is_exact && !needs_node(*last.choice) && first_in_node(collective) != nullptr;
    if (settings_.verbose != 0 && context_.rank == 0) print_decision(collective, bytes, band);
  }
  if (is_exact || last.reports) return *last.choice;
  if (last.silent_calls++ % kSilentCalls >= kSilentCalls - kReportingCalls ||
      expects_change(collective))
    return reporting_choice(collective, bytes);
  context_.longest.forget();
  return *last.choice;
}

/// A neighbour without any right argument must not wait for this rank in shared memory.
void Auto::tell_neighbours() {
  if (engines::Node* const node = context_.node_if_made()) node->leave(context_.last_exchange());
}

void Auto::prepare() {
  const engines::Node* const node = context_.node();
  has_node_ = node != nullptr;
  copies_long_ = has_node_ && node->copies_long();
  tables_ = make_tables();
}

bool Auto::expects_change(Collective collective) {
  const select::Bands& bands = table(collective).bands;
  const engines::Longest& longest = context_.longest;
  return &select::band_of(bands, longest.latest_bytes()) !=
         &select::band_of(bands, longest.bytes());
}

const Choice& Auto::usable(const Choice& choice, std::size_t block_bytes) {
  if (!needs_node(choice) || context_.node() != nullptr) return choice;
  const Collective collective = choice.algorithm->collective;
  return choice_of(collective, look_up(collective, block_bytes, false));
}

/// If every length selects the same algorithm, or at least the same messages between nodes, any
/// choice will do, since a failed rank sends nothing else. If the neighbours use shared memory, this
/// rank learns the length from them in time. Otherwise the other ranks may exchange messages that this rank
/// cannot predict.
Auto::ChoiceWithoutLength Auto::choose_without_length(Collective collective) {
  if (has_one_schedule(collective)) {
    // As on the other ranks, this may reveal that there is no shared memory.
    const Choice& choice = choose(collective, 0);
    if (has_one_schedule(collective)) return {.choice = &choice};
  }
  if (!is_in_node(collective)) return {};
  return {.choice = first_in_node(collective), .neighbours_decide = true};
}

bool Auto::has_one_schedule(Collective collective) {
  const std::vector<Choice>& choices = table(collective).choices;
  const auto is_like_first = [&](const Choice& choice) {
    const Choice& first = choices.front();
    if (choice == first) return true;
    if (!needs_node(choice) || !needs_node(first)) return false;
    return context_.nodes.nodes() == 1 ||
           have_same_messages(context_.node_schedule(choice), context_.node_schedule(first));
  };
  return std::ranges::all_of(choices, is_like_first);
}

const Choice* Auto::first_in_node(Collective collective) {
  const std::vector<Choice>& choices = table(collective).choices;
  const auto first =
      std::ranges::find_if(choices, [&](const Choice& choice) { return needs_node(choice); });
  return first == choices.end() ? nullptr : &*first;
}

/// Whether the neighbours use shared memory in this exchange.
bool Auto::is_in_node(Collective collective) {
  const schedule::NodeMap& map = context_.nodes;
  if (first_in_node(collective) == nullptr || map.size(map.node_of(context_.rank)) == 1)
    return false;
  const bool is_always = std::ranges::all_of(
      table(collective).choices, [&](const Choice& choice) { return needs_node(choice); });
  engines::Node* const node = is_always ? context_.node() : context_.node_if_made();
  return node != nullptr && (is_always || node->is_here(context_.last_exchange()));
}

bool Auto::needs_node(const Choice& choice) const {
  return choice.algorithm->shape == registry::Shape::node;
}

const select::Band& Auto::look_up(Collective collective, std::size_t block_bytes,
                                  bool must_report) {
  const auto find = must_report ? select::reporting_band_of : select::band_of;
  const select::Band& band = find(table(collective).bands, block_bytes);
  if (!needs_node(choice_of(collective, band))) return band;
  const engines::Node* const node = context_.node();
  if (node != nullptr && node->copies_long() == copies_long_) return band;
  // No exchange of `auto` has used shared memory yet, so all ranks can decide again.
  has_node_ = node != nullptr;
  copies_long_ = has_node_ && node->copies_long();
  tables_.reset();
  last_ = {};
  return find(table(collective).bands, block_bytes);
}

const Choice& Auto::reporting_choice(Collective collective, std::size_t block_bytes) {
  const select::Band& band = look_up(collective, block_bytes, true);
  return select::reports_longest(band.choice) ? choice_of(collective, band)
                                              : table(collective).fallback;
}

const Choice& Auto::choice_of(Collective collective, const select::Band& band) {
  const Table& all = table(collective);
  return all.choices[static_cast<std::size_t>(&band - all.bands.data())];
}

Auto::Table& Auto::table(Collective collective) {
  if (!tables_) tables_ = make_tables();
  return (*tables_)[index_of(collective)];
}

Auto::Tables Auto::make_tables() const {
  const choice::Layout layout = context_.layout();
  Announced announced = agree(
      context_.tagged_comm(),
      {.layout = layout, .has_node = has_node_, .copies_long = copies_long_}, settings_.profile);
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

void Auto::print_decision(Collective collective, std::size_t block_bytes,
                          const select::Band& band) {
  Table& all = table(collective);
  const auto at = static_cast<std::size_t>(&band - all.bands.data());
  if (all.printed[at]) return;
  all.printed[at] = true;
  print_choice(collective, context_.layout(), block_bytes, band.choice.text(), band.reason);
}

}  // namespace rondo::communicator
