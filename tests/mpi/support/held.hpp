// What the library still holds after many calls. A program that includes this links counted_new.cpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "support/counted_new.hpp"
#include "support/runner.hpp"

namespace rondo::testing {

/// The fewest allocations of the library that are alive before any call of one half of the calls, and of
/// the other half, after a warm-up. A leak leaves more in the second half. What is kept and is reused or
/// swept now and then does not, if that happens once in each half.
class Held {
 public:
  explicit Held(int calls) : calls_(calls) {}

  /// To be called before call 0, 1, ... and after the last.
  void look(int call) {
    if (call < calls_ / 5) return;
    std::size_t& fewest = call < calls_ * 3 / 5 ? first_ : second_;
    fewest = std::min(fewest, counted_new::live_allocations());
  }

  /// Collective: whether more is held later on any rank.
  bool has_more_anywhere() const {
    int has_more = second_ > first_ ? 1 : 0;
    must(MPI_Allreduce(MPI_IN_PLACE, &has_more, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
    return has_more != 0;
  }

  void expect_no_more(Row& row) const {
    row.expect(second_ <= first_, "the library holds ", first_, " allocations and later ", second_);
  }

 private:
  int calls_;
  std::size_t first_ = SIZE_MAX;
  std::size_t second_ = SIZE_MAX;
};

}  // namespace rondo::testing
