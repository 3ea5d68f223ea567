// Block sizes as the command line writes them: "16,64,256", "16:4096", "1k,1m".
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace rondo::bench {

/// Digits, with k (1024), m (1024^2) or g (1024^3) behind them, in either case. What is too large for the
/// type is its largest value. Nothing where the text is no size.
std::optional<std::size_t> read_size(std::string_view text);

/// Entries between commas, each a size or a range FROM:TO that doubles from FROM as long as it
/// stays within TO. A size is as read_size() has it; 0 is a size. No entry is longer than the int of an
/// MPI count. Throws Error(argument) that names the entry.
std::vector<std::size_t> parse_byte_list(std::string_view text);

}  // namespace rondo::bench
