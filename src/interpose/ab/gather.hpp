// The end of a comparison: from what every rank has kept to one report.
#pragma once

namespace rondo::interpose::ab {

/// Collective over MPI_COMM_WORLD, whose rank 0 prints the report on stderr.
void report_comparison(int rank);

}  // namespace rondo::interpose::ab
