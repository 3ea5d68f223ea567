// Text files of which every rank reads a part.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace rondo::closure {

/// A regular file that is open for reading.
class TextFile {
 public:
  /// Throws Error(argument), "PATH: reason", and so does read().
  explicit TextFile(const std::string& path);
  ~TextFile();
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;

  const std::string& path() const { return path_; }
  std::uint64_t bytes() const { return bytes_; }

  /// Reads `bytes` bytes from `offset` on; fewer only at the end of the file.
  std::string read(std::uint64_t offset, std::uint64_t bytes) const;

 private:
  std::string path_;
  int descriptor_ = -1;
  std::uint64_t bytes_ = 0;
};

/// The bytes first .. last-1 of a file.
struct Range {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

/// Reads as TextFile::read() does.
using Read = std::function<std::string(std::uint64_t offset, std::uint64_t bytes)>;

/// Returns the lines that begin in `part` of a text. The last line is complete even if it ends
/// after the part, and a line that began before the part is left out. So consecutive parts contain
/// every line exactly once.
std::string lines_of(const Read& read, Range part);

/// Takes the first line off `lines`, which must not be empty, and returns it without its '\n'.
std::string_view take_line(std::string_view& lines);

}  // namespace rondo::closure
