// System calls for shared memory that fail on demand, for Rondo's own segment alone.
//
// A program that links memory_faults.cpp defines these functions itself, before the C library does,
// so that the library under test calls them.
#pragma once

#include <string>

#include "support/runner.hpp"

namespace rondo::testing::memory_faults {

/// The errno with which a call fails on this rank; 0 where it does not.
struct Faults {
  int memfd_create = 0;
  int open_descriptor = 0;  ///< open of /proc/PID/fd/N
  int shm_open = 0;
  int ftruncate = 0;
  int posix_fallocate = 0;
  int fallocates_before = 0;  ///< calls of posix_fallocate that still succeed
};

void set(const Faults& faults);

/// Where a segment of this process was found: "memfd", "name", or "" for none.
std::string kind_mapped();

/// Bytes and number of the mappings of segments in this process.
struct Mapped {
  std::size_t bytes = 0;
  int count = 0;

  bool operator==(const Mapped&) const = default;
};
Mapped mapped();

/// While this lives, it is noted whether this process asks for pages outside its segments to be mapped.
struct PopulatingWatched : NonCopyable {
  PopulatingWatched();
  ~PopulatingWatched();
};
bool any_populated_outside();

/// Whether a name that this process gave to shm_open is still there.
bool any_name_left();

}  // namespace rondo::testing::memory_faults
