#include "support/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.hpp"

namespace rondo::apps {

namespace {
constexpr std::size_t kBufferBytes = 1 << 20;
constexpr mode_t kMode = 0666;
}  // namespace

OutputFile::OutputFile(const std::string& path) : path_(path) {
  descriptor_ = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kMode);
  check(descriptor_ >= 0);
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void OutputFile::write(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() >= kBufferBytes) flush();
}

void OutputFile::close() {
  flush();
  check(::close(std::exchange(descriptor_, -1)) == 0);
}

void OutputFile::flush() {
  for (std::size_t done = 0; done < buffer_.size();) {
    const ssize_t written = ::write(descriptor_, buffer_.data() + done, buffer_.size() - done);
    if (written < 0 && errno == EINTR) continue;
    check(written >= 0);
    done += static_cast<std::size_t>(written);
  }
  buffer_.clear();
}

void OutputFile::check(bool good) const {
  if (!good) throw Error(ErrorClass::argument, text(path_, ": ", std::strerror(errno)));
}

}  // namespace rondo::apps
