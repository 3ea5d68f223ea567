// What stands between commas.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::bench {

/// "a,b," -> "a", "b", "": always one entry at least.
inline std::vector<std::string> split_at_commas(std::string_view list) {
  std::vector<std::string> entries;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    entries.emplace_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return entries;
}

inline std::string join_by_commas(const std::vector<std::string>& entries) {
  std::string list;
  for (const std::string& entry : entries) list += (list.empty() ? "" : ",") + entry;
  return list;
}

}  // namespace rondo::bench
