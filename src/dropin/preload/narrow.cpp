// MPI 4's large-count forms for older MPI libraries. A program that checks whether they exist finds
// Rondo's, so they must work.

#include <atomic>
#include <cstdint>
#include <cstdlib>

#include "dropin/preload/preload.hpp"

using rondo::dropin::Word;

extern "C" {  // defined in preload.cpp
int MPI_Alltoall(Word, Word, Word, Word, Word, Word, Word);
int MPI_Alltoallv(Word, Word, Word, Word, Word, Word, Word, Word, Word);
int MPI_Alltoallw(Word, Word, Word, Word, Word, Word, Word, Word, Word);
int MPI_Neighbor_alltoall(Word, Word, Word, Word, Word, Word, Word);
int MPI_Neighbor_alltoallv(Word, Word, Word, Word, Word, Word, Word, Word, Word);
int MPI_Neighbor_alltoallw(Word, Word, Word, Word, Word, Word, Word, Word, Word);
}

namespace rondo::dropin {

namespace {

constexpr int kErrCount = 2;  // MPI_ERR_COUNT of Open MPI, of MPICH and of the standard ABI

/// A function of the MPI library. It is looked up once, because that takes microseconds.
class MpiFunction {
 public:
  constexpr explicit MpiFunction(const char* name) : name_(name) {}

  template <class... Words>
  int operator()(Words... words) {
    Function function = function_.load(std::memory_order_acquire);
    if (function == nullptr) {
      function = next_function(name_, __builtin_return_address(0));
      if (function == nullptr) return kErrCount;
      function_.store(function, std::memory_order_release);
    }
    return reinterpret_cast<int (*)(Words...)>(function)(words...);
  }

 private:
  const char* name_;
  std::atomic<Function> function_ = nullptr;
};

constinit MpiFunction g_test_inter{"PMPI_Comm_test_inter"};
constinit MpiFunction g_remote_size{"PMPI_Comm_remote_size"};
constinit MpiFunction g_size{"PMPI_Comm_size"};
constinit MpiFunction g_rank{"PMPI_Comm_rank"};
constinit MpiFunction g_topology{"PMPI_Topo_test"};
constinit MpiFunction g_dimensions{"PMPI_Cartdim_get"};
constinit MpiFunction g_neighbours{"PMPI_Graph_neighbors_count"};
constinit MpiFunction g_degrees{"PMPI_Dist_graph_neighbors_count"};
constinit MpiFunction g_call_errhandler{"PMPI_Comm_call_errhandler"};

Word address_of(int& number) {
  return reinterpret_cast<Word>(&number);
}

/// MPI_IN_PLACE is 1 in Open MPI and in the standard ABI, and -1 in MPICH.
bool is_in_place(Word buffer) {
  return buffer == 1 || buffer == static_cast<Word>(-1);
}

/// The number of ranks that a rank exchanges with on `comm`.
int peers(Word comm) {
  int is_inter = 0;
  int ranks = 0;
  g_test_inter(comm, address_of(is_inter));
  (is_inter != 0 ? g_remote_size : g_size)(comm, address_of(ranks));
  return ranks;
}

/// The numbers of blocks that a rank sends and receives.
struct Blocks {
  int out = 0;
  int in = 0;
};

Blocks blocks_of_all(Word comm) {
  const int ranks = peers(comm);
  return {.out = ranks, .in = ranks};
}

/// Of a communicator without a topology none, since the MPI library raises the error. MPI_CART and MPI_GRAPH are 1 and 2
/// in Open MPI, and 2 and 1 in MPICH.
Blocks blocks_of_neighbours(Word comm) {
  constexpr int kOfEdges = 3;  // MPI_DIST_GRAPH
  const bool is_openmpi =
      next_function("ompi_mpi_comm_world", __builtin_return_address(0)) != nullptr;
  const int grid = is_openmpi ? 1 : 2;
  int topology = 0;
  int rank = 0;
  int number = 0;
  Blocks blocks;
  g_topology(comm, address_of(topology));
  if (topology == kOfEdges) {
    g_degrees(comm, address_of(blocks.in), address_of(blocks.out), address_of(number));
  } else if (topology == grid) {
    g_dimensions(comm, address_of(number));
    blocks = {.out = 2 * number, .in = 2 * number};
  } else if (topology == kOfEdges - grid) {
    g_rank(comm, address_of(rank));
    g_neighbours(comm, static_cast<Word>(rank), address_of(number));
    blocks = {.out = number, .in = number};
  }
  return blocks;
}

bool fits(std::int64_t number) {
  return number == static_cast<int>(number);
}

/// An array of 64-bit numbers converted to ints; null if the array is null.
class Narrowed {
 public:
  Narrowed(Word large, int length) {
    const auto* numbers = reinterpret_cast<const std::int64_t*>(large);
    if (numbers == nullptr) return;
    numbers_ = static_cast<int*>(std::malloc((static_cast<std::size_t>(length) + 1) * sizeof(int)));
    fits_ = numbers_ != nullptr;
    for (int i = 0; fits_ && i < length; ++i) {
      numbers_[i] = static_cast<int>(numbers[i]);
      fits_ = fits(numbers[i]);
    }
  }
  ~Narrowed() { std::free(numbers_); }
  Narrowed(const Narrowed&) = delete;
  Narrowed& operator=(const Narrowed&) = delete;

  bool fits_in_ints() const { return fits_; }
  Word word() const { return reinterpret_cast<Word>(numbers_); }

 private:
  int* numbers_ = nullptr;
  bool fits_ = true;
};

bool both_fit(const Narrowed (&sides)[2]) {
  return sides[0].fits_in_ints() && sides[1].fits_in_ints();
}

int refuse(Word comm) {
  g_call_errhandler(comm, static_cast<Word>(kErrCount));
  return kErrCount;
}

using UniformForm = decltype(MPI_Alltoall);
using VectorForm = decltype(MPI_Alltoallv);
using BlocksOf = decltype(blocks_of_all);

/// With MPI_IN_PLACE the send count is ignored.
template <UniformForm& form>
int uniform_form(Word send, Word send_count, Word send_type, Word receive, Word receive_count,
                 Word receive_type, Word comm) {
  const bool send_fits = is_in_place(send) || fits(static_cast<std::int64_t>(send_count));
  if (!send_fits || !fits(static_cast<std::int64_t>(receive_count))) return refuse(comm);
  return form(send, send_count, send_type, receive, receive_count, receive_type, comm);
}

template <VectorForm& form, BlocksOf& blocks_of>
int vector_form(Word send, Word send_counts, Word send_displs, Word send_type, Word receive,
                Word receive_counts, Word receive_displs, Word receive_type, Word comm) {
  const Blocks blocks = blocks_of(comm);
  if (is_in_place(send)) send_counts = send_displs = 0;
  const Narrowed counts[] = {{send_counts, blocks.out}, {receive_counts, blocks.in}};
  const Narrowed displs[] = {{send_displs, blocks.out}, {receive_displs, blocks.in}};
  if (!both_fit(counts) || !both_fit(displs)) return refuse(comm);
  return form(send, counts[0].word(), displs[0].word(), send_type, receive, counts[1].word(),
              displs[1].word(), receive_type, comm);
}

/// Its displacements are addresses in both forms.
int neighbor_alltoallw(Word send, Word send_counts, Word send_displs, Word send_types, Word receive,
                       Word receive_counts, Word receive_displs, Word receive_types, Word comm) {
  const Blocks blocks = blocks_of_neighbours(comm);
  const Narrowed counts[] = {{send_counts, blocks.out}, {receive_counts, blocks.in}};
  if (!both_fit(counts)) return refuse(comm);
  return MPI_Neighbor_alltoallw(send, counts[0].word(), send_displs, send_types, receive,
                                counts[1].word(), receive_displs, receive_types, comm);
}

}  // namespace

Function narrow_form(MpiCall call) {
  switch (call) {
    case MpiCall::Alltoall_c:
      return reinterpret_cast<Function>(uniform_form<MPI_Alltoall>);
    case MpiCall::Alltoallv_c:
      return reinterpret_cast<Function>(vector_form<MPI_Alltoallv, blocks_of_all>);
    case MpiCall::Alltoallw_c:
      return reinterpret_cast<Function>(vector_form<MPI_Alltoallw, blocks_of_all>);
    case MpiCall::Neighbor_alltoall_c:
      return reinterpret_cast<Function>(uniform_form<MPI_Neighbor_alltoall>);
    case MpiCall::Neighbor_alltoallv_c:
      return reinterpret_cast<Function>(vector_form<MPI_Neighbor_alltoallv, blocks_of_neighbours>);
    case MpiCall::Neighbor_alltoallw_c:
      return reinterpret_cast<Function>(neighbor_alltoallw);
    default:
      return nullptr;
  }
}

}  // namespace rondo::dropin
