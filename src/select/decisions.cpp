#include "select/decisions.hpp"

#include <algorithm>
#include <locale>
#include <sstream>

#include "base/error.hpp"

namespace rondo::select {

namespace {

using registry::Collective;

void write(std::ostream& out, const Bands& bands) {
  out << bands.size() << '\n';
  for (const Band& band : bands) out << band.up_to << ' ' << band.choice.text() << '\n';
}

Bands read(std::istream& in, Collective collective) {
  std::size_t count = 0;
  in >> count;
  Bands bands;
  for (std::string name; bands.size() < count;) {
    Band& band = bands.emplace_back();
    in >> band.up_to >> name;
    band.choice = choice::parse(collective, name);
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
  std::ostringstream out;
  out.imbue(std::locale::classic());  // the program's own locale may group digits
  write(out, decisions.alltoall);
  write(out, decisions.alltoallv);
  return out.str();
}

Decisions decisions_from(std::string_view text) {
  std::istringstream in{std::string(text)};
  in.imbue(std::locale::classic());
  Decisions decisions;
  decisions.alltoall = read(in, Collective::alltoall);
  decisions.alltoallv = read(in, Collective::alltoallv);
  return decisions;
}

}  // namespace rondo::select
