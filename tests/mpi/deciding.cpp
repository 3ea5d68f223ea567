// What `auto` costs a call: with a profile of many bands, and a length in another one each time,
// against the same calls by the algorithm that it chooses, named. One rank, so nobody waits.
#include <rondo/rondo.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "select/profile.hpp"
#include "support/small.hpp"

namespace {

using namespace rondo::testing;
using rondo::registry::Collective;

constexpr int kBands = 20;
constexpr int kShortBytes = 1;
constexpr int kLongBytes = 500;  // of which each band has 100
constexpr double kLimitNanoseconds = 300;

rondo::select::Bands bands_of(Collective collective) {
  rondo::select::Bands bands(kBands);
  for (std::size_t i = 0; i < bands.size(); ++i) {
    bands[i].request = rondo::registry::parse(collective, "spread_out");
    if (i + 1 < bands.size()) bands[i].up_to = 100 * (i + 1);
  }
  return bands;
}

void write_profile(const char* path) {
  char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  must(MPI_Get_library_version(library, &length), "MPI_Get_library_version");
  rondo::select::Profile profile{.rondo = std::string(rondo::select::kVersion),
                                 .signature = rondo::select::signature_here(library),
                                 .machine = rondo::model::typical_cluster(),
                                 .layouts = {}};
  profile.put({.layout = {},
               .decisions = {.alltoall = bands_of(Collective::alltoall),
                             .alltoallv = bands_of(Collective::alltoallv)}});
  std::ofstream(path) << rondo::select::to_text(profile);
}

/// The quickest of several batches: what else runs on the machine only adds.
double nanoseconds_of_a_call(const char* algorithm, Row& row) {
  constexpr int kBatches = 40;
  constexpr int kCalls = 4000;
  const TestComm comm;
  row.expect_success(Rondo_Comm_set_algorithm(comm, "alltoall", algorithm), algorithm);
  std::vector<char> sent(kLongBytes);
  std::vector<char> received(kLongBytes);
  double least = 1e9;
  for (int batch = 0; batch < kBatches; ++batch) {
    const auto start = std::chrono::steady_clock::now();
    for (int call = 0; call < kCalls; ++call) {
      const int bytes = call % 2 == 0 ? kShortBytes : kLongBytes;
      must(Rondo_Alltoall(sent.data(), bytes, MPI_BYTE, received.data(), bytes, MPI_BYTE, comm),
           "Rondo_Alltoall");
    }
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
    least = std::min(least, taken.count() / kCalls);
  }
  return least;
}

void compare(Row& row) {
#ifdef __SANITIZE_ADDRESS__
  row.skip("the sanitizer costs more than what is measured");
#else
  const double named = nanoseconds_of_a_call("spread_out", row);
  const double decided = nanoseconds_of_a_call("auto", row);
  std::printf("a call: %.0f ns by its algorithm's name, %.0f ns by auto: deciding costs %.0f ns\n",
              named, decided, decided - named);
  row.expect(decided - named < kLimitNanoseconds, "deciding costs ", decided - named, " ns");
#endif
}

}  // namespace

int main(int argc, char** argv) {
  Runner runner(argc, argv, "deciding");
  char path[] = "deciding.XXXXXX";
  const int file = mkstemp(path);
  if (file < 0) return EXIT_FAILURE;
  write_profile(path);
  setenv("RONDO_PROFILE", path, 1);
  runner.run("against the same algorithm by name", compare);
  std::remove(path);
  return runner.finish();
}
