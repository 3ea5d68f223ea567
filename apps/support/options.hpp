// The options that all applications have.
#pragma once

#include <cstddef>
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

}  // namespace rondo::apps
