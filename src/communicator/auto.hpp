// What `auto` runs on one communicator: its decisions, which rank 0 makes for all, and which of them
// holds for a call, which every rank knows without talking.
#pragma once

#include <array>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "choice/choice.hpp"
#include "exchange/context.hpp"
#include "registry/settings.hpp"
#include "select/decide.hpp"

namespace rondo::communicator {

class Auto {
 public:
  Auto(exchange::Context& context, const registry::Settings& settings)
      : context_(context), settings_(settings) {}

  /// The algorithm of a call with blocks of that length, or, where only pairs know theirs (nothing),
  /// of the length that was reported last. To be called for every such call, by all ranks.
  /// Collective when the length is new.
  const choice::Choice& choose(registry::Collective collective,
                               std::optional<std::size_t> block_bytes);

  /// `choice`, or what serves in its place where it needs shared memory and there is none.
  /// Collective the first time that it needs some.
  const choice::Choice& usable(const choice::Choice& choice, std::size_t block_bytes);

  /// How a rank takes part that does not know the length of alltoall's blocks, because its arguments
  /// are wrong.
  struct Blind {
    const choice::Choice* choice = nullptr;  ///< null: it cannot
    bool must_ask = false;  ///< its neighbours, which of several algorithms like this one it is
  };

  /// Collective, as choose() is.
  Blind choose_blindly(registry::Collective collective);

 private:
  struct Table {
    select::Bands bands;
    std::vector<choice::Choice> choices;  ///< of the bands, as they are carried out here
    choice::Choice spare;                 ///< reports lengths where none of the others does
    std::vector<bool> said;               ///< RONDO_VERBOSE
  };
  using Tables = std::array<Table, 2>;  ///< by collective

  /// What the last call of a collective was decided by: most calls are like the one before.
  struct Last {
    std::size_t block_bytes = 0;
    const choice::Choice* choice = nullptr;
    bool reports = true;
    int silent_calls = 0;
  };

  bool is_one_schedule(registry::Collective collective);
  bool can_ask_neighbours(registry::Collective collective);
  const select::Band& look_up(registry::Collective collective, std::size_t block_bytes,
                              bool must_report);
  /// Whether the last report asks for another band than those before it. More reports are wanted
  /// then.
  bool expects_change(registry::Collective collective);
  const choice::Choice& reporting_choice(registry::Collective collective, std::size_t block_bytes);
  const choice::Choice& choice_of(registry::Collective collective, const select::Band& band);
  Table& table(registry::Collective collective);
  Tables make_tables(bool has_node) const;
  select::Decisions agree(const select::Place& place) const;
  bool needs_node(const choice::Choice& choice) const;
  void say(registry::Collective collective, std::size_t block_bytes, const select::Band& band);

  exchange::Context& context_;
  const registry::Settings& settings_;
  std::array<Last, 2> last_;
  std::optional<Tables> tables_;
  bool has_node_ = exchange::Node::is_built();  ///< as far as it was asked for
};

/// What was decided about: blocks of up to that length on such a communicator.
struct Decided {
  registry::Collective collective;
  choice::Layout layout;
  std::size_t block_bytes;
};

/// What RONDO_VERBOSE=1 prints of a decision.
inline void say_choice(const Decided& decided, const std::string& name, const std::string& reason) {
  const int ranks = decided.layout.ranks;
  const int nodes = decided.layout.real_nodes();
  std::fprintf(stderr, "rondo: %s on %d rank%s, %d node%s, S = %zu: %s; %s\n",
               std::string(registry::to_string(decided.collective)).c_str(), ranks,
               ranks == 1 ? "" : "s", nodes, nodes == 1 ? "" : "s", decided.block_bytes,
               name.c_str(), reason.c_str());
}

}  // namespace rondo::communicator
