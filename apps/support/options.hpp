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
  Format format = Format::table;
};

/// Adds --algorithm, --compare, --repeat, --meet and --format to `app`. Both arguments must outlive
/// its parse().
void add_common_options(CLI::App& app, CommonOptions& options);

}  // namespace rondo::apps
