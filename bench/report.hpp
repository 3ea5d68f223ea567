// Where results go: a file or standard output, in one of the formats.
#pragma once

#include <cstdio>
#include <memory>
#include <span>
#include <string>

#include "options.hpp"
#include "result.hpp"

namespace rondo::bench {

class Report {
 public:
  /// `path` empty: standard output. `origin` stands above the first table, `note` above each. Throws
  /// Error(argument) with the system's reason where the file cannot be opened; so do the others where
  /// it cannot be written.
  Report(Format format, const std::string& path, const Origin& origin, std::string note);

  /// Write the results of one size now, so that a long run can be watched.
  void add(std::span<const Result> results);

 private:
  struct Close {
    void operator()(std::FILE* file) const;
  };

  void write(const std::string& text);

  Format format_;
  std::string name_;
  std::string note_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace rondo::bench
