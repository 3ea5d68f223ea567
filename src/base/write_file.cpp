#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/held_signals.hpp"
#include "base/random_number.hpp"

namespace rondo {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
  throw Error(ErrorClass::argument, text(path, ": ", reason));
}

/// The descriptor of the standard output or error that is this file, or -1.
int own_stream(const struct stat& file) {
  struct stat stream {};
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO})
    if (fstat(descriptor, &stream) == 0 && stream.st_dev == file.st_dev &&
        stream.st_ino == file.st_ino)
      return descriptor;
  return -1;
}

/// The name at the end of links, one after another. The last one may lead nowhere yet.
fs::path end_of_links(fs::path path) {
  std::error_code error;
  constexpr int kMostLinks = 40;  // as the kernel follows
  for (int links = 0; links < kMostLinks && fs::is_symlink(path, error); ++links) {
    const fs::path next = fs::read_symlink(path, error);
    if (error) break;
    path = path.parent_path() / next;
  }
  return path;
}

/// What is at a path before something is written there.
struct Before {
  struct stat file {};
  bool exists = false;

  bool is_replaced() const { return !exists || (S_ISREG(file.st_mode) && own_stream(file) < 0); }
};

/// Refuses a folder, and what may not be written.
Before look_at(const std::string& path) {
  Before before;
  before.exists = stat(path.c_str(), &before.file) == 0;
  if (!before.exists && errno != ENOENT) refuse(path, reason_of(errno));
  if (before.exists && S_ISDIR(before.file.st_mode)) refuse(path, reason_of(EISDIR));
  if (before.exists && own_stream(before.file) < 0 && access(path.c_str(), W_OK) != 0)
    refuse(path, reason_of(errno));
  return before;
}

/// A file beside the one that it is to replace. It is removed unless it has done so.
class Draft {
 public:
  Draft(const std::string& path, const Before& before) : path_(path), target_(end_of_links(path)) {
    draft_ = target_.parent_path() / fmt::format(".rondo-{:016x}", random_number());
    descriptor_ = ::open(draft_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                         before.exists ? 0600 : 0666);
    if (descriptor_ < 0) refuse(path_, text("cannot make a file beside it: ", reason_of(errno)));
    if (!before.exists) return;
    // Only root may give a file away, and not all file systems have modes.
    static_cast<void>(fchown(descriptor_, before.file.st_uid, before.file.st_gid) == 0);
    static_cast<void>(fchmod(descriptor_, before.file.st_mode & 0777) == 0);
  }
  ~Draft() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!draft_.empty()) ::unlink(draft_.c_str());
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  /// Some file systems tell only when a file is closed that it was not written.
  void replace(std::string_view content) {
    if (!write_all(descriptor_, content) || ::close(std::exchange(descriptor_, -1)) != 0 ||
        ::rename(draft_.c_str(), target_.c_str()) != 0)
      refuse(path_, reason_of(errno));
    draft_.clear();
  }

 private:
  std::string path_;  ///< as it was given
  fs::path target_;
  fs::path draft_;
  int descriptor_ = -1;
};

void write_in_place(const std::string& path, std::string_view content) {
  const int descriptor = open_to_write(path);
  const bool is_written = write_all(descriptor, content);
  const int error = errno;
  const bool is_closed = ::close(descriptor) == 0;
  if (!is_written || !is_closed) refuse(path, reason_of(is_written ? errno : error));
}

}  // namespace

int open_to_write(const std::string& path) {
  struct stat file {};
  const int stream = stat(path.c_str(), &file) == 0 ? own_stream(file) : -1;
  if (stream >= 0) {
    const int descriptor = fcntl(stream, F_DUPFD_CLOEXEC, 0);
    if (descriptor < 0) refuse(path, reason_of(errno));
    return descriptor;
  }
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY;
  // Without O_NONBLOCK, opening a pipe that nobody reads would block forever.
  const int descriptor = ::open(path.c_str(), kFlags | O_NONBLOCK, 0666);
  if (descriptor < 0)
    refuse(path, S_ISFIFO(file.st_mode) && errno == ENXIO ? "nobody reads from this pipe"
                                                          : reason_of(errno));
  fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
  return descriptor;
}

bool write_all(int descriptor, std::string_view text) {
  const HeldSignals held;
  while (!text.empty()) {
    const ssize_t bytes = ::write(descriptor, text.data(), text.size());
    if (bytes < 0 && errno != EINTR) return false;
    if (bytes > 0) text.remove_prefix(static_cast<std::size_t>(bytes));
  }
  return true;
}

void write_file(const std::string& path, std::string_view content) {
  const Before before = look_at(path);
  if (before.is_replaced())
    Draft(path, before).replace(content);
  else
    write_in_place(path, content);
}

void require_writable(const std::string& path) {
  const Before before = look_at(path);
  if (before.is_replaced()) const Draft draft(path, before);
}

}  // namespace rondo
