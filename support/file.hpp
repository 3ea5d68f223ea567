// Results that are written while a program runs.
#pragma once

#include <string>
#include <string_view>

#include "base/file.hpp"

namespace rondo::support {

/// A file that is written once, in place. All functions throw Error(argument), "PATH: reason".
class OutputFile {
 public:
  /// Creates or empties the file, so that an unwritable path is reported before the work. Without
  /// a path it is standard output.
  explicit OutputFile(const std::string& path = "");
  /// Writes what is left. Errors are ignored.
  ~OutputFile();
  OutputFile(OutputFile&& other) = delete;
  OutputFile& operator=(OutputFile&& other) = delete;

  void write(std::string_view text);

  /// Makes what was written so far visible to other programs.
  void flush();

  /// Nothing may be written afterwards.
  void close();

 private:
  bool pass_on();
  void check(bool good) const;

  std::string path_;
  int descriptor_ = -1;  ///< of a path
  std::string waiting_;  ///< what is not written yet
};

}  // namespace rondo::support
