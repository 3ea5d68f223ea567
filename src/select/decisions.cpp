#include "select/decisions.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"

namespace rondo::select {

namespace {

using registry::Collective;

std::string to_text(const Bands& bands) {
  std::string out = text(bands.size(), '\n');
  for (const Band& band : bands) out += text(band.up_to, ' ', band.choice.text(), '\n');
  return out;
}

Bands take_bands(std::string_view& announced, Collective collective) {
  Bands bands;
  for (std::size_t count = take_number(announced).value(); bands.size() < count;) {
    Band& band = bands.emplace_back();
    band.up_to = take_number(announced).value();
    band.choice = choice::parse(collective, take_word(announced));
  }
  return bands;
}

}  // namespace

const Band& band_of(const Bands& bands, std::size_t block_bytes) {
  return *std::ranges::lower_bound(bands, block_bytes, {}, &Band::up_to);
}

bool reports_longest(const choice::OpenChoice& open) {
  return open.algorithm->errors == registry::Errors::everywhere;
}

const Band& reporting_band_of(const Bands& bands, std::size_t block_bytes) {
  const Band& own = band_of(bands, block_bytes);
  const Band* const end = bands.data() + bands.size();
  for (const Band* band = &own + 1; band != bands.data();)
    if (reports_longest((--band)->choice)) return *band;
  for (const Band* band = &own; band != end; ++band)
    if (reports_longest(band->choice)) return *band;
  return own;
}

std::string to_text(const Decisions& decisions) {
  return to_text(decisions.alltoall) + to_text(decisions.alltoallv);
}

Decisions decisions_from(std::string_view announced) {
  Decisions decisions;
  decisions.alltoall = take_bands(announced, Collective::alltoall);
  decisions.alltoallv = take_bands(announced, Collective::alltoallv);
  return decisions;
}

}  // namespace rondo::select
