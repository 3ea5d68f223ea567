// What `auto` runs on one communicator. Rank 0 decides for all ranks. Which decision applies to a
// call, every rank knows without communication.
#pragma once

#include <array>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "choice/choice.hpp"
#include "engines/context.hpp"
#include "registry/settings.hpp"
#include "select/decide.hpp"

namespace rondo::communicator {

class Auto {
 public:
  Auto(engines::Context& context, const registry::Settings& settings)
      : context_(context), settings_(settings) {}

  /// Returns the algorithm of a call with blocks of `block_bytes` bytes. With nothing, where only
  /// the two ranks of a pair know a block's length, the length that was reported last counts. All
  /// ranks must call this for every exchange under `auto`. Collective if the length is new.
  const choice::Choice& choose(registry::Collective collective,
                               std::optional<std::size_t> block_bytes) {
    const Last& last = last_[static_cast<std::size_t>(collective)];
    const std::size_t bytes = block_bytes ? *block_bytes : context_.longest.bytes();
    const bool is_as_last = last.choice != nullptr && last.block_bytes == bytes;
    const choice::Choice& choice = is_as_last && (block_bytes || last.reports)
                                       ? *last.choice
                                       : choose_anew(collective, bytes, block_bytes.has_value());
    if (last.is_elsewhere) tell_neighbours();
    return choice;
  }

  /// Collective. Makes the shared memory and all tables now. Afterwards no other function is
  /// collective.
  void prepare();

  /// Returns `choice`, or a replacement if it needs shared memory and there is none. Collective the
  /// first time that a choice needs shared memory.
  const choice::Choice& usable(const choice::Choice& choice, std::size_t block_bytes);

  /// How a rank takes part in an alltoall if its arguments are wrong and give no block length.
  struct ChoiceWithoutLength {
    const choice::Choice* choice = nullptr;  ///< null if the rank cannot take part
    bool neighbours_decide = false;  ///< the neighbours' length selects among several such choices
  };

  /// Collective, as choose() is.
  ChoiceWithoutLength choose_without_length(registry::Collective collective);

 private:
  struct Table {
    select::Bands bands;
    std::vector<choice::Choice> choices;  ///< of the bands, resolved for this communicator
    choice::Choice fallback;              ///< reports lengths if none of the choices does
    std::vector<bool> printed;            ///< of the bands, for RONDO_VERBOSE
  };
  using Tables = std::array<Table, 2>;  ///< by collective

  /// The decision for the last call of a collective, kept because most calls are like the one
  /// before.
  struct Last {
    std::size_t block_bytes = 0;
    const choice::Choice* choice = nullptr;
    bool reports = true;
    int silent_calls = 0;
    bool is_elsewhere = false;  ///< without shared memory, which other lengths use
  };

  const choice::Choice& choose_anew(registry::Collective collective, std::size_t bytes,
                                    bool is_exact);
  void tell_neighbours();
  bool has_one_schedule(registry::Collective collective);
  const choice::Choice* first_in_node(registry::Collective collective);
  bool is_in_node(registry::Collective collective);
  const select::Band& look_up(registry::Collective collective, std::size_t block_bytes,
                              bool must_report);
  /// Whether the last report selects another band than the earlier ones. Then more reports are
  /// needed.
  bool expects_change(registry::Collective collective);
  const choice::Choice& reporting_choice(registry::Collective collective, std::size_t block_bytes);
  const choice::Choice& choice_of(registry::Collective collective, const select::Band& band);
  Table& table(registry::Collective collective);
  Tables make_tables() const;
  bool needs_node(const choice::Choice& choice) const;
  void print_decision(registry::Collective collective, std::size_t block_bytes,
                      const select::Band& band);

  engines::Context& context_;
  const registry::Settings& settings_;
  std::array<Last, 2> last_;
  std::optional<Tables> tables_;
  // What decisions assume until the node's shared memory is made.
  bool has_node_ = engines::Node::is_built();
  bool copies_long_ = engines::Node::is_built();
};

/// Returns the profile in the file `path`. If `path` is empty, the file is the one in the user's
/// configuration, which need not exist. Returns null if no profile holds on this machine: one that
/// does not is rejected with one warning. Each is read once in a process.
std::shared_ptr<const select::Profile> find_profile(const std::string& path);

/// Prints the choice for blocks of up to `block_bytes` bytes, as RONDO_VERBOSE=1 requests.
inline void print_choice(registry::Collective collective, const choice::Layout& layout,
                         std::size_t block_bytes, const std::string& name,
                         const std::string& reason) {
  const int ranks = layout.ranks;
  const int nodes = layout.real_nodes();
  std::fprintf(stderr, "rondo: %s on %d rank%s, %d node%s, S = %zu: %s; %s\n",
               std::string(registry::to_string(collective)).c_str(), ranks, ranks == 1 ? "" : "s",
               nodes, nodes == 1 ? "" : "s", block_bytes, name.c_str(), reason.c_str());
}

}  // namespace rondo::communicator
