// A dynamic exchange of pairs of ints, of either kind, with every form of its receiving side.
#pragma once

#include <rondo/rondo.h>

#include <string>
#include <utility>
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

/// With a request, Rondo_Ialltoallv_dynamic.
int call_dynamic(Kind kind, const AnyArguments& arguments, MPI_Comm comm,
                 Rondo_Request* request = nullptr);

int plan_sparse(const AnyArguments& arguments, MPI_Comm comm, MPI_Info info, Rondo_Plan* plan);

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
  void run(Place place, Row& row) { expect(place, call(place, nullptr), row); }

  /// The same in two: the start of a dense exchange, and all else. The object must stay where it is.
  int start(Place place, Rondo_Request* request) { return call(place, request); }

  /// Looks at everything that a call or a completion has written. `code` is what it has returned.
  void expect(Place place, int code, Row& row);

  /// Makes a plan of a sparse exchange, and looks at the sources that it has found.
  void make_plan(bool is_large, MPI_Info info, Rondo_Plan* plan, Row& row);

  /// What an execution of the plan sends and receives: other values for each `salt`.
  std::pair<const void*, void*> buffers(int salt);
  void expect_right(Row& row) const { expect_data(row); }

  int total() const { return static_cast<int>(total_); }

 private:
  int pairs(int source, int destination) const;
  std::uint64_t values_of(int source, int destination) const;
  void lay_blocks();
  void write_blocks();
  void* new_memory(std::size_t pairs);
  std::size_t room_in(Place place) const;
  int call(Place place, Rondo_Request* request);
  int call_alloc(Rondo_Allocate_function* allocate, void* address, Rondo_Request* request);
  int call_large(Rondo_Request* request);
  void expect_large(int code, Row& row);
  void expect_given(std::size_t capacity, int code, Row& row);
  void expect_allocated(bool is_refused, int code, Row& row);
  void expect_own(int code, Row& row);
  void take(Row& row);
  void expect_counts(Row& row) const;
  template <class Sources>
  void expect_sources(const Sources& sources, Row& row) const;
  void expect_data(Row& row) const;

  Kind kind_;
  MPI_Comm comm_;
  Traffic traffic_;
  std::uint64_t seed_;
  int salt_ = 0;  ///< of the values
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
  bool is_refused_ = false;
  std::vector<MPI_Count> asked_;  ///< of `allocate`
  const int* own_ = nullptr;      ///< where Rondo's memory is

  /// Those of large calls, which the caller must keep.
  struct Large {
    std::vector<MPI_Count> send_counts, receive_counts;
    std::vector<MPI_Aint> send_displacements, receive_displacements;
  } large_;
#if MPI_VERSION >= 4
  Rondo_Sources_c large_sources_{};
#endif
};

}  // namespace rondo::testing
