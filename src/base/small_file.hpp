// The text of a file of /proc or /sys. Streams are not used, since the first one in a process prepares locales, which
// takes longer than all that set-up reads.
#pragma once

#include <string>

namespace rondo {

/// Returns what is in the file, or nothing if it cannot be read.
std::string contents_of(const std::string& file);

}  // namespace rondo
