// The errors of code that refuses something.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <type_traits>

#include "base/error.hpp"

namespace rondo::test {

/// The text of the exception of `body`, or nothing if there is none. An Error must be of that class.
template <class Thrown = Error, class Body>
std::string refusal(Body&& body, [[maybe_unused]] ErrorClass error_class = ErrorClass::argument) {
  try {
    body();
  } catch (const Thrown& thrown) {
    if constexpr (std::is_same_v<Thrown, Error>) {
      EXPECT_EQ(thrown.error_class(), error_class) << thrown.what();
    }
    return thrown.what();
  }
  return "";
}

/// Whether a text has these words.
inline ::testing::AssertionResult says(const std::string& text, const std::string& words) {
  return ::testing::IsSubstring("words", "text", words, text);
}

}  // namespace rondo::test
