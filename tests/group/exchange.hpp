// What tests of faults exchange, and where.
#pragma once

#include <rondo/transport.h>

#include <cstring>
#include <string>
#include <vector>

#include "processes.hpp"

namespace group_test {

inline const Placement kOneNode{"one node", false, nullptr};
inline const Placement kOneNodeWithMessages{"one node with messages", true, nullptr};
inline const Placement kOneNodeByName{"one node of processes that cannot reach each other", false,
                                      nullptr, true};
inline const Placement kTwoNodes{"two nodes", true,
                                 [](int rank, int ranks) { return 2 * rank / ranks; }};
inline const Placement kANodeEach{"a node each", true, [](int rank, int) { return rank; }};
/// All that can carry out exchanges.
inline const Placement* const kAll[] = {&kOneNode, &kOneNodeByName, &kOneNodeWithMessages,
                                        &kTwoNodes, &kANodeEach};

inline bool says(const char* words) {
  return std::strstr(Rondo_Group_get_last_error(), words) != nullptr;
}

inline void expect_says(Rank& rank, const char* words) {
  rank.expect(says(words), std::string("does not say '") + words + "' but '" +
                               Rondo_Group_get_last_error() + "'");
}

/// Blocks of one length, one behind another.
inline int exchange(Rank& rank, Rondo_Group group, std::size_t bytes) {
  const auto count = static_cast<std::size_t>(rank.ranks());
  std::vector<char> sent(count * bytes, static_cast<char>(1 + rank.rank())),
      received(count * bytes);
  const int code = Rondo_Group_alltoall(sent.data(), received.data(), bytes, group);
  if (code != RONDO_SUCCESS) return code;
  for (std::size_t one = 0; one < count && bytes != 0; ++one) {
    const char* const block = &received[one * bytes];
    const bool is_one_byte = std::memcmp(block, block + 1, bytes - 1) == 0;
    rank.expect(is_one_byte && *block == static_cast<char>(1 + one), "a wrong byte");
  }
  return code;
}

}  // namespace group_test
