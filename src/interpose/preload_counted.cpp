// librondo_preload_GROUP.so: what some MPI libraries have, which is counted and left to them. It is
// preloaded where the MPI library has this group, so nothing need stand in.

#include "interpose/symbol.hpp"

namespace rondo::interpose {

Function stand_in(const Symbol& symbol) {
  end_process(symbol);
}

}  // namespace rondo::interpose

using namespace rondo::interpose;  // NOLINT: the MPI symbols stand outside the namespace

extern "C" {
#include RONDO_CALLS
}
