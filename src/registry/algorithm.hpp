// An algorithm as data, without functions: a row of the registry.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string_view>

#include "registry/handling.hpp"

namespace rondo::registry {

/// The exchange that an algorithm performs. alltoallw uses the algorithms of alltoallv, since both are
/// P blocks to send and P to receive. `gpu` is the exchange between GPUs over NCCL; each of its
/// algorithms says whether blocks may differ in length. In `sparse_alltoallv` each rank names only the
/// ranks to which it sends. `neighbor_alltoallv` stands for all neighbourhood exchanges. They too are P
/// blocks to send and P to receive, and most of the blocks are empty.
enum class Collective { alltoall, alltoallv, gpu, sparse_alltoallv, neighbor_alltoallv };

/// The family of its schedule; see schedule/schedule.hpp.
enum class Shape {
  library,    ///< the MPI library's own call, whose schedule is unknown
  linear,     ///< linear(P, window)
  pairwise,   ///< pairwise(P)
  bruck,      ///< bruck(P, radix)
  two_layer,  ///< two_layer(N, Q, intra, inter)
  node,       ///< through the node's shared memory, with a NodeSchedule between nodes
};

/// Which ranks return an error if one rank finds its own arguments wrong or runs out of memory.
enum class Errors {
  local,       ///< that rank alone, as in MPI; all ranks only with RONDO_CHECK=1
  everywhere,  ///< all ranks: the failed one takes part, and its messages say so
};

/// Who considers an algorithm that the user has not named. Each also considers what those before it do.
enum class Chooser {
  automatic,  ///< `auto`
  plan,       ///< what learns: `auto`, and plans
  tuning,     ///< rondo-tune, and bench/regret.py, which searches for the best
  user,       ///< nobody: it runs only if the user names it
};

/// A number of bytes without a bound, written "off".
inline constexpr std::int64_t kUnbounded = std::numeric_limits<std::int64_t>::max();

/// The largest value of a parameter that is a count.
inline constexpr std::int64_t kMostInt = std::numeric_limits<int>::max();

/// How a value follows from the layout.
enum class Rule {
  number,      ///< a constant
  sqrt_ranks,  ///< the smallest radix of at least the square root of P (TRA paper, section III-B)
  sqrt_per_node,   ///< the same for the Q ranks of a node (TRA paper, section V-B)
  nodes,           ///< N, the number of nodes (TRA paper, section V-B)
  sqrt_nodes,      ///< the smallest radix of at least the square root of N
  node_threshold,  ///< bytes; fewer if messages between nodes must be packed
  between_nodes,   ///< the faster way for N nodes of Q ranks
  whole_phase,     ///< the number of rounds in the longest phase
};

/// A value of the tables: a number, or the rule from which it follows.
struct Value {
  constexpr Value() = default;
  constexpr Value(std::int64_t constant) : number(constant) {}  // NOLINT: tables list both
  constexpr Value(Rule given) : rule(given) {}                  // NOLINT

  constexpr bool is(std::int64_t constant) const {
    return rule == Rule::number && number == constant;
  }

  Rule rule = Rule::number;
  std::int64_t number = 0;  ///< if the rule is Rule::number
};

/// The number to which a larger value is reduced.
enum class Limit {
  none,
  ranks,       ///< P
  per_node,    ///< Q
  nodes,       ///< N as in Layout::nodes
  real_nodes,  ///< N as in Layout::real_nodes()
  phase,       ///< the rounds of the longest phase
};

/// The name of a parameter in the code. A misspelt key does not compile.
enum class Key {
#define RONDO_PARAMETER(key, ...) key,
#include "registry/parameters.def"
};

/// The words for Kind::between, by schedule::Between.
inline constexpr std::array<std::string_view, 2> kBetweenWords = {"direct", "bruck"};

/// The condition under which a parameter has an effect.
enum class Needs {
  nothing,
  several_nodes,
  bruck_between_nodes,  ///< Key::between is schedule::Between::bruck, and there are several nodes
};

/// A short list in a column of a table.
template <class T, std::size_t kMost>
class ShortList {
 public:
  constexpr ShortList() = default;
  constexpr ShortList(std::initializer_list<T> list) {
    for (const T& item : list) add(item);
  }
  constexpr void add(const T& item) { list_[count_++] = item; }
  constexpr std::span<const T> list() const { return {list_.data(), count_}; }

 private:
  std::array<T, kMost> list_{};
  std::size_t count_ = 0;
};

using Values = ShortList<Value, 9>;

struct Parameter {
  enum class Kind {
    radix,
    in_flight,  ///< rounds
    bytes,      ///< a number, or the word off
    parts,      ///< of one message
    between,    ///< a word: direct or bruck
    inner,      ///< the name of an algorithm over MPI; the value is its row
    thread_blocks,
  };

  Key key = Key::radix;
  std::string_view name;
  Kind kind = Kind::radix;
  std::int64_t least = 0;
  std::int64_t most = 0;
  Limit limit = Limit::none;
  Needs needs = Needs::nothing;
  Values worth_trying{};  ///< besides the default
  std::string_view meaning;
  Value by_default{};
};

inline constexpr std::size_t kMaxParameters = 4;

/// The parameters of one algorithm, in the order in which they are printed.
using Parameters = ShortList<Parameter, kMaxParameters>;

/// Returns the place of a parameter in the list of an algorithm, or -1 if it has no such parameter.
constexpr int place_of(Key key, const Parameters& parameters) {
  int place = 0;
  for (const Parameter& parameter : parameters.list()) {
    if (parameter.key == key) return place;
    ++place;
  }
  return -1;
}

struct Algorithm {
  Collective collective;
  std::string_view name;
  Shape shape;
  std::string_view engine;  ///< how blocks are kept and moved; rows with one engine share its code
  Errors errors;
  Chooser chooser;  ///< the first that considers it
  Parameters parameters;
  Handling handling;
  std::string_view idea;    ///< one line
  std::string_view source;  ///< paper and section
  std::string_view cost;    ///< the messages and bytes that a rank sends
  int threshold_at = place_of(Key::threshold, parameters);  ///< asked for in every exchange

  /// Whether it is a call of the MPI library.
  constexpr bool is_library() const { return shape == Shape::library; }

  /// Whether it needs the shared memory of a node.
  constexpr bool needs_node() const { return shape == Shape::node; }
};

/// Whether choice.hpp's schedule_of() knows its schedule.
constexpr bool has_flat_schedule(const Algorithm& algorithm) {
  return !algorithm.is_library() && !algorithm.needs_node();
}

/// Whether its messages say how long the blocks are, so that a dynamic exchange needs no others.
constexpr bool carries_lengths(const Algorithm& algorithm) {
  return algorithm.engine == "fused" || algorithm.engine == "node_aware";
}

/// Returns all rows over MPI in the order of algorithms.def: alltoall first, then alltoallv.
std::span<const Algorithm> algorithms();

/// Returns all rows of Collective::gpu, in the order of gpu_algorithms.def.
std::span<const Algorithm> gpu_algorithms();

/// Returns all rows of Collective::sparse_alltoallv, in the order of sparse_algorithms.def.
std::span<const Algorithm> sparse_algorithms();

/// Returns the table with the rows of a collective.
std::span<const Algorithm> algorithms_of(Collective collective);

/// Returns the row of that name, or nullptr. `shared_memory` and `hierarchical` are old names of
/// node_aware.
const Algorithm* find(Collective collective, std::string_view name);

/// Returns the row of the MPI library's own call.
const Algorithm& library_call(Collective collective);

std::string_view to_string(Collective collective);

}  // namespace rondo::registry
