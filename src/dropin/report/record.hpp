// RONDO_RECORD=FILE: what `rondo whatif` needs to know of the program's exchanges, in FILE.
#pragma once

#include "dropin/report/report.hpp"

namespace rondo::dropin {

/// Whether this process's environment requests a record.
bool is_recording();

/// Collective over MPI_COMM_WORLD. Rank 0 writes the record, or says on stderr why it is missing or incomplete.
void write_record(int rank, World world);

}  // namespace rondo::dropin
