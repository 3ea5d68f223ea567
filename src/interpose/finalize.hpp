// What is left to do when the program is done.
#pragma once

namespace rondo::interpose {

/// Collective over MPI_COMM_WORLD, where every rank comes by on its way to MPI_Finalize. Rank 0
/// prints the reports that any rank was asked for.
void report_all();

}  // namespace rondo::interpose
