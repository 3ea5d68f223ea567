// Parentheses: the tree of lists and words that a program's text spells.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "kcfa/source.hpp"

namespace rondo::kcfa {

/// A list of others, or a word.
struct Datum {
  std::size_t line = 0;            ///< where it begins, from 1
  std::string_view word;           ///< empty: it is a list
  std::vector<std::size_t> items;  ///< of the list, by their numbers in Data

  bool is_list() const { return word.empty(); }
};

/// All of a text; the first is the outermost.
using Data = std::vector<Datum>;

/// What stands between blanks and parentheses is a word; ; begins a comment that ends with its line.
/// The words point into `source`, which must outlive them. Throws Error(argument), NAME:LINE: reason,
/// unless the text is exactly one datum. Any depth of nesting will do: nothing here recurs.
Data read_datum(const Source& source);

}  // namespace rondo::kcfa
