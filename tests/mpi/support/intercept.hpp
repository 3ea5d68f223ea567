// MPI functions that count their calls, fail on demand, and place ranks on pretended nodes.
//
// A program that links intercept.cpp defines these functions itself, before the MPI library does,
// so that the library under test calls them.
#pragma once

#include <mpi.h>

#include <functional>
#include <span>
#include <vector>

namespace rondo::testing::intercept {

enum class Function {
#define RONDO_INTERCEPT(name, when, parameters) name,
#include "support/intercepted.def"
  count
};

const char* name_of(Function function);

/// Those that can be made to fail.
std::vector<Function> all_functions();

/// Calls since the last reset.
int calls(Function function);
void reset_calls();

/// The sum of the counts of MPI_Isend and MPI_Issend since the last reset.
long long sent_elements();

/// The `call`-th call of `function` from now on (0 is the next) and all later ones return
/// MPI_ERR_OTHER.
void fail_from(Function function, int call);
void fail_nothing();

/// The addresses of a call's arguments.
using Given = std::span<const void* const>;

/// Stands round every call of an intercepted function: it must carry the call out with `call()` and return
/// its code. Threads of the library may call it at the same time.
using Watch = std::function<int(Function function, Given given, const std::function<int()>& call)>;

/// One at a time; an empty one ends it.
void watch(Watch watcher);

/// How often a call was made to fail since fail_from.
int failures();

/// Place ranks of MPI_COMM_WORLD on nodes by this rule; empty: where they are.
void place_ranks(std::function<int(int world_rank)> node_of_rank);

}  // namespace rondo::testing::intercept
