// How much memory this process has.
#pragma once

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <fstream>

namespace rondo::testing {

/// AddressSanitizer keeps freed memory, so resident memory tells nothing then.
#ifdef __SANITIZE_ADDRESS__
inline constexpr bool kResidentTells = false;
#else
inline constexpr bool kResidentTells = true;
#endif

struct Footprint {
  /// Bytes allocated and not freed, by anybody, and those that the C library keeps of freed pieces
  /// for each thread: up to 7 of each length up to 1032 bytes.
  std::size_t heap;
  std::size_t resident;
};

inline Footprint footprint() {
  const struct mallinfo2 info = mallinfo2();
  std::ifstream file("/proc/self/statm");
  std::size_t total_pages = 0;
  std::size_t resident_pages = 0;
  file >> total_pages >> resident_pages;
  return {info.uordblks + info.hblkhd,
          resident_pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE))};
}

/// Looked at after a warm-up, in the middle and at the end of many calls: what leaks grows in both
/// halves, while a pool of the MPI library's grows once.
class Growth {
 public:
  explicit Growth(int calls) : calls_(calls) {}

  /// To be called before call 0, 1, ... and after the last.
  void look(int call) {
    if (call == calls_ / 5 || call == calls_ * 3 / 5 || call == calls_)
      seen_[looks_++] = footprint();
  }

  std::size_t heap_bytes() const { return smaller(seen_[0].heap, seen_[1].heap, seen_[2].heap); }
  std::size_t resident_bytes() const {
    if (!kResidentTells) return 0;
    return smaller(seen_[0].resident, seen_[1].resident, seen_[2].resident);
  }
  int calls_in_half() const { return calls_ * 2 / 5; }

 private:
  static std::size_t smaller(std::size_t first, std::size_t middle, std::size_t last) {
    return std::min(middle - std::min(first, middle), last - std::min(middle, last));
  }

  int calls_;
  std::size_t looks_ = 0;
  Footprint seen_[3]{};
};

}  // namespace rondo::testing
