// Text into a file.
#pragma once

#include <string>
#include <string_view>

namespace rondo::apps {

/// A file that is written once. Everything throws Error(argument), "PATH: reason".
class OutputFile {
 public:
  /// Makes the file, or empties it: what cannot be written is found out before the work.
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view text);

  /// Only after it all has been written.
  void close();

 private:
  void flush();
  void check(bool good) const;

  std::string path_;
  std::string buffer_;
  int descriptor_ = -1;
};

}  // namespace rondo::apps
