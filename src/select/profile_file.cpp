#include "select/profile_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/error.hpp"

namespace rondo::select {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const char* what, const std::string& path, const std::string& why) {
  throw Error(ErrorClass::argument, text(what, " ", path, ": ", why));
}

/// An empty file beside `path`, removed unless it takes its place.
class Draft {
 public:
  /// Makes the folder, too, if there is none.
  explicit Draft(const std::string& path) : path_(path), draft_(text(path, ".", getpid())) {
    std::error_code error;
    const fs::path folder = fs::path(path).parent_path();
    if (!folder.empty()) fs::create_directories(folder, error);
    if (error) fail("cannot make the folder of", path, error.message());
    file_.open(draft_, std::ios::binary);
    if (!file_) fail("cannot write", draft_, std::strerror(errno));
  }
  ~Draft() {
    std::error_code ignored;
    fs::remove(draft_, ignored);
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  void write(const std::string& content) {
    file_ << content;
    file_.close();
    if (!file_) fail("cannot write", draft_, std::strerror(errno));
  }

  void replace() {
    std::error_code error;
    fs::rename(draft_, path_, error);
    if (error) fail("cannot replace", path_, error.message());
  }

 private:
  std::string path_;
  std::string draft_;
  std::ofstream file_;
};

}  // namespace

void require_writable(const std::string& path) {
  const Draft draft(path);
}

void write_profile(const Profile& profile, const std::string& path) {
  Draft draft(path);
  draft.write(to_text(profile));
  draft.replace();
}

}  // namespace rondo::select
