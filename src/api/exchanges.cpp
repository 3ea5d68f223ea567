// The exchanges as calls and as starts: Rondo_Alltoall, Rondo_Ialltoall and the other rows of exchanges.def.

#include "exchange/call.hpp"
#include "exchange/for_mpi.hpp"
#include "exchange/start.hpp"
#include "rondo/rondo.h"

namespace rondo::exchange {

template <class Arguments>
int carry_out(const Arguments& arguments) {
  return call(arguments);
}

}  // namespace rondo::exchange

using namespace rondo::exchange;  // NOLINT: the C interface is outside the namespace
using namespace rondo::buffers;   // NOLINT

#define RONDO_EXCHANGE(Arguments, Call, Start, Shape, Count, Displacement, entry, start_entry, \
                       ...)                                                                    \
  template int rondo::exchange::carry_out(const Arguments&);                                   \
  extern "C" int entry(RONDO_PARAMETERS_##Shape(Count, Displacement)) {                        \
    return call(Arguments{RONDO_NAMES_##Shape});                                               \
  }                                                                                            \
  extern "C" int start_entry(RONDO_PARAMETERS_##Shape(Count, Displacement),                    \
                             Rondo_Request* request) {                                         \
    return start(Arguments{RONDO_NAMES_##Shape}, request);                                     \
  }
#include "buffers/exchanges.def"
