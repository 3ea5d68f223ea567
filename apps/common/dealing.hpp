// Dealing out things in blocks.
#pragma once

#include <algorithm>

namespace rondo::apps {

/// `total` things in consecutive blocks, block p for rank or part p. The blocks are as even as
/// possible: the first total mod parts blocks have one thing more than the others, so a part is
/// empty only if there are fewer things than parts.
template <class Count>
class Dealing {
 public:
  Dealing(Count total, Count parts)
      : total_(total), parts_(parts), least_(total / parts), larger_(total % parts) {}

  Count total() const { return total_; }
  Count parts() const { return parts_; }
  bool even() const { return larger_ == 0; }
  Count largest() const { return count(0); }

  /// The first thing of `part`; for part `parts()`, the end.
  Count start(Count part) const { return least_ * part + std::min(part, larger_); }
  Count count(Count part) const { return least_ + (part < larger_ ? 1 : 0); }

 private:
  Count total_;
  Count parts_;
  Count least_;
  Count larger_;
};

}  // namespace rondo::apps
