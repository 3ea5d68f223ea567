// What a communicator contributes to RONDO_WATCH: who its ranks are, and where they tell what they do.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "buffers/binding.hpp"
#include "watch/watcher.hpp"

namespace rondo::communicator {

class State;

/// Local, and needs no MPI. Lets SIGUSR1 ask what this process does from now on, if its environment sets RONDO_WATCH.
void watch_process();

class Watched {
 public:
  /// Local. Begins to watch a communicator whose first exchange waits for the settings of rank 0, if the environment of
  /// this process asks for it. Else returns null.
  static std::unique_ptr<Watched> at_first_exchange(MPI_Comm comm, const State& state);

  /// Collective. From now on its ranks know each other, as RONDO_WATCH asks for. `first` is what at_first_exchange() has
  /// returned. Returns null if this process has no memory for it, or already watches as many communicators as it can.
  static std::unique_ptr<Watched> agree(MPI_Comm comm, const State& state,
                                        std::unique_ptr<Watched> first);

  ~Watched();
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

  watch::Line& line() const { return *subject_.line; }

  /// Notes that the call in progress has chosen, and how much this rank sends if that is known.
  void note_choice(const buffers::Side* sending) const;

 private:
  explicit Watched(watch::Subject subject) : subject_(std::move(subject)) {}
  static std::unique_ptr<Watched> make(MPI_Comm comm, const State& state,
                                       const std::string& patience, bool aborts);
  void sort_ranks();

  watch::Subject subject_;
  std::vector<int> ranks_of_job_;  ///< by rank
  std::vector<bool> has_line_;     ///< by rank, once they have agreed
};

}  // namespace rondo::communicator
