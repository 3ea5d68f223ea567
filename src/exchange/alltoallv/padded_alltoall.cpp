// padded_alltoall
//
// Idea:     agree on the largest block, pad all blocks to it, call the library's MPI_Alltoall, and
//           scan out the real bytes.
// Source:   HPDC 2022, section 3.1, with the library's exchange in the middle.
// Rounds:   the library's, after an allreduce.
// Sent:     at least (P-1) S bytes.
// Scratch:  2 P S for the padded blocks.
// Cost:     allreduce + MPI_Alltoall of S bytes a block + 2 P S of copies.
// Limits:   runs spread_out where P S is beyond RONDO_PADDING_BYTES or S is past 2^31-1.

#include <limits>

#include "exchange/alltoallv/padding.hpp"
#include "exchange/functions.hpp"
#include "exchange/mpi_error.hpp"

namespace rondo::exchange::alltoallv {

void padded_alltoall(Call& call, const Variable& blocks) {
  constexpr std::size_t kLongest = std::numeric_limits<int>::max();
  exchange_padded(call, blocks, kLongest, [&](const Uniform& uniform) {
    const int bytes = static_cast<int>(uniform.block_bytes);
    check(PMPI_Alltoall(uniform.send, bytes, MPI_BYTE, uniform.receive, bytes, MPI_BYTE,
                        call.context.comm),
          "MPI_Alltoall");
  });
}

}  // namespace rondo::exchange::alltoallv
