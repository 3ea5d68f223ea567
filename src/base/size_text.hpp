// Sizes in bytes as people write them, everywhere in Rondo: "64", "1k", "1KiB", "16,64,256", "16:4k".
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace rondo {

/// Parses digits followed by a unit, in either case: k, kb or kib for 1024, m, mb or mib for 1024^2, g, gb
/// or gib for 1024^3, b or nothing for 1. A size that is too large for the type becomes its largest value.
/// Returns nothing if the text is not a size.
std::optional<std::size_t> read_size(std::string_view text);

/// As read_size(). Throws Error(argument), which names the option, unless it is a size of at most `most`.
std::size_t parse_size(std::string_view option, std::string_view text, std::size_t most);

/// Parses entries separated by commas. Each is a size, or a range FROM:TO of sizes that double from FROM up
/// to TO at most. Throws Error(argument), which names the option and the entry.
std::vector<std::size_t> parse_sizes(std::string_view option, std::string_view text,
                                     std::size_t most);

}  // namespace rondo
