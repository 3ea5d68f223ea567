// The thread that notices that this process has waited for long in an exchange, and prints who is missing. It sleeps
// nearly all of the time, and asks MPI nothing. No MPI.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "segment/segment.hpp"
#include "watch/board.hpp"

namespace rondo::watch {

/// Where another rank of this node tells what it does.
struct Neighbour {
  int rank = 0;
  int rank_of_job = 0;
  std::int64_t process = 0;
  segment::Ticket board;
};

/// A communicator that is watched.
struct Subject {
  Line* line = nullptr;
  std::string members;  ///< how it was made
  std::string node;     ///< the name of this node
  int rank = 0;
  int ranks = 1;
  std::vector<Neighbour> neighbours;  ///< in ascending order
  std::vector<int> on_other_nodes;
  std::vector<int> unknown;  ///< ranks whose processes are not known

  /// What the exchange in progress runs; empty if that is not known. Called by the watcher.
  struct Algorithm {
    std::string text;
    bool is_in_library = false;
  };
  std::function<Algorithm()> algorithm;
};

struct Orders {
  std::chrono::milliseconds patience{};  ///< after which a rank tells
  std::span<const char* const> forms;    ///< names, by Line::form
  std::function<void()> abort;           ///< if there is one, called after a rank has told
  const void* library = nullptr;         ///< a function of the MPI library
};

/// Starts the thread, unless it runs in this process, and lets SIGUSR1 ask it what this process does, unless
/// the program has a handler of its own. The first orders hold.
void begin(const Orders& orders);

/// Watches a communicator until it is removed, or replaces what is known of it.
void add(Subject subject);
void remove(const Line& line);

}  // namespace rondo::watch
