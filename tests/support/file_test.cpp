// How files are read and written, whatever stands at their place, and the errors.
#include "support/file.hpp"

#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>
#include <vector>

#include "refusal.hpp"

namespace rondo::support {
namespace {

namespace fs = std::filesystem;
using test::refusal;
using test::says;

void put(const char* name, const std::string& text = "old") {
  std::ofstream(name) << text;
}

/// A folder of a test's own, which is the current one.
class File : public testing::Test {
 protected:
  File() : before_(fs::current_path()) {
    std::string name = testing::TempDir() + "rondo_file_test.XXXXXX";
    folder_ = mkdtemp(name.data());
    fs::current_path(folder_);
  }
  ~File() override {
    fs::current_path(before_);
    fs::remove_all(folder_);
  }

  static mode_t mode_of(const char* name) {
    struct stat about {};
    EXPECT_EQ(lstat(name, &about), 0) << name;
    return about.st_mode;
  }
  static std::vector<std::string> names() {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(".")) found.push_back(entry.path().filename());
    std::ranges::sort(found);
    return found;
  }

 private:
  fs::path before_;
  fs::path folder_;
};

/// What `body` returns in a process of its own; 128 and a signal if that ended it.
int in_child(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

constexpr uid_t kUser = 54321;

bool become_user() {
  return geteuid() != 0 || (setgroups(0, nullptr) == 0 && setgid(kUser) == 0 && setuid(kUser) == 0);
}

/// What `body` returns in a process of an ordinary user, whose the folder is.
int as_user(const std::function<int()>& body) {
  return in_child([&] {
    if (geteuid() == 0 && chown(".", kUser, kUser) != 0) return 126;
    return become_user() ? body() : 127;
  });
}

void limit_files_to(rlim_t bytes) {
  const struct rlimit limit = {.rlim_cur = bytes, .rlim_max = bytes};
  setrlimit(RLIMIT_FSIZE, &limit);
}

TEST_F(File, HasWhatWasWritten) {
  const std::string large(300000, 'x');
  OutputFile out("it");
  out.write("a line\n");
  out.flush();
  EXPECT_EQ(read_file("it"), "a line\n");
  out.write(large);
  out.write(std::string(1, '\0'));
  out.close();
  EXPECT_EQ(read_file("it"), "a line\n" + large + std::string(1, '\0'));
  OutputFile("it").close();
  EXPECT_EQ(read_file("it"), "");
  OutputFile("it").write("as the last words of a program");
  EXPECT_EQ(read_file("it"), "as the last words of a program");
}

/// What may stand at a path called "it".
struct Place {
  const char* name;
  std::function<void()> make;
  const char* read;     ///< why it is not read; empty: "old" is
  const char* written;  ///< why it is not written; empty: the file at the end of links is
};

const Place kPlaces[] = {
    {"nothing", [] {}, "No such file or directory", ""},
    {"a file", [] { put("it"); }, "", ""},
    {"a link",
     [] {
       put("end");
       fs::create_symlink("end", "it");
     },
     "", ""},
    {"a link to a link in another folder",
     [] {
       put("end");
       fs::create_directory("far");
       fs::create_symlink("../end", "far/link");
       fs::create_symlink("far/link", "it");
     },
     "", ""},
    {"a link that leads nowhere", [] { fs::create_symlink("end", "it"); },
     "No such file or directory", ""},
    {"a link that leads into no folder", [] { fs::create_symlink("none/end", "it"); },
     "No such file or directory", "the folder none does not exist"},
    {"a link to itself", [] { fs::create_symlink("it", "it"); },
     "Too many levels of symbolic links", "Too many levels of symbolic links"},
    {"a folder", [] { fs::create_directory("it"); }, "Is a directory", "Is a directory"},
    {"a pipe", [] { mkfifo("it", 0666); }, "not a regular file", "nobody reads from this pipe"},
    {"a link to a pipe",
     [] {
       mkfifo("end", 0666);
       fs::create_symlink("end", "it");
     },
     "not a regular file", "nobody reads from this pipe"},
};

std::string named(const char* reason) {
  return *reason == '\0' ? std::string() : text("it: ", reason);
}

TEST_F(File, IsReadIfItIsRegular) {
  for (const Place& place : kPlaces) {
    SCOPED_TRACE(place.name);
    place.make();
    std::string found = "old";
    EXPECT_EQ(refusal([&] { found = read_file("it"); }), named(place.read));
    EXPECT_EQ(found, "old");
    EXPECT_EQ(try_to_read("it").reason, place.read);
    for (const std::string& name : names()) fs::remove_all(name);
  }
}

/// All of it or nothing, and no draft is left.
TEST_F(File, IsWrittenWhereLinksEnd) {
  for (const Place& place : kPlaces) {
    SCOPED_TRACE(place.name);
    place.make();
    const bool is_link = fs::is_symlink("it");
    const auto before = names();
    const auto kind = before.empty() ? S_IFREG : mode_of("it") & S_IFMT;
    const bool is_open = *place.written == '\0';
    EXPECT_EQ(refusal([] { write_file("it", "new"); }), named(place.written));
    EXPECT_EQ(mode_of(before.empty() && !is_open ? "." : "it") & S_IFMT, kind);
    EXPECT_EQ(try_to_read("it").text, is_open ? "new" : "");
    auto after = before;
    if (is_open) after.push_back(is_link ? "end" : "it");
    std::ranges::sort(after);
    after.erase(std::unique(after.begin(), after.end()), after.end());
    EXPECT_EQ(names(), after);
    for (const std::string& name : names()) fs::remove_all(name);
  }
}

TEST_F(File, ThatCannotBeWrittenIsRefusedBeforeTheWork) {
  for (const Place& place : kPlaces) {
    SCOPED_TRACE(place.name);
    place.make();
    const auto before = names();
    // A reader may come while the program works.
    const bool may_change = says(place.written, "nobody reads");
    EXPECT_EQ(refusal([] { require_writable("it"); }), named(may_change ? "" : place.written));
    EXPECT_EQ(names(), before);
    for (const std::string& name : names()) fs::remove_all(name);
  }
}

TEST_F(File, KeepsItsMode) {
  const mode_t mask = umask(027);
  write_file("new", "");
  EXPECT_EQ(mode_of("new") & 0777, 0640u);
  umask(mask);
  put("it");
  for (const mode_t mode : {0600, 0666, 0755}) {
    ASSERT_EQ(chmod("it", mode), 0);
    write_file("it", "new");
    EXPECT_EQ(mode_of("it") & 0777, mode);
  }
}

/// Its folder could still be written.
TEST_F(File, ThatIsReadOnlyIsNotReplaced) {
  put("it");
  ASSERT_EQ(chmod("it", 0444), 0);
  EXPECT_EQ(as_user([] {
              if (refusal([] { require_writable("it"); }) != "it: Permission denied") return 1;
              return refusal([] { write_file("it", "new"); }) == "it: Permission denied" ? 0 : 2;
            }),
            0);
  EXPECT_EQ(read_file("it"), "old");
}

/// A file "it" whose replacement somebody could see. `use` calls what it is given where the file is so, and returns
/// what that returns, or kSkipped.
struct Kept {
  const char* name;
  std::function<int(const std::function<int()>&)> use;
};

constexpr int kSkipped = 77;

int use_mounted(const std::function<int()>& body) {
  return in_child([&] {
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
      return kSkipped;
    put("end");
    if (mount("end", "it", nullptr, MS_BIND, nullptr) != 0) return kSkipped;
    return body();
  });
}

/// Somebody else's file, which everybody may write.
int give_away(const char* name) {
  return chown(name, kUser + 1, kUser + 1) == 0 && chmod(name, 0666) == 0 ? 0 : kSkipped;
}

const Kept kKept[] = {
    {"a file with two names",
     [](const auto& body) {
       fs::create_hard_link("it", "other");
       return body();
     }},
    {"a file in a folder that is only read",
     [](const auto& body) { return as_user([&] { return chmod(".", 0555) == 0 ? body() : 1; }); }},
    {"root writes what is somebody else's",
     [](const auto& body) { return geteuid() == 0 && give_away("it") == 0 ? body() : kSkipped; }},
    {"somebody else's file",
     [](const auto& body) {
       return geteuid() == 0 && give_away("it") == 0 ? as_user(body) : kSkipped;
     }},
    {"somebody else's file in a folder where each user removes their own files",
     [](const auto& body) {
       if (geteuid() != 0 || give_away("it") != 0 || chown(".", 0, 0) != 0) return kSkipped;
       return in_child([&] { return chmod(".", 01777) == 0 && become_user() ? body() : 1; });
     }},
    {"a mount", use_mounted},
};

TEST_F(File, IsReplacedOnlyIfNobodySeesThat) {
  for (const Kept& kept : kKept) {
    SCOPED_TRACE(kept.name);
    put("it");
    struct stat before {};
    ASSERT_EQ(chmod("it", 0666), 0);
    const int status = kept.use([&] {
      struct stat after {};
      const auto beside = names();
      if (stat("it", &before) != 0 || !refusal([] { require_writable("it"); }).empty()) return 2;
      if (!refusal([] { write_file("it", "new"); }).empty()) return 3;
      if (stat("it", &after) != 0 || read_file("it") != "new" || names() != beside) return 4;
      if (after.st_uid != before.st_uid || after.st_gid != before.st_gid) return 5;
      if (after.st_nlink != before.st_nlink || after.st_mode != before.st_mode) return 6;
      return fs::exists("other") && read_file("other") != "new" ? 7 : 0;
    });
    if (status == kSkipped)
      std::printf("skipped: %s\n", kept.name);
    else
      EXPECT_EQ(status, 0);
    ASSERT_EQ(chmod(".", 0755), 0);
    for (const std::string& name : names()) fs::remove_all(name);
  }
}

/// Such a link of /proc names "it (deleted)", which is not made.
TEST_F(File, MayHaveNoName) {
  put("it");
  const int open_file = open("it", O_RDWR);
  fs::remove("it");
  fs::create_symlink(text("/proc/self/fd/", open_file), "link");
  require_writable("link");
  write_file("link", "new");
  EXPECT_EQ(read_file("link"), "new");
  EXPECT_EQ(names(), std::vector<std::string>{"link"});
  close(open_file);
}

/// Root has a device of the test's own, since a fault would replace that of the system.
TEST_F(File, ThatIsADeviceStaysOne) {
  if (geteuid() != 0)
    fs::create_symlink("/dev/full", "end");
  else if (mknod("end", S_IFCHR | 0666, makedev(1, 7)) != 0)
    GTEST_SKIP() << "root makes no devices here";
  fs::create_symlink("end", "it");
  const mode_t before = mode_of("end");
  for (const char* path : {"end", "it"}) {
    require_writable(path);
    EXPECT_EQ(refusal([&] { write_file(path, "new"); }), text(path, ": No space left on device"));
    EXPECT_EQ(refusal([&] { read_file(path); }), text(path, ": not a regular file"));
    OutputFile(path).close();
    EXPECT_EQ(mode_of("end"), before);
    EXPECT_TRUE(fs::is_symlink("it"));
    EXPECT_EQ(names(), (std::vector<std::string>{"end", "it"}));
  }
}

TEST_F(File, MayBeAPipeThatSomebodyReads) {
  const std::string large(300000, 'x');
  ASSERT_EQ(mkfifo("it", 0666), 0);
  const int end = open("it", O_RDONLY | O_NONBLOCK);
  ASSERT_EQ(fcntl(end, F_SETFL, 0), 0);
  std::string found;
  std::thread reader([&] {
    char part[4096];
    while (found.size() < large.size()) {
      // Nothing until it is opened for writing.
      const ssize_t bytes = read(end, part, sizeof part);
      found.append(part, static_cast<std::size_t>(std::max<ssize_t>(bytes, 0)));
    }
  });
  write_file("it", large);
  reader.join();
  close(end);
  EXPECT_EQ(found, large);
}

/// A launcher may give a program such a pipe as its output.
TEST_F(File, MayBeAPipeThatDoesNotBlock) {
  const std::string large(300000, 'x');
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_NONBLOCK), 0);
  std::string found;
  std::thread reader([&] {
    char part[4096];
    ssize_t bytes = 0;
    while ((bytes = read(ends[0], part, sizeof part)) != 0)
      found.append(part, static_cast<std::size_t>(std::max<ssize_t>(bytes, 0)));
  });
  const bool is_written = write_all(ends[1], large);
  close(ends[1]);
  reader.join();
  close(ends[0]);
  EXPECT_TRUE(is_written);
  EXPECT_TRUE(found == large);
}

/// Without care, SIGPIPE ends the process.
TEST_F(File, MayBeAPipeThatIsClosedMeanwhile) {
  ASSERT_EQ(mkfifo("it", 0666), 0);
  const int end = open("it", O_RDONLY | O_NONBLOCK);
  OutputFile out("it");
  close(end);
  EXPECT_EQ(refusal([&] {
              out.write("x");
              out.flush();
            }),
            "it: Broken pipe");
}

/// What is printed before and after stays.
TEST_F(File, MayBeStandardOutput) {
  for (const char* path : {"/dev/stdout", "/proc/self/fd/1", "it"}) {
    SCOPED_TRACE(path);
    EXPECT_EQ(in_child([&] {
                const int out = open("it", O_WRONLY | O_CREAT | O_TRUNC, 0666);
                dup2(out, STDOUT_FILENO);
                write_all(STDOUT_FILENO, "before\n");
                write_file(path, "new\n");
                OutputFile(path).write("more\n");
                return write_all(STDOUT_FILENO, "after\n") ? 0 : 1;
              }),
              0);
    EXPECT_EQ(read_file("it"), "before\nnew\nmore\nafter\n");
  }
}

/// Otherwise SIGXFSZ ends the process. A program that has held the signal back itself gets it later.
TEST_F(File, BeyondTheLimitOnFileSizesIsRefused) {
  constexpr std::size_t kLimit = 100;
  const std::string as_long(kLimit, 'x');
  const std::string longer(kLimit + 1, 'x');
  put("it");
  EXPECT_EQ(in_child([&] {
              limit_files_to(kLimit);
              const auto refused = [&](const std::string& said) {
                return says(said,
                            "it: it would exceed the limit on file sizes, 100 bytes; raise it");
              };
              if (!refused(refusal([&] { write_file("it", longer); }))) return 1;
              if (read_file("it") != "old" || names().size() != 1) return 2;
              write_file("it", as_long);
              OutputFile out("it");
              out.write(longer);
              if (!refused(refusal([&] { out.flush(); }))) return 3;
              sigset_t held;
              sigpending(&held);
              return sigismember(&held, SIGXFSZ) == 1 ? 4 : 0;
            }),
            0);
  EXPECT_EQ(names(), std::vector<std::string>{"it"});
}

TEST_F(File, LongerThanItMayBeIsNotRead) {
  put("it", std::string(40000, 'x'));
  EXPECT_EQ(read_file("it", 40000).size(), 40000u);
  EXPECT_EQ(refusal([] { read_file("it", 39999); }), "it: longer than 39999 bytes");
  EXPECT_EQ(try_to_read("it", 39999).text, "");
}

TEST_F(File, WhatCannotBeWrittenInPlaceIsNamed) {
  EXPECT_EQ(refusal([] { OutputFile out("none/it"); }), "none/it: the folder none does not exist");
  EXPECT_EQ(refusal([] { OutputFile out("/"); }), "/: Is a directory");
  EXPECT_EQ(refusal([] { read_file("none/it"); }), "none/it: No such file or directory");
}

TEST_F(File, AFullDiskIsSeenWhenFlushedOrClosed) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  for (const bool closes : {false, true})
    EXPECT_EQ(refusal([&] {
                OutputFile out("/dev/full");
                out.write("x");
                closes ? out.close() : out.flush();
              }),
              "/dev/full: No space left on device");
}

}  // namespace
}  // namespace rondo::support
