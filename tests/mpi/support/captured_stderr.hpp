// What this process writes to stderr, libraries and all.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "support/runner.hpp"

namespace rondo::testing {

class CapturedStderr : NonCopyable {
 public:
  CapturedStderr() : file_(std::tmpfile()), saved_(dup(STDERR_FILENO)) {
    std::fflush(stderr);
    if (file_ == nullptr || dup2(fileno(file_), STDERR_FILENO) < 0) std::abort();
  }
  ~CapturedStderr() {
    stop();
    std::fclose(file_);
  }

  /// Nothing more is captured; returns all that was.
  std::string stop() {
    if (saved_ >= 0) {
      std::fflush(stderr);
      dup2(saved_, STDERR_FILENO);
      close(saved_);
      saved_ = -1;
    }
    std::string text;
    std::rewind(file_);
    for (int letter = std::fgetc(file_); letter != EOF; letter = std::fgetc(file_))
      text.push_back(static_cast<char>(letter));
    return text;
  }

 private:
  std::FILE* file_;
  int saved_;
};

}  // namespace rondo::testing
