// A dynamic exchange of pairs of ints, of either kind, with every form of its receiving side.
#pragma once

#include <rondo/rondo.h>

#include <string>
#include <vector>

#include "support/calls.hpp"
#include "support/pair_type.hpp"
#include "support/random.hpp"
#include "support/runner.hpp"
#include "support/traffic.hpp"

namespace rondo::testing {

/// What a rank says of those to which it sends.
enum class Kind {
  dense,  ///< Rondo_Alltoallv_dynamic: a count for every rank
  sparse  ///< Rondo_Sparse_alltoallv: their ranks and counts
};

/// The name under which the algorithms of that kind are chosen.
const char* collective_of(Kind kind);

/// Where a rank receives, which each rank may choose for itself.
enum class Place {
  exact,      ///< in a buffer that fits
  larger,     ///< in one that is longer
  large,      ///< in one that fits, by the function with large counts where this MPI has it
  too_small,  ///< in one that lacks the last pair; the rest is taken later
  allocated,  ///< where a callback says
  refused,    ///< the callback has no memory; all is taken later
  own,        ///< in Rondo's memory
  count
};

int call_dynamic(Kind kind, const AnyArguments& arguments, MPI_Comm comm);
/// Receives where `allocate` says, or else in Rondo's memory, whose address is put into *address.
int call_dynamic_alloc(Kind kind, const AnyArguments& arguments, Rondo_Allocate_function* allocate,
                       void* extra, void* address, MPI_Comm comm);

/// In a sparse exchange destinations are in random order, and some with 0 elements are among them.
class DynamicExchange {
 public:
  struct Types {
    PairLayout send = PairLayout::side_by_side;
    PairLayout receive = PairLayout::side_by_side;
  };

  DynamicExchange(Kind kind, MPI_Comm comm, const Traffic& traffic, std::uint64_t seed,
                  Types types);
  DynamicExchange(Kind kind, MPI_Comm comm, const Traffic& traffic, std::uint64_t seed)
      : DynamicExchange(kind, comm, traffic, seed, Types{}) {}

  /// The arguments for a buffer that fits.
  AnyArguments arguments();

  /// Exchanges and looks at everything that the call has written.
  void run(Place place, Row& row);

  int total() const { return static_cast<int>(total_); }

 private:
  int pairs(int source, int destination) const;
  std::uint64_t values_of(int source, int destination) const;
  void write_blocks();
  void* new_memory(std::size_t pairs);
  void run_large(Row& row);
  void run_given(std::size_t capacity, Row& row);
  void run_allocated(bool is_refused, Row& row);
  void run_own(Row& row);
  void take(Row& row);
  void expect_counts(Row& row) const;
  template <class Sources>
  void expect_sources(const Sources& sources, Row& row) const;
  void expect_data(Row& row) const;

  Kind kind_;
  MPI_Comm comm_;
  Traffic traffic_;
  std::uint64_t seed_;
  int rank_;
  int ranks_;
  PairType send_type_;
  PairType receive_type_;
  MPI_Datatype send_handle_;
  MPI_Datatype receive_handle_;
  std::size_t total_ = 0;  ///< pairs that arrive
  PairMemory sent_, received_;
  std::vector<int> destinations_, send_counts_, send_displacements_;
  std::vector<int> receive_counts_, receive_displacements_;
  Rondo_Sources sources_{};
};

}  // namespace rondo::testing
