// How files are read and written, by the library and by its programs. Links are followed. Only regular files are read.
// A file is replaced only where nobody can see it. Nothing waits for another process to open its end, and no write
// ends this process.
//
// Streams are not used, since the first one in a process prepares locales, which takes longer than all that set-up
// reads.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rondo {

/// In bytes. A longer file is read only in parts.
inline constexpr std::size_t kLongestFile = std::size_t{1} << 34;

/// What a system call's error means, for messages.
std::string reason_of(int error);

/// Opens a regular file for reading. Returns -1 and sets `reason` if that fails.
int open_to_read(const std::string& path, std::string& reason);

struct FileText {
  std::string text;
  std::string reason;  ///< why the file cannot be read; empty if it was read
};

/// Reads a whole file of at most `most_bytes` bytes.
FileText try_to_read(const std::string& path, std::size_t most_bytes = kLongestFile);

/// The same, but throws Error(argument), "PATH: reason".
std::string read_file(const std::string& path, std::size_t most_bytes = kLongestFile);

/// Opens a file for writing in place; makes or empties it. The file that is this process's standard output or error is
/// not emptied: what is written follows what is there. Throws Error(argument), "PATH: reason".
int open_to_write(const std::string& path);

/// Returns whether all was written; else errno tells why not.
bool write_all(int descriptor, std::string_view text);

/// Writes all of a file or nothing, by a new file that takes its place, if only the content can show that. A file is
/// written in place if it has several names or none, if the new one cannot have its owner and group or cannot be made,
/// and if it is a mount, a device, a pipe or this process's standard output. Throws Error(argument), "PATH: reason".
void write_file(const std::string& path, std::string_view text);

/// Throws what write_file() would throw, so that a long run does not fail at its end.
void require_writable(const std::string& path);

}  // namespace rondo
