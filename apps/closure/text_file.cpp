#include "closure/text_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "base/file.hpp"

namespace rondo::closure {

namespace {

constexpr std::uint64_t kChunkBytes = 1 << 16;

[[noreturn]] void refuse_file(const std::string& path, const std::string& reason) {
  throw Error(ErrorClass::argument, text(path, ": ", reason));
}

}  // namespace

TextFile::TextFile(const std::string& path) : path_(path) {
  std::string reason;
  descriptor_ = open_to_read(path, reason);
  if (descriptor_ < 0) refuse_file(path, reason);
  struct stat about = {};
  if (fstat(descriptor_, &about) == 0) bytes_ = static_cast<std::uint64_t>(about.st_size);
}

TextFile::~TextFile() {
  close(descriptor_);
}

std::string TextFile::read(std::uint64_t offset, std::uint64_t bytes) const {
  std::string content;
  content.resize(offset < bytes_ ? std::min(bytes, bytes_ - offset) : 0);
  for (std::size_t done = 0; done < content.size();) {
    const ssize_t got = pread(descriptor_, content.data() + done, content.size() - done,
                              static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse_file(path_, std::strerror(errno));
    if (got == 0) refuse_file(path_, "the file was truncated while it was read");
    done += static_cast<std::size_t>(got);
  }
  return content;
}

std::string lines_of(const Read& read, Range part) {
  if (part.first == part.last) return {};
  // A line begins at the part's first byte only if the byte before it ends a line.
  const std::uint64_t before = part.first == 0 ? 0 : 1;
  std::string lines = read(part.first - before, part.last - part.first + before);
  if (before != 0) {
    const std::size_t end = lines.find('\n');
    lines.erase(0, end == std::string::npos ? end : end + 1);
  }
  for (std::uint64_t next = part.last; !lines.empty() && lines.back() != '\n';) {
    const std::string more = read(next, kChunkBytes);
    if (more.empty()) break;
    const std::size_t end = more.find('\n');
    lines.append(more, 0, end == std::string::npos ? end : end + 1);
    next += more.size();
  }
  return lines;
}

std::string_view take_line(std::string_view& lines) {
  const std::size_t end = lines.find('\n');
  const std::string_view line = lines.substr(0, end);
  lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
  return line;
}

}  // namespace rondo::closure
