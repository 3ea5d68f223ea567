#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "select/profile.hpp"

namespace rondo::select {

namespace {

/// As the kernel calls it, where it does.
std::string processor_name() {
  std::ifstream information("/proc/cpuinfo");
  constexpr std::string_view kKey = "model name";
  for (std::string line; std::getline(information, line);) {
    if (!line.starts_with(kKey)) continue;
    const auto colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

/// The first line, up to a comma: "Open MPI v4.1.4", "MPICH Version: 4.0.2".
std::string first_words(std::string_view text) {
  std::string words(text.substr(0, text.find_first_of("\n\r,")));
  std::ranges::replace(words, '\t', ' ');
  return words;
}

}  // namespace

Signature signature_here(std::string_view mpi_library) {
  return {.mpi = first_words(mpi_library),
          .processor = processor_name(),
          .cores = static_cast<int>(std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L))};
}

}  // namespace rondo::select
