// Texts that the C interface writes into the caller's memory.
#pragma once

#include <string>

#include "base/error.hpp"

namespace rondo::api {

/// `whole` into `text` of `length` chars, cut to fit and terminated. Throws Error(argument) that
/// names the `function` where there is no room at all.
inline void write_text(const std::string& whole, const char* function, char* text, int length) {
  if (text == nullptr || length < 1)
    throw Error(ErrorClass::argument, std::string(function) + ": no room for the text");
  text[whole.copy(text, static_cast<std::size_t>(length) - 1)] = '\0';
}

}  // namespace rondo::api
