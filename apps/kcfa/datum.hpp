// The text of a program to analyse, and the tree of lists and words in it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::kcfa {

struct Source {
  std::string name;  ///< of the file or the generator, for messages
  std::string text;
};

/// Throws Error(argument): NAME:LINE: reason.
[[noreturn]] void refuse(const Source& source, std::size_t line, const std::string& reason);

/// A list of data, or a word.
struct Datum {
  std::size_t line = 0;            ///< where it begins, from 1
  std::string_view word;           ///< empty if it is a list
  std::vector<std::size_t> items;  ///< of the list, as indices into Data

  bool is_list() const { return word.empty(); }
};

/// All data of a text; the first is the outermost.
using Data = std::vector<Datum>;

/// Words are separated by blanks and parentheses; ; begins a comment that ends with its line. The
/// words point into `source`, which must outlive them. Throws Error(argument), NAME:LINE: reason,
/// unless the text is exactly one datum. The depth of nesting is not limited, because nothing here
/// is recursive.
Data read_datum(const Source& source);

}  // namespace rondo::kcfa
