// process_vm_readv as Rondo calls it: counted, and failing on demand. Calls of the MPI library are
// left alone.
//
// A program that links pull_faults.cpp defines this function itself, before the C library does, so
// that the library under test calls it.
#pragma once

namespace rondo::testing::pull_faults {

/// From now on, that many calls still succeed and all later ones fail with `error`.
void fail_after(int calls, int error);

/// No call fails, and the count begins anew.
void reset();

/// Calls since the last reset.
int calls();

}  // namespace rondo::testing::pull_faults
