// Text out of files and into them.
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

/// All of a file. Throws Error(argument), "PATH: reason".
std::string read_file(const std::string& path);

/// A file that is written once. Everything throws Error(argument), "PATH: reason".
class OutputFile {
 public:
  /// Makes the file, or empties it: what cannot be written is found out before the work. Without a
  /// path it is standard output.
  explicit OutputFile(const std::string& path = "");

  void write(std::string_view text);

  /// What was written can be read by others.
  void flush();

  /// Nothing is written afterwards.
  void close();

 private:
  void check(bool good) const;

  std::string name_;
  File file_;
};

}  // namespace rondo::support
