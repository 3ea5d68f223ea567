// librondo_preload.so: what Rondo carries out, and what every MPI library has.

#include "interpose/narrow.hpp"
#include "interpose/symbol.hpp"

namespace rondo::interpose {

namespace {

int nothing() {
  return 0;
}

}  // namespace

/// Programs look whether the large forms are there, and find ours.
Function stand_in(const Symbol& symbol) {
  if (symbol.call == Call::Finalize) return reinterpret_cast<Function>(nothing);
  const Function narrow = symbol.language == Language::c ? narrow_form(symbol.call) : nullptr;
  if (narrow != nullptr) return narrow;
  end_process(symbol);
}

}  // namespace rondo::interpose

using namespace rondo::interpose;  // NOLINT: the MPI symbols stand outside the namespace

extern "C" {
#include "interpose/calls.def"
}
