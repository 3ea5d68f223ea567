#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/system.hpp"

namespace rondo {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
  throw Error(ErrorClass::argument, text(path, ": ", reason));
}

bool is_same(const struct stat& one, const struct stat& other) {
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/// The descriptor of the standard output or error that is this file, or -1.
int own_stream(const struct stat& file) {
  struct stat stream {};
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO})
    if (fstat(descriptor, &stream) == 0 && is_same(stream, file)) return descriptor;
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

/// Whether `target` is the only name of a file. A link of /proc may end at a name that is no longer that of its file.
bool has_one_name(const struct stat& file, const fs::path& target) {
  struct stat named {};
  return S_ISREG(file.st_mode) && file.st_nlink == 1 && own_stream(file) < 0 &&
         lstat(target.c_str(), &named) == 0 && is_same(named, file);
}

/// Whether the file could be given the owner and the group of another one. Only root may give a file away.
bool takes_owner(int descriptor, const struct stat& other) {
  if (fchown(descriptor, other.st_uid, other.st_gid) != 0)
    static_cast<void>(fchown(descriptor, static_cast<uid_t>(-1), other.st_gid) == 0);
  struct stat file {};
  return fstat(descriptor, &file) == 0 && file.st_uid == other.st_uid &&
         file.st_gid == other.st_gid;
}

std::string no_folder(const fs::path& target) {
  const fs::path folder = target.parent_path();
  return text("the folder ", folder.empty() ? "." : folder.string(), " does not exist");
}

/// A file beside the one that it is to replace. It is removed unless it has done so. It is not there if somebody could
/// see that a file was replaced.
class Draft {
 public:
  Draft(const std::string& path, const Before& before)
      : path_(path), target_(end_of_links(path)), is_new_(!before.exists) {
    if (!is_new_ && !has_one_name(before.file, target_)) return;
    const fs::path draft = target_.parent_path() / fmt::format(".rondo-{:016x}", random_number());
    descriptor_ =
        ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, is_new_ ? 0666 : 0600);
    if (descriptor_ < 0 && is_new_)
      refuse(path_, errno == ENOENT ? no_folder(target_)
                                    : text("cannot make a file beside it: ", reason_of(errno)));
    if (descriptor_ < 0) return;
    draft_ = draft;
    if (is_new_) return;
    const bool has_owner = takes_owner(descriptor_, before.file);
    // Not all file systems have modes.
    static_cast<void>(fchmod(descriptor_, before.file.st_mode & 0777) == 0);
    if (!has_owner) remove();
  }
  ~Draft() { remove(); }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  /// Returns false if the file must be written in place. Some file systems tell only when a file is closed that it was
  /// not written.
  bool replaces(std::string_view content) {
    if (descriptor_ < 0) return false;
    if (!write_all(descriptor_, content) || ::close(std::exchange(descriptor_, -1)) != 0)
      refuse(path_, reason_of(errno));
    if (::rename(draft_.c_str(), target_.c_str()) != 0) return keeps(errno);
    draft_.clear();
    return true;
  }

 private:
  void remove() {
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
    if (!draft_.empty()) ::unlink(draft_.c_str());
    draft_.clear();
  }

  /// A file may be a mount, or belong to somebody else in a folder where each user removes their own files only.
  bool keeps(int error) const {
    if (is_new_ || (error != EBUSY && error != EXDEV && error != EPERM))
      refuse(path_, reason_of(error));
    return false;
  }

  std::string path_;  ///< as it was given
  fs::path target_;
  bool is_new_;
  fs::path draft_;  ///< empty if there is none to remove
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
  const bool exists = stat(path.c_str(), &file) == 0;
  const int stream = exists ? own_stream(file) : -1;
  if (stream >= 0) {
    const int descriptor = fcntl(stream, F_DUPFD_CLOEXEC, 0);
    if (descriptor < 0) refuse(path, reason_of(errno));
    return descriptor;
  }
  // Without O_NONBLOCK, opening a pipe that nobody reads would block forever. With O_CREAT, Linux may refuse a file of
  // somebody else that may be written.
  constexpr int kFlags = O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
  const int descriptor = ::open(path.c_str(), kFlags | (exists ? 0 : O_CREAT), 0666);
  if (descriptor < 0 && !exists && errno == ENOENT) refuse(path, no_folder(end_of_links(path)));
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
    if (bytes > 0) text.remove_prefix(static_cast<std::size_t>(bytes));
    if (bytes >= 0 || errno == EINTR) continue;
    if (errno != EAGAIN) return false;
    pollfd until_taken{.fd = descriptor, .events = POLLOUT, .revents = 0};
    poll(&until_taken, 1, -1);
  }
  return true;
}

void write_file(const std::string& path, std::string_view content) {
  const Before before = look_at(path);
  if (!Draft(path, before).replaces(content)) write_in_place(path, content);
}

void require_writable(const std::string& path) {
  const Before before = look_at(path);
  if (!before.exists) const Draft draft(path, before);
}

}  // namespace rondo
