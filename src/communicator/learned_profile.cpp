#include "communicator/profile.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <map>
#include <mutex>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "communicator/neighbourhood.hpp"
#include "select/decide.hpp"
#include "select/profile.hpp"

namespace rondo::communicator {

namespace {

constexpr std::array<const char*, kKinds> kNames = {"alltoall", "alltoallv", "alltoallw",
                                                    "dynamic"};

/// What a communicator has learned for its layout.
struct Noted {
  select::Measured measured;
  std::uint64_t calls = 0;
};

/// What goes into one file.
struct File {
  std::string profile;  ///< RONDO_PROFILE, from which it begins
  std::vector<Noted> layouts;
};

struct Store {
  std::mutex mutex;
  std::map<std::string, File> files;
  select::Moves moves;
};

Store& store() {
  // Never destroyed, because a static object's destructor may call MPI_Finalize.
  static Store& all = *new Store;
  return all;
}

/// The file that RONDO_LEARN names; an empty path if it names none.
std::string file_of(const registry::Settings& settings) {
  return settings.learn == "0" || settings.learn == "1" ? "" : settings.learn;
}

bool has_moved(const Learner& learner) {
  return learner.rule().best() != 0;
}

select::Move move_of(const Learner& learner, const char* exchange, int ranks) {
  return {.exchange = exchange,
          .ranks = ranks,
          .before = learner.choices().front().text(),
          .after = learner.best().text(),
          .calls = learner.rule().last_decision().call,
          .saved_nanoseconds = learner.rule().saved()};
}

std::vector<select::Move> moves_of(const State& state, const std::vector<Auto::Learned>& learned) {
  std::vector<select::Move> moves;
  for (const Auto::Learned& one : learned) {
    if (!has_moved(*one.learner)) continue;
    const auto kind = static_cast<std::size_t>(one.kind);
    select::Move& move = moves.emplace_back(move_of(*one.learner, kNames[kind], state.ranks()));
    move.from = one.from;
    move.up_to = one.up_to;
  }
  const auto add = [&](const Learner* learner, const char* exchange) {
    if (learner != nullptr && has_moved(*learner))
      moves.push_back(move_of(*learner, exchange, state.ranks()));
  };
  add(state.neighbourhood ? state.neighbourhood->learner() : nullptr, "neighbor_alltoallv");
  add(state.sparse().learner(), "sparse_alltoallv");
  return moves;
}

/// Profiles have no decisions for the other kinds. Calls may have begun with what those of another length had found.
std::vector<select::LearnedBand> bands_of(Kind kind, const std::vector<Auto::Learned>& learned) {
  std::vector<select::LearnedBand> bands;
  for (const Auto::Learned& one : learned)
    if (one.kind == kind && one.learner->best() != one.decided)
      bands.push_back(
          {.from = one.from,
           .band = {.up_to = one.up_to,
                    .choice = choice::parse(collective_of(kind), one.learner->best().text()),
                    .reason = one.learner->reason()}});
  return bands;
}

Noted noted(const choice::Layout& layout, select::Decisions decisions,
            const std::vector<Auto::Learned>& learned) {
  const auto changed = [&](Kind kind) {
    return select::with_learned(std::move(decisions.of(collective_of(kind))),
                                bands_of(kind, learned), layout);
  };
  return {.measured = {.layout = layout,
                       .decisions = {.alltoall = changed(Kind::alltoall),
                                     .alltoallv = changed(Kind::alltoallv)}},
          .calls = std::accumulate(learned.begin(), learned.end(), std::uint64_t{0},
                                   [](std::uint64_t sum, const Auto::Learned& one) {
                                     return sum + one.learner->rule().calls();
                                   })};
}

/// Of the communicators of one layout, the one with the most calls counts.
void put(std::vector<Noted>& layouts, Noted one) {
  const auto same = std::ranges::find_if(
      layouts, [&](const Noted& other) { return other.measured.layout == one.measured.layout; });
  if (same == layouts.end())
    layouts.push_back(std::move(one));
  else if (same->calls < one.calls)
    *same = std::move(one);
}

select::Profile profile_of(const File& file) {
  const auto known = find_profile(file.profile);
  select::Profile profile = known ? *known
                                  : select::Profile{.rondo = {},
                                                    .signature = {},
                                                    .machine = select::machine_of(nullptr),
                                                    .layouts = {}};
  profile.rondo = select::kVersion;
  profile.signature = signature_here();
  for (const Noted& one : file.layouts) profile.put(one.measured);
  return profile;
}

/// Nothing is written under the lock.
std::map<std::string, File> take_files() {
  Store& all = store();
  const std::lock_guard lock(all.mutex);
  return std::exchange(all.files, {});
}

}  // namespace

void note_learned(State& state) noexcept {
  failure_of([&] {
    const Auto& automatic = state.own().automatic();
    const auto learned = automatic.all_learned();
    const auto decisions = automatic.measurable_decisions();
    const std::string path = file_of(state.settings());
    Store& all = store();
    const std::lock_guard lock(all.mutex);
    for (select::Move& move : moves_of(state, learned)) all.moves.add(std::move(move));
    if (path.empty() || !decisions) return;
    File& file = all.files[path];
    file.profile = state.settings().profile;
    put(file.layouts, noted(state.own().context().layout(), *decisions, learned));
  });
}

std::vector<select::Move> noted_moves() {
  Store& all = store();
  const std::lock_guard lock(all.mutex);
  return all.moves.all();
}

void write_learned() noexcept {
  int rank = 0;
  if (PMPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS || rank != 0) return;
  for (const auto& [path, file] : take_files())
    if (const auto failure = failure_of([&] { select::write_profile(profile_of(file), path); }))
      std::fprintf(stderr, "rondo: what was learned is not written: %s\n", failure->what());
}

}  // namespace rondo::communicator
