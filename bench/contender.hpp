// An algorithm that takes part, with a communicator of its own.
#pragma once

#include <optional>
#include <string>

#include "algorithms.hpp"
#include "choice/choice.hpp"
#include "library.hpp"
#include "support/communicator.hpp"

namespace rondo::bench {

using support::check_mpi;
using support::Communicator;

class Contender {
 public:
  /// Collective. Duplicates `parent` and sets Rondo up there, so that no sample includes the set-up.
  /// If the algorithm does not apply, or its library cannot be loaded, throws Error(argument) with the
  /// reason on all ranks.
  Contender(const Communicator& parent, Call call, const Asked& asked,
            const choice::Layout& layout);

  /// Collective. `auto` on a duplicate of `parent` on which nothing is set up, as in a program.
  static Contender unprepared(const Communicator& parent);

  const Asked& asked() const { return asked_; }
  bool is_mpi() const { return asked_.text == kMpi; }
  bool is_by_hand() const { return asked_.text == kByHand; }
  bool is_rondo() const { return !is_mpi() && !is_by_hand() && asked_.library.empty(); }
  bool is_auto() const { return asked_.text == kAuto; }
  MPI_Comm comm() const { return comm_.get(); }
  const Library& library() const { return library_; }

  /// The values of all parameters ("radix=4:ports=3"); for `auto`, the algorithm that it ran last.
  /// `planned` is what the contender's plan runs, if it has one.
  std::string parameters(const std::string& planned) const;
  /// What Rondo's last call ran, with all parameters; "forwarded" until Rondo is set up.
  std::string last_run() const;
  /// The number of rounds, if the algorithm that runs is known and has a schedule.
  std::optional<int> rounds() const { return rounds_; }

  /// Throws MpiFailure with the library's own text unless `code` is MPI_SUCCESS.
  void check(int code) const;

 private:
  Contender(const Communicator& parent, const Asked& asked);

  bool makes_two_calls() const { return asked_.text == kTwoCalls; }

  Asked asked_;
  Communicator comm_;
  Library library_;
  std::string parameters_;
  std::optional<int> rounds_;
};

}  // namespace rondo::bench
