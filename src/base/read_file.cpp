#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "base/file.hpp"

namespace rondo {

std::string reason_of(int error) {
  struct rlimit limit {};
  if (error == EFBIG && getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    return text("it would exceed the limit on file sizes, ", limit.rlim_cur,
                " bytes; raise it with ulimit -f");
  return std::strerror(error);
}

int open_to_read(const std::string& path, std::string& reason) {
  // Without O_NONBLOCK, opening a pipe without a writer would block forever.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat about {};
  if (descriptor < 0 || fstat(descriptor, &about) != 0)
    reason = reason_of(errno);
  else if (S_ISDIR(about.st_mode))
    reason = reason_of(EISDIR);
  else if (S_ISREG(about.st_mode))
    return descriptor;
  else
    reason = "not a regular file";
  if (descriptor >= 0) ::close(descriptor);
  return -1;
}

FileText try_to_read(const std::string& path, std::size_t most_bytes) {
  FileText file;
  const int descriptor = open_to_read(path, file.reason);
  if (descriptor < 0) return file;
  // Files of /proc have no size, and others grow.
  std::array<char, 16384> part;
  while (file.reason.empty()) {
    const ssize_t bytes = ::read(descriptor, part.data(), part.size());
    if (bytes == 0) break;
    if (bytes > 0) file.text.append(part.data(), static_cast<std::size_t>(bytes));
    if (bytes < 0 && errno != EINTR) file.reason = reason_of(errno);
    if (file.text.size() > most_bytes) file.reason = text("longer than ", most_bytes, " bytes");
  }
  ::close(descriptor);
  if (!file.reason.empty()) file.text.clear();
  return file;
}

std::string read_file(const std::string& path, std::size_t most_bytes) {
  FileText file = try_to_read(path, most_bytes);
  if (!file.reason.empty()) throw Error(ErrorClass::argument, text(path, ": ", file.reason));
  return std::move(file.text);
}

}  // namespace rondo
