// The MPI library that the program calls, and the part that belongs to it. For the preload library:
// no MPI, and nothing of the C++ run-time library, which a program need not have.
#pragma once

#include "interpose/part.hpp"

namespace rondo::interpose {

/// The part for the MPI library that the calls of `caller` resolve to, loaded at the first call,
/// whose caller decides for all: a process may have mapped several MPI libraries. Null where there
/// is no such part, which is said once, or where RONDO_DISABLE=1.
const Part* find_part(const void* caller);

/// What `caller` would have called under that name without us, null if there is nothing.
Function next_function(const char* name, const void* caller);

/// A dlopen handle of the library that holds `code`; null if that is the program itself. It is kept:
/// what is found there is called from now on.
void* scope_of(const void* code);

}  // namespace rondo::interpose
