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

  /// A measurement begins.
  void begin();

  /// Collective. Returns the share of the ranks' cores that others have taken since begin(), on the machine
  /// where it is the largest; 0 if the system does not tell. After a short measurement the ranks sleep
  /// first, since the system counts ticks of 10 ms.
  double taken();

  /// Collective. The same since the last call, for measurements that follow one another: too short a time
  /// is judged with what comes next, and until then as what was before.
  double taken_lately();

 private:
  struct Reading {
    double at = 0;   ///< on this process's clock
    double own = 0;  ///< core seconds of this process
    std::optional<CoreTime> all;
  };

  Reading read() const;
  double seconds_to_wait() const;
  double share_since_begin() const;

  const Communicator& comm_;
  Communicator machine_;  ///< whose ranks share cores, also where each has a node of its own
  Reading begin_;
  double lately_ = 0;
};

}  // namespace rondo::support
