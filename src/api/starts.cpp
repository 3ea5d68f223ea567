// The exchanges as starts: Rondo_Ialltoall and the other rows of entries.def.

#include "exchange/start.hpp"
#include "rondo/rondo.h"

using namespace rondo::exchange;  // NOLINT: the C interface is outside the namespace
using namespace rondo::buffers;   // NOLINT

#define RONDO_ENTRY(Arguments, Call, Start, Shape, Count, Displacement, suffix)              \
  extern "C" int Rondo_##Start##suffix(Shape(Count, Displacement), Rondo_Request* request) { \
    return start(Arguments{Shape##_NAMES}, request);                                         \
  }
#include "api/entries.def"
