// The origin of results.
#include "origin.hpp"

#include <gtest/gtest.h>

#include "refusal.hpp"

namespace rondo::bench {
namespace {

struct LibraryRow {
  const char* said;
  const char* name;
  const char* version;
};

const LibraryRow kLibraries[] = {
    {"Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, May 26, 2022",
     "Open MPI", "4.1.4"},
    {"Open MPI v5.0.10rc1, package: Open MPI x@y Distribution", "Open MPI", "5.0.10rc1"},
    {"MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr  7 12:34:45 CDT 2022\n", "MPICH",
     "4.0.2"},
    {"MVAPICH2 Version      :\t2.3.7\n", "MVAPICH2", "2.3.7"},
    {"Intel(R) MPI Library 2021.10 for Linux* OS\n", "Intel(R) MPI Library", "2021.10"},
    {"SMPI 3.34", "SMPI", "3.34"},
    {"a library of no version", "a library of no version", ""},
    {"", "", ""},
};

TEST(Origin, MpiLibrariesAreTakenApart) {
  for (const LibraryRow& row : kLibraries) {
    const MpiName found = mpi_name(row.said);
    EXPECT_EQ(found.name, row.name) << row.said;
    EXPECT_EQ(found.version, row.version) << row.said;
  }
}

TEST(Origin, IsOfThisMachineAndNow) {
  const Origin origin = find_origin("MPICH Version:\t4.0.2\n", "rondo-bench alltoall");
  EXPECT_EQ(origin.rondo, RONDO_VERSION_TEXT);
  EXPECT_FALSE(origin.host.empty());
  EXPECT_GE(origin.cores, 1);
  EXPECT_EQ(origin.date.size(), std::string("2026-01-31T12:00:00Z").size());
  EXPECT_TRUE(test::says(to_text(origin), ", MPICH 4.0.2, "));
  EXPECT_TRUE(test::says(to_text(origin), "\nrondo-bench alltoall\n"));
}

}  // namespace
}  // namespace rondo::bench
