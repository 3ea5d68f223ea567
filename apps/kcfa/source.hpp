// The text of a program to analyse, and how errors in it are told.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rondo::kcfa {

struct Source {
  std::string name;  ///< of the file, or of what generated it; for messages
  std::string text;
};

/// Throws Error(argument), FILE: reason, where the file cannot be read.
Source read_source(const std::string& file);

/// Throws Error(argument): NAME:LINE: reason.
[[noreturn]] void refuse(const Source& source, std::size_t line, const std::string& reason);

/// A word of the text for a message: in quotes, cut if it is long, on one line.
std::string quoted(std::string_view word);

}  // namespace rondo::kcfa
