// Which rounds of a program exchange sparsely.
//
// Late rounds find few tuples, so that most ranks have nothing for each other. Then a sparse exchange
// suffices, in which a rank hears only from those that have tuples for it. It does not tell the ranks
// how many tuples all of them have found, nor how many partners they have. So it is followed by an
// exchange with all ranks, which tells them: at first after one sparse round, and as long as partners
// stay few after twice as many as before. The rounds that a program makes in vain, because the ranks
// learn late that nothing was found, are fewer than those before.
#pragma once

#include <algorithm>

#include "relalg/exchange.hpp"

namespace rondo::relalg {

/// The same on all ranks, since it depends only on what all of them are told.
class Alternation {
 public:
  Alternation(Exchanges exchanges, int ranks) : exchanges_(exchanges), ranks_(ranks) {}

  /// Whether the next round's exchange is sparse. To be called once for each round.
  bool next_is_sparse() {
    if (left_ == 0) return false;
    --left_;
    return true;
  }

  /// To be called after each round that was not sparse, with the sums of its notes.
  void tell(const Notes& sums) {
    const bool is_few = kPairsForOnePartner * sums.partners <=
                        static_cast<Word>(ranks_) * static_cast<Word>(ranks_ - 1);
    if (exchanges_ != Exchanges::mixed || !is_few)
      row_ = 0;
    else
      row_ = std::clamp(2 * row_, 1, kMostInARow);
    left_ = row_;
  }

 private:
  /// Partners are few if one of so many pairs of ranks, or fewer, exchanged anything.
  static constexpr Word kPairsForOnePartner = 4;

  static constexpr int kMostInARow = 8;

  Exchanges exchanges_;
  int ranks_;
  int row_ = 0;   ///< sparse rounds one after another
  int left_ = 0;  ///< of them
};

}  // namespace rondo::relalg
