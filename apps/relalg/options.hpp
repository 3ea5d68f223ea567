// The option of the programs that are made of rules.
#pragma once

#include "relalg/exchange.hpp"

namespace rondo::support {
class CommandLine;
}

namespace rondo::relalg {

/// Adds --exchange to `line`. The arguments must outlive parse().
void add_exchange_option(support::CommandLine& line, Exchanges& exchanges);

/// The value of --exchange.
const char* to_string(Exchanges exchanges);

}  // namespace rondo::relalg
