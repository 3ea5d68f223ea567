// Arguments whose types nobody here knows.
#pragma once

#include <cstdint>

namespace rondo::interpose {

/// An integer or an address, of whatever MPI library: one word in the calling conventions of 64-bit
/// Linux.
using Word = std::uintptr_t;
static_assert(sizeof(Word) == 8, "counts and addresses must fill one word each");

}  // namespace rondo::interpose
