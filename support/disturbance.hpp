// Whether other programs or the hypervisor had the cores while something was measured.
#pragma once

#include <optional>
#include <string>

#include "support/communicator.hpp"
#include "support/core_time.hpp"

namespace rondo::support {

/// A measurement is disturbed if its ranks did not get more than this share of their cores.
inline constexpr double kMostTaken = 0.15;

/// "other programs took 40 % of the cores" if a measurement is disturbed, and else nothing.
std::string disturbance_text(double taken);

class Disturbance {
 public:
  /// Collective.
  explicit Disturbance(const Communicator& comm);

  /// Something begins that has nothing to do with what was before.
  void begin();

  /// Collective. Returns the share of the ranks' cores that others have taken since the last call or begin(),
  /// on the machine where it is the largest; 0 if the system does not tell. Since the system counts ticks
  /// of 10 ms, a span of less than 0.25 s is not judged: the next call judges both together, and this one
  /// returns what the last one did, or 0 after begin().
  double taken();

 private:
  struct Reading {
    double at = 0;   ///< on this process's clock
    double own = 0;  ///< core seconds of this process
    std::optional<CoreTime> all;
  };

  Reading read() const;
  bool is_long_enough(const Reading& end) const;
  double share_until(const Reading& end) const;

  const Communicator& comm_;
  Communicator machine_;  ///< whose ranks share cores, also where each has a node of its own
  Reading begin_;
  double taken_ = 0;
};

}  // namespace rondo::support
