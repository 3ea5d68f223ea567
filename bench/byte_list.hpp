// Block sizes as the command line writes them: "16,64,256", "16:4096", "1k,1m".
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace rondo::bench {

/// Parses digits followed by k (1024), m (1024^2) or g (1024^3) in either case, or by nothing. A size
/// that is too large for the type becomes its largest value. Returns nothing if the text is not a size.
std::optional<std::size_t> read_size(std::string_view text);

/// Parses entries separated by commas. Each is a size, as read_size() takes it, or a range FROM:TO of
/// sizes that double from FROM up to TO at most. Sizes may be 0 and must fit into the int of an MPI
/// count. Throws Error(argument), which names the entry.
std::vector<std::size_t> parse_byte_list(std::string_view text);

}  // namespace rondo::bench
