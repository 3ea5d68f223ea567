// The exchanges as calls: Rondo_Alltoall and the other rows of exchanges.def.

#include "exchange/call.hpp"
#include "exchange/for_mpi.hpp"
#include "rondo/rondo.h"

namespace rondo::exchange {

template <class Arguments>
int carry_out(const Arguments& arguments) {
  return call(arguments);
}

}  // namespace rondo::exchange

using namespace rondo::exchange;  // NOLINT: the C interface is outside the namespace
using namespace rondo::buffers;   // NOLINT

#define RONDO_EXCHANGE(Arguments, Call, Start, Shape, Count, Displacement, suffix)     \
  template int rondo::exchange::carry_out(const Arguments&);                           \
  extern "C" int Rondo_##Call##suffix(RONDO_PARAMETERS_##Shape(Count, Displacement)) { \
    return call(Arguments{RONDO_NAMES_##Shape});                                       \
  }
#include "buffers/exchanges.def"
