// What `auto` runs on one communicator. Rank 0 decides for all ranks, and then what the ranks measure together corrects
// it. Which decision applies to a call, every rank knows without communication.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "choice/choice.hpp"
#include "communicator/turns.hpp"
#include "engines/context.hpp"
#include "registry/settings.hpp"
#include "select/decide.hpp"

namespace rondo::communicator {

/// The kinds of exchanges that `auto` tells apart. They differ in what a call of the MPI library costs.
enum class Kind { alltoall, alltoallv, alltoallw, dynamic };
inline constexpr std::size_t kKinds = 4;

inline registry::Collective collective_of(Kind kind) {
  return kind == Kind::alltoall ? registry::Collective::alltoall : registry::Collective::alltoallv;
}

class Auto {
 public:
  Auto(engines::Context& context, const registry::Settings& settings)
      : context_(context), settings_(settings) {
    last_.fill({.block_bytes = 0, .cell = &none_});
  }

  /// Local. Predicts what is fastest for so many ranks of one node, and decides if the user has no profile. Their first
  /// communicator needs that.
  static void predict_ahead(int ranks);

  /// From now on it learns from the calls that run what choose() returns. There were `calls_before` on the
  /// communicator. Of those that the MPI library carried out and this rank timed, the longest took `library_time`
  /// nanoseconds, 0 on all ranks if none was timed.
  void begin_learning(std::uint64_t calls_before, std::int64_t library_time) {
    learns_ = true;
    calls_before_ = calls_before;
    library_time_ = library_time;
  }

  /// Returns the algorithm of a call with blocks of `block_bytes` bytes. With nothing, where only
  /// the two ranks of a pair know a block's length, the length that was reported last counts. All
  /// ranks must call this for every exchange under `auto`. Collective if the length is new, and where it learns.
  const choice::Choice& choose(Kind kind, std::optional<std::size_t> block_bytes) {
    const Last& last = last_[index_of(kind)];
    Cell& cell = *last.cell;
    const std::size_t bytes = block_bytes ? *block_bytes : context_.longest.bytes();
    if (last.block_bytes != bytes || cell.turns.is_over() || (!block_bytes && !cell.reports))
      return choose_anew(kind, bytes, block_bytes.has_value());
    return cell.turns.next();
  }

  /// What times the call for which choose() was called last; null if it is not timed. It must then time it.
  Learner* take_timed() { return timed_.take(); }

  /// As choose(), for a plan, which learns from its executions itself.
  const choice::Choice& choose_for_plan(Kind kind, std::size_t block_bytes);

  /// Local. Returns what calls with blocks of that length have learned so far, or null. The same on all ranks.
  const choice::Choice* learned(Kind kind, std::size_t block_bytes) const;

  /// What calls of a kind with blocks of `from` to `up_to` bytes have learned.
  struct Learned {
    Kind kind;
    std::size_t from;
    std::size_t up_to;
    choice::Choice decided;  ///< without any measurement
    const Learner* learner;
  };

  /// Local.
  std::vector<Learned> all_learned() const;

  /// Local. Returns the decisions with which calls have begun, if there are any and a profile may replace them: where
  /// the ranks of each node do share memory, which is made before anything is learned.
  std::optional<select::Decisions> measurable_decisions() const;

  /// Collective. Makes the shared memory and all tables now. Afterwards no other function is
  /// collective.
  void prepare();

  /// Ends what is under way between the ranks. All ranks do so before the communicator is freed; if it cannot be used
  /// any more, they give it up instead.
  void end_learning(bool is_given_up);

  /// What runs where a choice needs shared memory and there is none. Collective the first time.
  const choice::Choice& without_node(registry::Collective collective, std::size_t block_bytes) {
    return choice_of(collective, look_up(collective, block_bytes, false));
  }

 private:
  struct Table {
    select::Bands bands;
    std::vector<choice::Choice> choices;  ///< of the bands, resolved for this communicator
    choice::Choice fallback;              ///< reports lengths if none of the choices does
    std::vector<bool> printed;            ///< of the bands, for RONDO_VERBOSE

    /// The number of the band that decides for a length, or of one near it whose algorithm reports lengths.
    std::size_t band_of(std::size_t block_bytes, bool must_report = false) const {
      const auto find = must_report ? select::reporting_band_of : select::band_of;
      return static_cast<std::size_t>(&find(bands, block_bytes) - bands.data());
    }
  };
  using Tables = std::array<Table, 2>;  ///< by collective

  /// Exchanges of one kind with blocks of about one length, in one band.
  struct Cell {
    Kind kind{};
    std::optional<std::size_t>
        band{};      ///< its number; nothing once another decision has replaced it
    int length = 0;  ///< number_of() it
    Turns turns{};
    bool reports = true;            ///< whether what the turn runs reports the longest block
    bool is_of_any_length = false;  ///< no length was reported when it began
    std::int64_t library_time = 0;  ///< as in begin_learning()
  };

  /// The cell of the last call of a kind, kept because most calls are like the one before.
  struct Last {
    std::size_t block_bytes;
    Cell* cell;
  };

  /// Calls while the chosen algorithm does not report the longest block.
  struct Silence {
    int calls = 0;
    int period = 64;  ///< the number of calls, of which the last ones report
  };

  static std::size_t index_of(Kind kind) { return static_cast<std::size_t>(kind); }
  static std::size_t index_of(registry::Collective collective) {
    return static_cast<std::size_t>(collective);
  }

  const choice::Choice& choose_anew(Kind kind, std::size_t bytes, bool is_exact);
  Cell& cell_of(Kind kind, std::size_t bytes);
  bool must_report(Kind kind);
  void begin_turn(Cell& cell, std::size_t bytes, bool is_exact);
  void begin_first_turn(Cell& cell, std::size_t bytes, bool is_exact);
  const choice::Choice& first_choice(const Cell& cell);
  std::uint64_t calls_to_learner(const Cell& cell) const;
  std::shared_ptr<Learner> make_learner(const Cell& cell, std::size_t bytes);
  std::vector<choice::Choice> choices_of(const Cell& cell, std::size_t bytes);
  std::size_t look_up(registry::Collective collective, std::size_t block_bytes, bool must_report);
  /// Whether the last report selects another band than the earlier ones. Then more reports are
  /// needed.
  bool expects_change(registry::Collective collective);
  const choice::Choice& reporting_choice(registry::Collective collective, std::size_t block_bytes);
  const choice::Choice& choice_of(registry::Collective collective, std::size_t band);
  Table& table(registry::Collective collective);
  Tables make_tables() const;
  void print_decision(registry::Collective collective, std::size_t block_bytes, std::size_t band);

  engines::Context& context_;
  const registry::Settings& settings_;
  bool learns_ = false;
  std::uint64_t calls_before_ = 0;
  std::int64_t library_time_ = 0;  ///< for the first cell, 0 once it has it
  Cell none_;                      ///< of a kind without calls
  std::array<Last, kKinds> last_;
  std::array<Silence, kKinds> silences_{};
  TimedTurn timed_;
  std::optional<Tables> tables_;
  std::deque<Cell> cells_;  ///< references stay valid
  // What decisions assume until the node's shared memory is made.
  bool has_node_ = engines::Node::is_built();
  bool copies_long_ = engines::Node::is_built();
};

}  // namespace rondo::communicator
