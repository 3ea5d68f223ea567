// One table of wrong arguments for exchanges of all kinds, and what all ranks see of them.
#pragma once

#include <deque>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "support/calls.hpp"
#include "support/runner.hpp"

namespace rondo::testing {

/// The functions to which a mistake applies, as bits.
namespace functions {
inline constexpr unsigned alltoall = 1;
inline constexpr unsigned alltoallv = 2;
inline constexpr unsigned alltoallw = 4;
inline constexpr unsigned neighbor_alltoall = 8;
inline constexpr unsigned neighbor_alltoallv = 16;
inline constexpr unsigned neighbor_alltoallw = 32;
inline constexpr unsigned dynamic = 64;
inline constexpr unsigned sparse = 128;
inline constexpr unsigned sparse_plan = 256;  ///< which has no buffers
}  // namespace functions

/// How long the arrays of arguments are.
struct Lengths {
  std::size_t send;
  std::size_t receive;
};

/// The arguments of one rank, with memory for what is put into their place.
class Bent {
 public:
  Bent(AnyArguments& given, Lengths lengths) : arguments(given), lengths_(lengths) {}

  void set_counts(Arguments& side, int count);
  void set_last_count(Arguments& side, int count);
  void remove_types(Arguments& side);
  void remove_first_type(Arguments& side);
  void remove_last_type(Arguments& side);
  void set_last_destination(int rank);
  void set_two_destinations(int rank);

  AnyArguments& arguments;

 private:
  std::size_t length_of(const Arguments& side) const {
    return &side == &arguments.send ? lengths_.send : lengths_.receive;
  }
  std::vector<MPI_Datatype>& copy_types(Arguments& side);

  Lengths lengths_;
  std::deque<std::vector<int>> numbers_;
  std::deque<std::vector<MPI_Datatype>> types_;
};

/// In place only mistakes on the receiving side are seen.
enum class On { sending, receiving };

enum class Seen { when_made, when_executed };

struct Wrong {
  const char* name;
  unsigned applies_to;  ///< bits of functions
  On on;
  int error_class;
  const char*
      words;  ///< in the text on the wrong rank; {last} stands for the last index of an array
  void (*bend)(Bent& bent);
  Seen in_plans = Seen::when_made;
};

std::span<const Wrong> wrong_rows();
const Wrong& wrong_row(const char* name);

/// An exchange that can be made wrong.
class Subject {
 public:
  virtual ~Subject() = default;

  virtual Lengths lengths() const = 0;

  /// Right arguments, for data that depend on `salt`.
  virtual AnyArguments arguments(int salt) = 0;

  virtual int call(const AnyArguments& arguments) = 0;
  virtual int make_plan(const AnyArguments&, Rondo_Plan*) { return MPI_ERR_INTERN; }

  /// Whether the data of arguments() have arrived.
  virtual bool is_right() const = 0;

  /// Later calls with right arguments.
  virtual void run_next(int salt, Row& row) = 0;
};

/// Who is wrong, and who returns an error then.
struct Blame {
  static constexpr int everybody = -1;
  int wrong_rank = everybody;
  std::function<bool(int rank)> returns_error = [](int) { return true; };
};

/// Collective. A call, twice.
void expect_wrong_call(const Wrong& wrong, Subject& subject, const Blame& blame, Row& row);

/// Collective. A plan, or two executions of one. All ranks return the error of making it.
void expect_wrong_plan(const Wrong& wrong, Subject& subject, const Blame& blame, Row& row);

}  // namespace rondo::testing
