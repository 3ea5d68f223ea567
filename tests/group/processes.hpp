// Processes that are the ranks of a group: forked, with memory in which they gather, and socket pairs.
#pragma once

#include <rondo/transport.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "wire.hpp"

namespace group_test {

/// Where ranks are, and by what they reach each other.
struct Placement {
  const char* name;
  bool has_messages;
  int (*node)(int rank, int ranks);  ///< null: as it is found out
  bool hides_descriptors = false;    ///< no process can open those of another
};

/// The functions of a transport that start and end something.
enum class Function { allgather, send, receive, test };

/// For GoogleTest.
inline void PrintTo(const Placement& placement, std::ostream* out) {
  *out << placement.name;
}

/// One rank, in its own process.
class Rank {
 public:
  Rank(int rank, int ranks, const Placement& placement, void* shared, std::vector<int> sockets);

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }

  /// This rank's, as placed.
  Rondo_Transport transport();

  /// From now on there is one rank less.
  void lose_last() { --ranks_; }

  /// Waits for all ranks.
  void barrier();

  /// Ends the process with a message unless `holds`.
  void expect(bool holds, const std::string& what) const;
  /// The same unless the code is that one.
  void expect_code(int code, int expected, const std::string& what) const;

  /// For how long a gathering may wait.
  void set_patience(std::chrono::milliseconds patience) { patience_ = patience; }

  /// The transport fails from the next but `calls` call of a function on, or the process gets a signal there.
  void fail_after(int calls, Function function, int signal);
  bool has_failed() const { return fault_ && fault_->calls < 0; }
  /// Must be called in each function. Returns whether it fails.
  bool fails(Function function);

  int gather(const void* own, void* all, std::size_t bytes);
  Wire& wire() { return wire_; }

 private:
  int rank_;
  int ranks_;
  const Placement& placement_;
  struct Shared* shared_;
  std::string node_;
  Wire wire_;
  std::uint64_t gatherings_ = 0;
  std::chrono::milliseconds patience_{20000};

  struct Fault {
    int calls;
    Function function;
    int signal;  ///< 0: none
  };
  std::optional<Fault> fault_;
};

/// Owns a group.
class Group {
 public:
  explicit Group(Rank& rank) : Group(rank, rank.transport()) {}
  Group(Rank& rank, const Rondo_Transport& transport) : rank_(rank) {
    rank.expect_code(Rondo_Group_create(&transport, &group_), RONDO_SUCCESS, "create");
  }
  ~Group() {
    Rondo_Group_free(&group_);
    rank_.expect(rank_.wire().messages() == 0, "a message is neither complete nor cancelled");
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  operator Rondo_Group() const { return group_; }  // NOLINT

 private:
  Rank& rank_;
  Rondo_Group group_ = nullptr;
};

/// Runs `body` in so many processes. Returns what they have found wrong; empty if nothing. A process that is not over
/// after a minute is killed. That of rank `killed` may end in any way, and is killed when the others are over.
std::string run_ranks(int ranks, const Placement& placement, const std::function<void(Rank&)>& body,
                      int killed = -1);

}  // namespace group_test
