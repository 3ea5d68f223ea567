#include "relalg/options.hpp"

#include "support/command_line.hpp"

namespace rondo::relalg {

const char* to_string(Exchanges exchanges) {
  switch (exchanges) {
    case Exchanges::dynamic:
      return "dynamic";
    case Exchanges::counts:
      return "counts";
    case Exchanges::mixed:
      break;
  }
  return "mixed";
}

void add_exchange_option(support::CommandLine& line, Exchanges& exchanges) {
  std::vector<std::pair<std::string, Exchanges>> choices;
  for (const Exchanges one : {Exchanges::mixed, Exchanges::dynamic, Exchanges::counts})
    choices.emplace_back(to_string(one), one);
  support::add_choice<Exchanges>(
      line, "--exchange", exchanges, choices,
      "The exchange of a round: dynamic, without receive counts; counts, an alltoall of counts and "
      "then an alltoallv; or mixed, sparse while ranks have few partners, else dynamic");
}

}  // namespace rondo::relalg
