// The options that all applications share, and the choice of the algorithm for their exchanges.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "support/records.hpp"

namespace rondo::support {
class CommandLine;
}

namespace rondo::apps {

using support::Format;

struct CommonOptions {
  std::vector<std::string> algorithms{"auto"};  ///< run in turn; never empty
  int repeat = 1;                               ///< runs of each
  bool meet = false;   ///< before and after every exchange, see ExchangeTimer
  bool quiet = false;  ///< show no progress
  Format format = Format::table;
};

/// Adds --algorithm, --repeat, --meet, --quiet and --format to `line`. `besides` are
/// further names that may be given as algorithms. The first two arguments must outlive parse().
void add_common_options(support::CommandLine& line, CommonOptions& options,
                        const std::vector<std::string>& besides = {});

/// Collective. From now on the exchanges on `comm` run `algorithm`: a name with parameters, as in
/// "two_layer_bruck:intra=4", or "auto". Of alltoall, alltoallv and sparse_alltoallv, those that have
/// no algorithm of that name run auto. Throws Error(argument) on all ranks if neither alltoall nor
/// alltoallv has it or a parameter is wrong.
void choose_algorithm(MPI_Comm comm, const std::string& algorithm);

}  // namespace rondo::apps
