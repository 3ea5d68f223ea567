// The bands of lengths by which the statistics group exchanges. No MPI.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace rondo::dropin {

inline constexpr int kLastBand = 10;  // of 1 MiB and more

/// The first length behind a band: 1, 16, 64, 256, ... bytes. What learns bounds its lengths by powers of two as well.
constexpr std::uint64_t band_end(int band) {
  constexpr std::uint64_t kFirst = 16;
  return band == 0 ? 1 : kFirst << (2 * (band - 1));
}

constexpr int band_of(std::uint64_t bytes) {
  int band = 0;
  while (band < kLastBand && bytes >= band_end(band)) ++band;
  return band;
}

inline std::string short_bytes(std::uint64_t bytes) {
  constexpr std::uint64_t kKibi = 1024;
  if (bytes < kKibi) return fmt::format("{}", bytes);
  return bytes < kKibi * kKibi ? fmt::format("{}k", bytes / kKibi)
                               : fmt::format("{}M", bytes / kKibi / kKibi);
}

inline std::string band_text(int band) {
  if (band == 0) return "0";
  if (band == kLastBand) return ">= " + short_bytes(band_end(band - 1));
  return "< " + short_bytes(band_end(band));
}

}  // namespace rondo::dropin
