// A hash table of positions in another container, which holds the elements.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

#include "relalg/rule.hpp"

namespace rondo::relalg {

using Position = std::uint32_t;
inline constexpr Position kNowhere = 0xffffffff;

/// Open addressing with linear probing. A slot holds half of the hash beside the position, so a
/// probe seldom compares a wrong element, and growing compares none. A slot has eight bytes, and at
/// most 7 of 10 are used.
class PositionTable {
 public:
  /// Returns the position that was inserted with this hash and for which `is_it(position)`, or
  /// kNowhere.
  template <class IsIt>
  Position find(Word hash, IsIt&& is_it) const {
    if (!slots_) return kNowhere;
    const std::uint32_t tag = tag_of(hash);
    for (std::size_t i = tag & mask_;; i = (i + 1) & mask_) {
      const Slot& slot = slots_[i];
      if (slot.one_more == 0) return kNowhere;
      if (slot.tag == tag && is_it(slot.one_more - 1)) return slot.one_more - 1;
    }
  }

  /// The same, but if there is none, `position` is inserted and returned.
  template <class IsIt>
  Position find_or_insert(Word hash, Position position, IsIt&& is_it) {
    if (used_ == limit_) grow();
    const std::uint32_t tag = tag_of(hash);
    for (std::size_t i = tag & mask_;; i = (i + 1) & mask_) {
      Slot& slot = slots_[i];
      if (slot.one_more == 0) {
        slot = {tag, position + 1};
        ++used_;
        return position;
      }
      if (slot.tag == tag && is_it(slot.one_more - 1)) return slot.one_more - 1;
    }
  }

  /// Announces that the hash will be looked up soon.
  void prefetch(Word hash) const {
    if (slots_) __builtin_prefetch(&slots_[tag_of(hash) & mask_]);
  }

 private:
  struct Slot {
    std::uint32_t tag;
    Position one_more;  ///< 0 if the slot is free, as in fresh memory
  };
  struct Free {
    void operator()(Slot* slots) const { std::free(slots); }
  };

  static std::uint32_t tag_of(Word hash) { return static_cast<std::uint32_t>(hash); }

  void grow() {
    const std::size_t capacity = slots_ ? 2 * (mask_ + 1) : 64;
    std::unique_ptr<Slot[], Free> larger(static_cast<Slot*>(std::calloc(capacity, sizeof(Slot))));
    if (!larger) throw std::bad_alloc();
    for (std::size_t from = 0; slots_ && from <= mask_; ++from) {
      if (slots_[from].one_more == 0) continue;
      std::size_t to = slots_[from].tag & (capacity - 1);
      while (larger[to].one_more != 0) to = (to + 1) & (capacity - 1);
      larger[to] = slots_[from];
    }
    slots_ = std::move(larger);
    mask_ = capacity - 1;
    limit_ = capacity / 10 * 7;
  }

  std::unique_ptr<Slot[], Free> slots_;
  std::size_t mask_ = 0;
  std::size_t used_ = 0;
  std::size_t limit_ = 0;
};

}  // namespace rondo::relalg
