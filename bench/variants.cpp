#include "variants.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace rondo::bench {

namespace {

model::Load load_of(const Distribution& distribution, std::size_t bytes) {
  const bool is_constant = distribution.is(simulate::Distribution::Kind::constant);
  return {
      .block_bytes = static_cast<double>(bytes),
      .distribution = is_constant ? model::Distribution::constant : model::Distribution::uniform};
}

support::Json row_of(const Options& options, std::size_t bytes, const std::string& algorithm) {
  return {{"collective", to_string(options.call)},
          {"bytes", bytes},
          {"distribution", options.distribution.text},
          {"algorithm", algorithm}};
}

}  // namespace

std::string list_variants(const Options& options, const select::Place& place) {
  std::string out;
  for (const std::size_t bytes : options.bytes) {
    const model::Load load = load_of(options.distribution, bytes);
    if (options.format == Format::table)
      out += fmt::format("{}, S = {}\n", to_string(options.call), bytes);
    for (const choice::OpenChoice& open :
         select::variants(registry::Chooser::tuning, collective_of(options.call), place, load))
      out += options.format == Format::table
                 ? fmt::format("  {}\n", open.text())
                 : support::record_text(options.format, row_of(options, bytes, open.text()),
                                        out.empty());
  }
  return out;
}

}  // namespace rondo::bench
