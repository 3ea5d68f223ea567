// The options that all applications have, and the algorithm that their exchanges run.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace rondo::apps {

enum class Format { table, json };

struct CommonOptions {
  std::vector<std::string> algorithms{"auto"};  ///< run in turn; never empty
  int repeat = 1;                               ///< runs of each
  bool meet = false;                            ///< around every exchange, see ExchangeTimer
  bool quiet = false;                           ///< no word about how far it is
  Format format = Format::table;
};

/// Adds --algorithm, --compare, --repeat, --meet, --quiet and --format to `app`. `besides` are names that may
/// stand for an algorithm. The first two arguments must outlive app.parse().
void add_common_options(CLI::App& app, CommonOptions& options,
                        const std::vector<std::string>& besides = {});

/// Collective. From now on the exchanges on `comm` run `algorithm`: a name with parameters, as in
/// "two_layer_bruck:intra=4", or "auto". A name that only one of alltoall and alltoallv has is for that
/// one, and the other runs auto. Throws Error(argument) on all ranks where neither has it, and where
/// a parameter is wrong.
void choose_algorithm(MPI_Comm comm, const std::string& algorithm);

}  // namespace rondo::apps
