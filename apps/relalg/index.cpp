#include "relalg/index.hpp"

namespace rondo::relalg {

void Index::catch_up(const TupleSet& tuples, std::size_t end) {
  for (std::size_t i = before_.size(); i < end; ++i) {
    const Word* tuple = tuples[i];
    const auto fresh = static_cast<Position>(lasts_.size());
    const Position key = keys_.find_or_insert(hash_columns(HashFor::slots, tuple, columns_), fresh,
                                              [&](Position other) {
                                                const Word* known = tuples[lasts_[other]];
                                                for (const int column : columns_)
                                                  if (known[column] != tuple[column]) return false;
                                                return true;
                                              });
    if (key == fresh) lasts_.push_back(kNowhere);
    before_.push_back(lasts_[key]);
    lasts_[key] = static_cast<Position>(i);
  }
}

Position Index::last(const TupleSet& tuples, const Word* key) const {
  const Position found =
      keys_.find(hash_words(HashFor::slots, key, columns_.size()), [&](Position other) {
        const Word* known = tuples[lasts_[other]];
        for (std::size_t i = 0; i < columns_.size(); ++i)
          if (known[columns_[i]] != key[i]) return false;
        return true;
      });
  return found == kNowhere ? kNowhere : lasts_[found];
}

}  // namespace rondo::relalg
