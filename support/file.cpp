#include "support/file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "base/error.hpp"

namespace rondo::support {

OutputFile::OutputFile(const std::string& path)
    : path_(path), descriptor_(path.empty() ? -1 : open_to_write(path)) {}

OutputFile::~OutputFile() {
  pass_on();
  if (descriptor_ >= 0) ::close(descriptor_);
}

void OutputFile::write(std::string_view text) {
  constexpr std::size_t kMostWaiting = 65536;
  waiting_ += text;
  if (waiting_.size() >= kMostWaiting) check(pass_on());
}

void OutputFile::flush() {
  check(pass_on());
  check(!path_.empty() || std::fflush(stdout) == 0);
}

void OutputFile::close() {
  flush();
  check(path_.empty() || ::close(std::exchange(descriptor_, -1)) == 0);
}

/// Standard output has a buffer of its own, since others write there, too.
bool OutputFile::pass_on() {
  const std::string text = std::exchange(waiting_, {});
  if (path_.empty()) return std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  return write_all(descriptor_, text);
}

void OutputFile::check(bool good) const {
  if (!good)
    throw Error(ErrorClass::argument,
                text(path_.empty() ? "standard output" : path_, ": ", reason_of(errno)));
}

}  // namespace rondo::support
