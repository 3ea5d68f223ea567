// rondo-judge reads the record of a comparison from standard input and prints the result. A program
// under rondo-exec --ab starts it at MPI_Finalize.

#include <cstdio>
#include <exception>
#include <string>

#include "dropin/judge/judge.hpp"

namespace {

using namespace rondo::dropin;

std::vector<std::byte> standard_input() {
  std::vector<std::byte> bytes;
  std::byte buffer[65536];
  while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, stdin))
    bytes.insert(bytes.end(), buffer, buffer + count);
  return bytes;
}

}  // namespace

int main() {
  try {
    const std::string report = ab::report_text(ab::from_bytes(standard_input()));
    return std::fputs(report.c_str(), stdout) < 0 || std::fflush(stdout) != 0 ? 2 : 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rondo-judge: %s\n", error.what());
    return 2;
  }
}
