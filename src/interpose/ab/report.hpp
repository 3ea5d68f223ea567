// What `--ab` found out, as text. No MPI.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "buffers/form.hpp"
#include "interpose/ab/times.hpp"

namespace rondo::interpose::ab {

/// Calls of one collective in complete pairs, summed over ranks, and the seconds inside them.
struct InsideCalls {
  std::int64_t calls_each = 0;
  double library_seconds = 0;
  double rondo_seconds = 0;
};

using InsideByForm = std::array<InsideCalls, buffers::kFormNames.size()>;

/// No seed: the communicators have different ones.
std::string report_text(const RunTimes& run, std::optional<std::uint64_t> seed,
                        const InsideByForm& inside);

}  // namespace rondo::interpose::ab
