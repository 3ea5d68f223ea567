// A value of a JSON text from outside. What is not as it must be is refused, and the error names its
// place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace rondo::select {

using Json = nlohmann::json;

/// Throws Error(argument): "profile.layouts[0] has no \"ranks\"".
[[noreturn]] void refuse(const std::string& where, const std::string& what);

class Item {
 public:
  /// `where` is how it is called in errors; `value` must live as long as this.
  Item(const Json& value, std::string where) : value_(value), where_(std::move(where)) {}

  // All of these refuse another kind of value.
  Item at(const std::string& name) const;
  /// Without control characters, and of a length that fits into a sentence.
  std::string string() const;
  std::int64_t whole(std::int64_t least, std::int64_t most) const;
  /// A number of seconds.
  double price() const;
  std::vector<Item> list(std::size_t most) const;

  bool has(const std::string& name) const { return value_.contains(name); }
  const std::string& where() const { return where_; }

 private:
  const Json& value_;
  std::string where_;
};

}  // namespace rondo::select
