// A value of a JSON text from outside. An invalid value is rejected, and the error names its place.
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
  /// `where` is its name in errors. `value` must outlive this object.
  Item(const Json& value, std::string where) : value_(value), where_(std::move(where)) {}

  // All of these reject a value of another kind.
  Item at(const std::string& name) const;
  /// Has no control characters, and is short enough for a sentence.
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
