// A dynamic exchange of pairs of ints, with every form of its receiving side.
#pragma once

#include <rondo/rondo.h>

#include <string>
#include <vector>

#include "support/random.hpp"
#include "support/runner.hpp"
#include "support/small.hpp"

namespace rondo::testing {

/// How many pairs go from a rank to a rank, alike on all ranks.
struct Traffic {
  const char* name;
  int (*pairs)(std::uint64_t seed, int source, int destination, int ranks);
};

std::vector<Traffic> traffics();

/// Where a rank receives, which each rank may choose for itself.
enum class Place {
  exact,      ///< in a buffer that fits
  larger,     ///< in one with room to spare
  large,      ///< in one that fits, by the function with large counts where this MPI has it
  too_small,  ///< in one without room for the last pair; the rest is taken later
  allocated,  ///< where a callback says
  refused,    ///< the callback has no memory; all is taken later
  own,        ///< in Rondo's memory
  count
};

/// An element of two ints: side by side, or `is_spread` with gaps around the second, which must be
/// packed.
class PairType {
 public:
  explicit PairType(bool is_spread);
  operator MPI_Datatype() const { return type_; }
  std::size_t at(std::size_t pair, std::size_t member) const {
    return is_spread_ ? 4 * pair + 2 * member : 2 * pair + member;
  }
  std::size_t ints(std::size_t pairs) const { return (is_spread_ ? 4 : 2) * pairs; }

 private:
  static MPI_Datatype side_by_side();
  bool is_spread_;
  Type type_;
};

/// The arguments of one rank. A test may bend them before the call.
struct DynamicArguments {
  const void* send_buffer;
  const int* send_counts;
  const int* send_displacements;
  MPI_Datatype send_type;
  void* receive_buffer;
  int capacity;
  int* receive_counts;
  int* receive_displacements;
  MPI_Datatype receive_type;
  MPI_Comm comm;

  int call() const {
    return Rondo_Alltoallv_dynamic(send_buffer, send_counts, send_displacements, send_type,
                                   receive_buffer, capacity, receive_counts, receive_displacements,
                                   receive_type, comm);
  }
};

class DynamicExchange {
 public:
  struct Types {
    bool send_spread = false;
    bool receive_spread = false;
  };

  DynamicExchange(MPI_Comm comm, const Traffic& traffic, std::uint64_t seed, Types types);
  DynamicExchange(MPI_Comm comm, const Traffic& traffic, std::uint64_t seed)
      : DynamicExchange(comm, traffic, seed, Types{}) {}

  /// The arguments for a buffer that fits.
  DynamicArguments arguments();

  /// Exchanges and looks at everything that the call has written.
  void run(Place place, Row& row);

  /// After a call with arguments().
  void expect_received(Row& row) { expect_data(received_.data(), total_, row); }

  int total() const { return static_cast<int>(total_); }

 private:
  int pairs(int source, int destination) const;
  int value(int source, int destination, int index) const;
  void run_large(Row& row);
  void run_given(std::size_t capacity, Row& row);
  void run_allocated(bool is_refused, Row& row);
  void run_own(Row& row);
  void take(Row& row);
  void expect_counts(Row& row) const;
  void expect_data(const int* data, std::size_t capacity, Row& row) const;

  MPI_Comm comm_;
  Traffic traffic_;
  std::uint64_t seed_;
  int rank_;
  int ranks_;
  PairType send_type_;
  PairType receive_type_;
  std::size_t total_ = 0;  ///< pairs that arrive
  std::vector<int> sent_, send_counts_, send_displacements_;
  std::vector<int> received_, receive_counts_, receive_displacements_;
};

}  // namespace rondo::testing
