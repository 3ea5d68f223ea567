// The MPI library that the program calls, and the part that belongs to it. No MPI, and nothing of
// the C++ run-time library, which a program need not have.
#pragma once

#include <cstdint>

#include "dropin/contract.hpp"

namespace rondo::dropin {

/// An argument of a type that only the MPI library knows: an integer or an address, which fills one
/// word in the calling conventions of 64-bit Linux.
using Word = std::uintptr_t;
static_assert(sizeof(Word) == 8, "counts and addresses must fill one word each");

/// The part for the MPI library that the calls of `caller` resolve to. It is loaded at the first
/// call, whose caller decides for all: a process may have mapped several MPI libraries. Null where
/// there is no such part, which is said once, or where RONDO_DISABLE=1.
const Part* find_part(const void* caller);

/// The function that `caller` would have called under that name without Rondo; null if there is
/// none.
Function next_function(const char* name, const void* caller);

/// A dlopen handle of the library that holds `code`; null if that is the program itself. It is
/// never closed: what is found there is called from now on.
void* scope_of(const void* code);

/// Where the MPI library is older than MPI 4: what carries out MPI_Alltoall_c, MPI_Alltoallv_c or
/// MPI_Alltoallw_c by the form with int counts; null for other calls. A number that does not fit an
/// int is an MPI_ERR_COUNT.
Function narrow_form(MpiCall call);

}  // namespace rondo::dropin
