#include "interpose/report.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <string>

#include "base/error.hpp"
#include "registry/algorithm.hpp"

namespace rondo::interpose {

namespace {

constexpr std::uint64_t kFirstBand = 16;
constexpr int kLastBand = 10;  // everything above 1 MiB

std::uint64_t band_end(int band) {
  return band == 0 ? 0 : kFirstBand << (2 * (band - 1));
}

std::string short_bytes(std::uint64_t bytes) {
  constexpr std::uint64_t kKibi = 1024;
  if (bytes < kKibi) return text(bytes);
  return bytes < kKibi * kKibi ? text(bytes / kKibi, "k") : text(bytes / kKibi / kKibi, "M");
}

std::string band_text(int band) {
  if (band == 0) return "0";
  if (band == kLastBand) return text("> ", short_bytes(band_end(band - 1)));
  return text("<= ", short_bytes(band_end(band)));
}

std::string algorithm_text(int algorithm) {
  if (algorithm < 0) return "(MPI library)";
  return std::string(registry::algorithms()[static_cast<std::size_t>(algorithm)].name);
}

std::string unhandled_name(std::size_t place) {
  static constexpr const char* kNames[] = {
#define RONDO_C(Name, words) "MPI_" #Name,
#define RONDO_FORTRAN(Name, name, NAME, words)
#include "interpose/all_calls.def"
#undef RONDO_C
#undef RONDO_FORTRAN
  };
  if (place < kCalls) return kNames[place];
  return text(buffers::kFormNames[place - kCalls], " on inter-communicators");
}

std::string header() {
  return fmt::format("rondo: {:9} {:>6}  {:9}  {:20} {:>10} {:>15} {:>12}\n", "call", "ranks",
                     "block", "algorithm", "calls", "bytes", "seconds");
}

std::string line_text(const Key& key, const Totals& totals) {
  return fmt::format("rondo: {:9} {:6}  {:9}  {:20} {:10} {:15} {:12.6f}\n",
                     buffers::kFormNames[static_cast<std::size_t>(key.form)], key.ranks,
                     band_text(key.band), algorithm_text(key.algorithm), totals.calls, totals.bytes,
                     totals.seconds);
}

}  // namespace

int band_of(std::uint64_t bytes) {
  int band = 0;
  while (band < kLastBand && bytes > band_end(band)) ++band;
  return band;
}

void print_report(World world, const std::map<Key, Totals>& lines, const Unhandled& unhandled) {
  std::string out = text("rondo: all-to-all of ", world.ranks,
                         " ranks; calls, bytes and seconds are sums over the ranks\n");
  if (world.counting < world.ranks)
    out += text("rondo: RONDO_STATS is set on ", world.counting, " of them: others are missing\n");
  out += lines.empty() ? "rondo: no exchange came to Rondo\n" : header();
  for (const auto& [key, totals] : lines) out += line_text(key, totals);
  for (std::size_t place = 0; place < unhandled.size(); ++place)
    if (unhandled[place] != 0)
      out +=
          text("rondo: not handled: ", unhandled_name(place), ", ", unhandled[place], " calls\n");
  std::fputs(out.c_str(), stderr);
}

}  // namespace rondo::interpose
