// The exchanges as starts: Rondo_Ialltoall and the other rows of exchanges.def.

#include "exchange/start.hpp"
#include "rondo/rondo.h"

using namespace rondo::exchange;  // NOLINT: the C interface is outside the namespace
using namespace rondo::buffers;   // NOLINT

#define RONDO_EXCHANGE(Arguments, Call, Start, Shape, Count, Displacement, suffix)    \
  extern "C" int Rondo_##Start##suffix(RONDO_PARAMETERS_##Shape(Count, Displacement), \
                                       Rondo_Request* request) {                      \
    return start(Arguments{RONDO_NAMES_##Shape}, request);                            \
  }
#include "buffers/exchanges.def"
