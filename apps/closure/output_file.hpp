// Edges as text in a file.
#pragma once

#include <span>
#include <string>

#include "closure/edge.hpp"

namespace rondo::closure {

/// A file that is written once. Everything throws Error(argument), "PATH: reason".
class OutputFile {
 public:
  /// Makes the file, or empties it: what cannot be written is found out before the work.
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Write a line "from<tab>to" for each, and close the file.
  void write(std::span<const Edge> edges);

 private:
  void flush(std::string& buffer);
  void check(bool good) const;

  std::string path_;
  int descriptor_ = -1;
};

}  // namespace rondo::closure
