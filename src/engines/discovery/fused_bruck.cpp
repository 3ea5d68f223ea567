// fused_bruck:radix=r:ports=k:threshold=T
//
// Idea:     fused_bruck of alltoallv, which carries all lengths along, in K rounds whatever the
//           number of partners. Blocks that are not there are empty.
// Source:   Rondo; engines/fused.cpp.
// Rounds:   K in ceil(log_r P) phases.
// Sent:     the bytes of the blocks in every hop, 4 D bytes of sizes, 24 K bytes of headers.
// Scratch:  that of fused_bruck, and 40 P bytes.
// Cost:     K alpha + (blocks + 4 D + 24 K) beta; O(P log P) lengths are handled whoever sends.
// Errors:   as fused_bruck: all ranks return the error of one.
// Limits:   none. Blocks longer than T go straight to their ranks.

#include "engines/discovery/sparse.hpp"
#include "engines/engines.hpp"

namespace rondo::engines::discovery {

void fused_bruck(SparseCall& call) {
  run_dense(call, engines::fused);
}

}  // namespace rondo::engines::discovery
