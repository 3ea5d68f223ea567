// The option of the programs that are made of rules.
#pragma once

#include "relalg/exchange.hpp"

namespace CLI {
class App;
}

namespace rondo::relalg {

/// Adds --exchange to `app`. The arguments must outlive app.parse().
void add_exchange_option(CLI::App& app, Exchanges& exchanges);

/// The value of --exchange.
const char* to_string(Exchanges exchanges);

}  // namespace rondo::relalg
