// What an algorithm is, as far as it can be said without functions: a row of the registry.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string_view>

#include "registry/handling.hpp"

namespace rondo::registry {

/// The exchange that an algorithm performs. alltoallw runs the alltoallv algorithms: inside, both
/// are P blocks to send and P to receive. `gpu` is the exchange of GPUs over NCCL, whose algorithms
/// know by themselves whether blocks may differ in length. `sparse_alltoallv` is the exchange in
/// which ranks name only those to which they send. `neighbor_alltoallv` is all neighbourhood
/// exchanges, which are P blocks to send and P to receive too, of which most are empty.
enum class Collective { alltoall, alltoallv, gpu, sparse_alltoallv, neighbor_alltoallv };

/// The family of its schedule; see schedule/schedule.hpp.
enum class Shape {
  library,    ///< the MPI library's own call: its schedule is not known
  linear,     ///< linear(P, window)
  pairwise,   ///< pairwise(P)
  bruck,      ///< bruck(P, radix)
  two_layer,  ///< two_layer(N, Q, intra, inter)
  node,       ///< through the node's shared memory, with a NodeSchedule between nodes
};

/// Which ranks return an error when one finds its own arguments wrong or runs out of memory.
enum class Errors {
  local,       ///< that rank alone, as in MPI; all ranks only with RONDO_CHECK=1
  everywhere,  ///< all ranks: the failed one takes part, and its messages say so
};

/// Who considers an algorithm that nobody has named. Each considers all that those before it do.
enum class Chooser {
  automatic,  ///< `auto`
  plan,       ///< a plan that measures
  tuning,     ///< rondo-tune, and bench/regret.py, which searches for the best
  user,       ///< nobody else: it runs where it is named
};

/// A number of bytes without a bound, written "off".
inline constexpr std::int64_t kUnbounded = std::numeric_limits<std::int64_t>::max();

/// The largest value of the parameters that count something.
inline constexpr std::int64_t kMostInt = std::numeric_limits<int>::max();

/// What gives a value that depends on the layout.
enum class Rule {
  number,          ///< a constant
  sqrt_ranks,      ///< the radix nearest above the square root of P (TRA paper, section III-B)
  sqrt_per_node,   ///< the same for the Q ranks of a node (TRA paper, section V-B)
  nodes,           ///< N, the number of nodes (TRA paper, section V-B)
  sqrt_nodes,      ///< the radix nearest above the square root of N
  node_threshold,  ///< bytes: shorter where messages between nodes have to be packed
  between_nodes,   ///< what suits N nodes of Q ranks
  whole_phase,     ///< as many rounds as the longest phase has
};

/// A value as the tables state it: a number, or the rule that gives one.
struct Value {
  constexpr Value() = default;
  constexpr Value(std::int64_t constant) : number(constant) {}  // NOLINT: tables list both
  constexpr Value(Rule given) : rule(given) {}                  // NOLINT

  constexpr bool is(std::int64_t constant) const {
    return rule == Rule::number && number == constant;
  }

  Rule rule = Rule::number;
  std::int64_t number = 0;  ///< where the rule is Rule::number
};

/// The length above which a value acts as that length.
enum class Limit {
  none,
  ranks,       ///< P
  per_node,    ///< Q
  nodes,       ///< N as in Layout::nodes
  real_nodes,  ///< N as in Layout::real_nodes()
  phase,       ///< the rounds of the longest phase
};

/// What code asks for a value by. A misspelt key does not compile.
enum class Key {
#define RONDO_PARAMETER(key, ...) key,
#include "registry/parameters.def"
};

/// The words for Kind::between, by schedule::Between.
inline constexpr std::array<std::string_view, 2> kBetweenWords = {"direct", "bruck"};

/// What must hold for a parameter to mean anything.
enum class Needs {
  nothing,
  several_nodes,
  bruck_between_nodes,  ///< Key::between is schedule::Between::bruck, and there are several nodes
};

/// A list of a table's column.
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

/// The place of a parameter in the list of an algorithm; -1 if it has no such parameter.
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
  Chooser chooser;  ///< the first who considers it
  Parameters parameters;
  Handling handling;
  std::string_view idea;    ///< one line
  std::string_view source;  ///< paper and section
  std::string_view cost;    ///< messages and bytes that a rank sends, in the words of the design
  int threshold_at = place_of(Key::threshold, parameters);  ///< asked for in every exchange
};

/// Whether choice.hpp's schedule_of() knows its schedule.
constexpr bool has_flat_schedule(const Algorithm& algorithm) {
  return algorithm.shape != Shape::library && algorithm.shape != Shape::node;
}

/// Whether its messages say how long blocks are, so that a dynamic exchange needs no other.
constexpr bool carries_lengths(const Algorithm& algorithm) {
  return algorithm.engine == "fused" || algorithm.engine == "node_aware";
}

/// All rows over MPI, in the order of algorithms.def: alltoall first, then alltoallv.
std::span<const Algorithm> algorithms();

/// All rows of Collective::gpu, in the order of gpu_algorithms.def.
std::span<const Algorithm> gpu_algorithms();

/// All rows of Collective::sparse_alltoallv, in the order of sparse_algorithms.def.
std::span<const Algorithm> sparse_algorithms();

/// The table in which the rows of a collective stand.
std::span<const Algorithm> algorithms_of(Collective collective);

/// The row of that name, or nullptr. `shared_memory` and `hierarchical` are node_aware on one node
/// and on several.
const Algorithm* find(Collective collective, std::string_view name);

/// The row of the MPI library's own call.
const Algorithm& library_call(Collective collective);

std::string_view to_string(Collective collective);

}  // namespace rondo::registry
