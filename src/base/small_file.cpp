#include "base/small_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace rondo {

std::string contents_of(const std::string& file) {
  std::string contents;
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return contents;
  std::array<char, 1024> part;
  for (ssize_t bytes = 0; (bytes = ::read(descriptor, part.data(), part.size())) != 0;) {
    if (bytes < 0 && errno != EINTR) break;
    if (bytes > 0) contents.append(part.data(), static_cast<std::size_t>(bytes));
  }
  ::close(descriptor);
  return contents;
}

}  // namespace rondo
