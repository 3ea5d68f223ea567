// Cells of text as the columns of a table.
#pragma once

#include <string>
#include <vector>

namespace rondo::bench {

/// "1 rank", "2 ranks".
std::string counted(int count, const char* what);

using Line = std::vector<std::string>;

/// Lines of as many cells each, one under the other: the first column leans left, the others, which
/// are numbers, right. With `last_is_text` the last one leans left too, and may be empty.
std::string align(const std::vector<Line>& lines, bool last_is_text);

}  // namespace rondo::bench
