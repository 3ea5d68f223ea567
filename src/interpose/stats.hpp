// RONDO_STATS=1: what the exchanges of this process were, added up, and one report of all ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "communicator/state.hpp"
#include "interpose/part.hpp"
#include "interpose/report.hpp"

namespace rondo::interpose {

/// Bytes by destination.
using ByteRow = std::vector<std::uint64_t>;

/// Whether this process's environment asks for it.
bool is_counting();

/// An exchange of Rondo's; `choice` is null where it was left to the MPI library.
void count(buffers::Form form, const ByteRow& row, const choice::Choice* choice, double seconds);

/// An exchange on an inter-communicator.
void count_inter(buffers::Form form);

/// A call that goes to the MPI library unseen.
void count_passed(Call call);

/// Collective over MPI_COMM_WORLD, whose rank 0 prints the report.
void report_counts(int rank, World world);

}  // namespace rondo::interpose
