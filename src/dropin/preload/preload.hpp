// The MPI library that the program calls, and the part for it. No MPI and no C++ run-time library,
// which the program may lack.
#pragma once

#include <cstdint>

#include "dropin/contract.hpp"

namespace rondo::dropin {

/// An argument whose type only the MPI library knows. It is an integer or an address and fills one
/// word in the calling conventions of 64-bit Linux.
using Word = std::uintptr_t;
static_assert(sizeof(Word) == 8, "counts and addresses must fill one word each");

/// Returns the part for the MPI library that the calls of `caller` resolve to. The part is loaded
/// at the first call, and that caller decides for all later ones, because a process may have
/// several MPI libraries mapped. Returns null if there is no such part, with one warning, or if
/// RONDO_DISABLE=1.
const Part* find_part(const void* caller);

/// Returns the function that `caller` would call by that name without Rondo; null if there is none.
Function next_function(const char* name, const void* caller);

/// Returns a dlopen handle of the library that contains `code`; null for the program itself. The
/// handle is never closed, because functions found through it are called later.
void* scope_of(const void* code);

/// Returns a function that carries out MPI_Alltoall_c and its like, also among neighbours, through the
/// form with int counts, for MPI libraries older than MPI 4; null for other calls. A number that
/// does not fit in an int gives MPI_ERR_COUNT.
Function narrow_form(MpiCall call);

}  // namespace rondo::dropin
