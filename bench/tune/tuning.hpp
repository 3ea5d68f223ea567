// From races to decisions: the fastest algorithm by length of blocks.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "contender.hpp"
#include "model/machine.hpp"
#include "select/decide.hpp"
#include "select/decisions.hpp"
#include "support/cluster.hpp"
#include "support/disturbance.hpp"

namespace rondo::bench {

/// Is told, during tuning, which part of the budget is spent, from 0 to 1, and on what.
using Tell = std::function<void(double done, const std::string& doing)>;

class Tuning {
 public:
  /// `budget_seconds` count from now on.
  Tuning(const Communicator& comm, const support::Cluster& cluster, const model::Machine& machine,
         double budget_seconds, Tell tell);

  /// Collective. Goes over all lengths once, and again while the budget lasts. The best time of each
  /// algorithm counts. Returns the same on all ranks.
  select::Decisions run();

  /// After run(): the lengths whose choice other programs may have decided, as their reasons say, too.
  int disturbed_lengths() const;

 private:
  /// The winner at one length.
  struct Winner {
    std::size_t block_bytes;
    choice::OpenChoice choice;
    std::string reason;
  };
  /// What was run, and how long it took.
  struct Result {
    choice::OpenChoice choice;
    double microseconds;
  };
  /// The results of one length: of races that nothing disturbed if there was one, and of all if not.
  struct Results {
    std::vector<Result> all{};
    std::string disturbed{};  ///< by what
  };

  select::Decisions pass();
  select::Bands tune(registry::Collective collective);
  Winner winner_at(registry::Collective collective, std::int64_t block_bytes,
                   const choice::OpenChoice* favourite);
  void race_at(registry::Collective collective, std::int64_t block_bytes);
  static void add(Results& results, const std::string& disturbed, const std::vector<Result>& more);
  const Contender& contender(registry::Collective collective, const choice::OpenChoice& open);
  std::int64_t longest_block() const;
  double seconds_left() const;
  bool has_seconds(double seconds) const;  ///< by rank 0's clock
  double seconds_for_one() const;

  struct Entered {
    registry::Collective collective;
    std::string text;
    Contender contender;
  };

  const Communicator& comm_;
  support::Cluster cluster_;
  select::Place place_;
  model::Machine machine_;
  support::Disturbance disturbance_;
  double start_;
  double budget_seconds_;
  double pass_ends_ = 0;
  double races_left_ = 0;  ///< in this pass, roughly
  Tell tell_;
  std::map<std::pair<registry::Collective, std::int64_t>, Results> results_;
  std::deque<Entered> entered_;  ///< a deque: references stay good when it grows
};

}  // namespace rondo::bench
