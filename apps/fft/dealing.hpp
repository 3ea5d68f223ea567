// How things are dealt out to ranks in blocks.
#pragma once

#include <algorithm>
#include <cstdint>

namespace rondo::fft {

/// `total` things in blocks, block p for rank p. As even as can be: the first total mod ranks ranks
/// have one more than the others, so that ranks have nothing only where there are too few.
class Dealing {
 public:
  Dealing(std::int64_t total, int ranks)
      : total_(total), ranks_(ranks), least_(total / ranks), larger_(total % ranks) {}

  std::int64_t total() const { return total_; }
  int ranks() const { return ranks_; }
  bool even() const { return larger_ == 0; }
  std::int64_t largest() const { return count(0); }

  /// The first thing of `rank`; of rank `ranks()`: the end.
  std::int64_t start(int rank) const {
    return least_ * rank + std::min<std::int64_t>(rank, larger_);
  }
  std::int64_t count(int rank) const { return least_ + (rank < larger_ ? 1 : 0); }

 private:
  std::int64_t total_;
  int ranks_;
  std::int64_t least_;
  std::int64_t larger_;
};

}  // namespace rondo::fft
