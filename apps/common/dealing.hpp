// How things are dealt out in blocks.
#pragma once

#include <algorithm>

namespace rondo::apps {

/// `total` things in blocks that follow each other, block p for rank or part p. As even as can be: the
/// first total mod parts have one more than the others, so that a part has nothing only where there are
/// too few.
template <class Count>
class Dealing {
 public:
  Dealing(Count total, Count parts)
      : total_(total), parts_(parts), least_(total / parts), larger_(total % parts) {}

  Count total() const { return total_; }
  Count parts() const { return parts_; }
  bool even() const { return larger_ == 0; }
  Count largest() const { return count(0); }

  /// The first thing of `part`; of part `parts()`: the end.
  Count start(Count part) const { return least_ * part + std::min(part, larger_); }
  Count count(Count part) const { return least_ + (part < larger_ ? 1 : 0); }

 private:
  Count total_;
  Count parts_;
  Count least_;
  Count larger_;
};

}  // namespace rondo::apps
