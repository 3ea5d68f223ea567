// Files of lines, of which every rank reads a part.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace rondo::closure {

/// An ordinary file that is open for reading.
class TextFile {
 public:
  /// Throws Error(argument), "PATH: reason", as read() does.
  explicit TextFile(const std::string& path);
  ~TextFile();
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;

  const std::string& path() const { return path_; }
  std::uint64_t bytes() const { return bytes_; }

  /// So many bytes from `offset` on; fewer only at the file's end.
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

/// As TextFile::read().
using Read = std::function<std::string(std::uint64_t offset, std::uint64_t bytes)>;

/// The lines that begin in `part` of a text, whole: the last may end behind the part, and a line that
/// began before it is not there. So parts that follow one another have every line once.
std::string lines_of(const Read& read, Range part);

/// Take the first line off `lines`, which are not empty: it is returned without its '\n'.
std::string_view take_line(std::string_view& lines);

}  // namespace rondo::closure
