// Reading and writing text files.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace rondo::support {

/// Standard output stays open.
struct CloseFile {
  void operator()(std::FILE* file) const;
};
using File = std::unique_ptr<std::FILE, CloseFile>;

/// The whole file. Throws Error(argument), "PATH: reason".
std::string read_file(const std::string& path);

/// A file that is written once. All functions throw Error(argument), "PATH: reason".
class OutputFile {
 public:
  /// Creates or truncates the file, so that an unwritable path is reported before the work. Without
  /// a path it is standard output.
  explicit OutputFile(const std::string& path = "");

  void write(std::string_view text);

  /// Makes what was written so far visible to other programs.
  void flush();

  /// Nothing may be written afterwards.
  void close();

 private:
  void check(bool good) const;

  std::string name_;
  File file_;
};

}  // namespace rondo::support
