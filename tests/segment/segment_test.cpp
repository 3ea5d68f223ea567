#include "segment/segment.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <utility>
#include <vector>

#include "refusal.hpp"
#include "temporary_folder.hpp"

namespace {

/// Whether signals interrupt posix_fallocate, as on kernels that undo an interrupted call: every other
/// call, and every call that takes longer than the time between two signals.
bool g_interrupts = false;
int g_calls = 0;
constexpr off_t kBetweenSignals = 4 << 20;

}  // namespace

extern "C" int posix_fallocate(int file, off_t offset, off_t bytes) {
  if (g_interrupts && (++g_calls % 2 != 0 || bytes > kBetweenSignals)) return EINTR;
  return fallocate(file, 0, offset, bytes) == 0 ? 0 : errno;
}

namespace rondo::segment {
namespace {

using Kind = Segment::Kind;
using test::says;
using test::TemporaryFolder;

constexpr std::size_t kBytes = 1 << 20;
constexpr std::size_t kPageBytes = 4096;
constexpr Kind kKinds[] = {Kind::descriptor, Kind::name};

std::string refusal(const std::function<void()>& body) {
  return test::refusal(body, ErrorClass::no_memory);
}

/// The error when this ticket is opened.
std::string refusal(const Ticket& ticket) {
  return refusal([&] { Segment::open(ticket); });
}

std::string file_of(const Ticket& ticket) {
  return (ticket.is_name ? "/dev/shm" : "") + std::string(ticket.path.data());
}

Ticket ticket_to(const std::string& path, std::uint64_t bytes) {
  Ticket ticket{.bytes = bytes};
  path.copy(ticket.path.data(), ticket.path.size() - 1);
  return ticket;
}

/// Mappings of segments in this process, dead or alive.
int mappings() {
  std::ifstream lines("/proc/self/maps");
  int count = 0;
  for (std::string line; std::getline(lines, line);)
    count += says(line, "/memfd:rondo") || says(line, "/dev/shm/rondo-") ? 1 : 0;
  return count;
}

int descriptors() {
  const std::filesystem::directory_iterator files("/proc/self/fd");
  return static_cast<int>(std::distance(begin(files), end(files)));
}

/// Run `body` in another process, which dies with this one.
pid_t start(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child != 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  int code = 99;
  try {
    code = body();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  _exit(code);
}

/// The exit code, or the signal + 1000.
int wait_for(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

TEST(Segment, IsSharedByThoseWhoOpenIt) {
  for (const Kind kind : kKinds) {
    Segment made = Segment::create(kind, kBytes);
    EXPECT_EQ(made.ticket().is_name, kind == Kind::name);
    EXPECT_EQ(made.ticket().bytes, kBytes);
    made.reserve(0, kBytes);
    Segment opened = Segment::open(made.ticket());
    ASSERT_NE(opened.at(0), made.at(0));
    for (const std::size_t offset : {Segment::kCookieBytes, kBytes / 2, kBytes - 1}) {
      EXPECT_EQ(*opened.at(offset), std::byte{0});
      *made.at(offset) = std::byte{42};
      EXPECT_EQ(*opened.at(offset), std::byte{42});
      *opened.at(offset) = std::byte{43};
      EXPECT_EQ(*made.at(offset), std::byte{43});
    }
  }
}

TEST(Segment, TicketsDiffer) {
  for (const Kind kind : kKinds) {
    const Segment first = Segment::create(kind, kBytes);
    const Segment second = Segment::create(kind, kBytes);
    EXPECT_NE(first.ticket().cookie, second.ticket().cookie);
    EXPECT_STRNE(first.ticket().path.data(), second.ticket().path.data());
  }
}

TEST(Segment, OnlyItsUserMayOpenIt) {
  const Segment segment = Segment::create(Kind::name, kBytes);
  struct stat status {};
  ASSERT_EQ(stat(file_of(segment.ticket()).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST(Segment, RefusesAnotherCookieOrSize) {
  for (const Kind kind : kKinds) {
    const Segment segment = Segment::create(kind, kBytes);
    Ticket ticket = segment.ticket();
    ++ticket.cookie;
    EXPECT_TRUE(says(refusal(ticket), "is not the segment"));
    --ticket.cookie;
    for (const std::uint64_t bytes : {kBytes / 2, kBytes - 1, kBytes + 1, 2 * kBytes}) {
      ticket.bytes = bytes;
      EXPECT_TRUE(says(refusal(ticket), "is not the segment")) << bytes;
    }
    ticket.bytes = kBytes;
    EXPECT_EQ(refusal(ticket), "");
  }
}

TEST(Segment, RefusesWhatIsNoRegularFile) {
  const TemporaryFolder folder;
  const std::string fifo = folder / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_TRUE(says(refusal(ticket_to(fifo, 0)), "is not the segment"));
  EXPECT_TRUE(says(refusal(ticket_to("/dev/zero", 0)), "is not the segment"));
  EXPECT_TRUE(says(refusal(ticket_to(folder.name(), kPageBytes)), std::strerror(EISDIR)));
}

TEST(Segment, RefusesAStrangersFile) {
  const TemporaryFolder folder;
  const std::string file = folder.write("file", std::string(kPageBytes, 'x'));
  EXPECT_TRUE(says(refusal(ticket_to(file, kPageBytes)), "is not the segment"));
}

TEST(Segment, SaysWhichPathIsMissing) {
  const TemporaryFolder folder;
  const std::string missing = folder / "missing";
  const std::string said = refusal(ticket_to(missing, kBytes));
  EXPECT_TRUE(says(said, missing) && says(said, std::strerror(ENOENT))) << said;
  Ticket name = ticket_to("/rondo-missing", kBytes);
  name.is_name = true;
  EXPECT_TRUE(says(refusal(name), "/rondo-missing"));
}

TEST(Segment, RefusedOnesLeaveNothing) {
  const int mapped = mappings();
  const int open = descriptors();
  for (const Kind kind : kKinds) {
    Ticket ticket;
    {
      const Segment segment = Segment::create(kind, kBytes);
      ticket = segment.ticket();
      ++ticket.cookie;
      EXPECT_NE(refusal(ticket), "");
      EXPECT_EQ(mappings(), mapped + 1);
    }
    EXPECT_EQ(mappings(), mapped);
    EXPECT_EQ(descriptors(), open);
  }
  EXPECT_NE(refusal([&] { Segment::create(Kind::descriptor, std::size_t{1} << 63U); }), "");
  EXPECT_NE(refusal([&] { Segment::create(Kind::name, std::size_t{1} << 63U); }), "");
  EXPECT_EQ(mappings(), mapped);
  EXPECT_EQ(descriptors(), open);
}

TEST(Segment, SealRemovesTheName) {
  for (const Kind kind : kKinds) {
    Segment made = Segment::create(kind, kBytes);
    Segment opened = Segment::open(made.ticket());
    const std::string file = file_of(made.ticket());
    ASSERT_TRUE(std::filesystem::exists(file)) << file;
    opened.seal();  // only its creator removes it
    EXPECT_TRUE(std::filesystem::exists(file)) << file;
    made.seal();
    EXPECT_FALSE(std::filesystem::exists(file)) << file;
    EXPECT_NE(refusal(made.ticket()), "");
    made.seal();  // harmless
    *made.at(kPageBytes) = std::byte{7};
    EXPECT_EQ(*opened.at(kPageBytes), std::byte{7});
  }
}

TEST(Segment, UnsealedGoesWithItsCreator) {
  std::string file;
  {
    const Segment segment = Segment::create(Kind::name, kBytes);
    file = file_of(segment.ticket());
    ASSERT_TRUE(std::filesystem::exists(file));
  }
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(Segment, Moves) {
  const int mapped = mappings();
  for (const Kind kind : kKinds) {
    Segment first = Segment::create(kind, kBytes);
    const std::string file = file_of(first.ticket());
    std::byte* const memory = first.at(0);
    Segment second(std::move(first));
    EXPECT_EQ(first.at(0), nullptr);  // NOLINT: what is left is an empty one
    EXPECT_EQ(first.ticket().bytes, 0U);
    EXPECT_EQ(second.at(0), memory);
    first.seal();
    EXPECT_TRUE(std::filesystem::exists(file)) << "an empty one removed the name";
    {
      Segment third = Segment::create(kind, 2 * kBytes);
      const std::string other = file_of(third.ticket());
      third = std::move(second);
      EXPECT_EQ(third.at(0), memory);
      EXPECT_EQ(third.ticket().bytes, kBytes);
      second = Segment();
      EXPECT_FALSE(std::filesystem::exists(other)) << "what it had is kept";
      EXPECT_TRUE(std::filesystem::exists(file));
    }
    EXPECT_FALSE(std::filesystem::exists(file));
    EXPECT_EQ(mappings(), mapped);
  }
}

TEST(Segment, AnotherProcessOpensItByItsTicket) {
  for (const Kind kind : kKinds) {
    Segment segment = Segment::create(kind, kBytes);
    segment.reserve(0, kBytes);
    const Ticket ticket = segment.ticket();
    EXPECT_EQ(wait_for(start([&] {
                Segment opened = Segment::open(ticket);
                if (opened.at(0) == segment.at(0)) return 1;  // not what it inherited
                *opened.at(kBytes - 1) = std::byte{9};
                return 0;
              })),
              0);
    EXPECT_EQ(*segment.at(kBytes - 1), std::byte{9});
  }
}

using Flag = std::atomic<int>;

/// One process creates, two open, and all seal and wait until they are killed. `then` is run when they
/// have arrived.
void kill_job(Kind kind, const std::function<void(const Ticket&)>& then) {
  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  std::vector<pid_t> job;
  job.push_back(start([&] {
    Segment segment = Segment::create(kind, kBytes);
    segment.reserve(0, kBytes);
    const Ticket ticket = segment.ticket();
    for (int reader = 0; reader < 3; ++reader)
      if (write(pipes[1], &ticket, sizeof ticket) != sizeof ticket) return 1;
    auto& arrived = *reinterpret_cast<Flag*>(segment.at(Segment::kCookieBytes));
    while (arrived < 2) usleep(100);
    segment.seal();
    ++arrived;
    for (;;) pause();
  }));
  for (int opener = 0; opener < 2; ++opener)
    job.push_back(start([&] {
      Ticket ticket;
      if (read(pipes[0], &ticket, sizeof ticket) != sizeof ticket) return 1;
      Segment segment = Segment::open(ticket);
      ++*reinterpret_cast<Flag*>(segment.at(Segment::kCookieBytes));
      segment.seal();
      for (;;) pause();
    }));
  Ticket ticket;
  ASSERT_EQ(read(pipes[0], &ticket, sizeof ticket), static_cast<ssize_t>(sizeof ticket));
  const std::string file = file_of(ticket);
  for (int looks = 0; looks < 600'000 && std::filesystem::exists(file); ++looks) usleep(100);
  then(ticket);
  for (const pid_t process : job) kill(process, SIGKILL);
  for (const pid_t process : job) EXPECT_EQ(wait_for(process), 1000 + SIGKILL);
  EXPECT_FALSE(std::filesystem::exists(file)) << file << " is left";
  ::close(pipes[0]);
  ::close(pipes[1]);
}

std::vector<std::string> names_in_shm() {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator("/dev/shm"))
    if (says(file.path().filename(), "rondo-")) names.push_back(file.path());
  return names;
}

/// New names may belong to other programs that run just now; those go away.
bool new_names_stay(const std::vector<std::string>& old) {
  for (int looks = 0; looks < 1200; ++looks) {
    const auto now = names_in_shm();
    if (std::ranges::all_of(
            now, [&](const auto& name) { return std::ranges::find(old, name) != old.end(); }))
      return false;
    usleep(50'000);
  }
  return true;
}

TEST(Segment, KilledProcessesLeaveNothing) {
  const auto before = names_in_shm();
  for (const Kind kind : kKinds)
    kill_job(kind, [&](const Ticket& ticket) { EXPECT_EQ(ticket.is_name, kind == Kind::name); });
  EXPECT_FALSE(new_names_stay(before));
}

/// A memfd leaves nothing, whenever its creator is killed.
TEST(Segment, KilledBeforeTheSealADescriptorLeavesNothing) {
  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  const auto before = names_in_shm();
  const pid_t creator = start([&] {
    const Segment segment = Segment::create(Kind::descriptor, kBytes);
    if (write(pipes[1], &segment.ticket(), sizeof(Ticket)) != sizeof(Ticket)) return 1;
    for (;;) pause();
  });
  Ticket ticket;
  ASSERT_EQ(read(pipes[0], &ticket, sizeof ticket), static_cast<ssize_t>(sizeof ticket));
  EXPECT_EQ(refusal(ticket), "");
  kill(creator, SIGKILL);
  EXPECT_EQ(wait_for(creator), 1000 + SIGKILL);
  EXPECT_NE(refusal(ticket), "");
  EXPECT_FALSE(new_names_stay(before));
  ::close(pipes[0]);
  ::close(pipes[1]);
}

/// Creates a segment of 1 MiB on a tmpfs of 64 KiB. Returns 0 if the errors are right.
int on_a_tiny_tmpfs() {
  constexpr int kCannotMount = 77;
  if (unshare(CLONE_NEWNS) != 0) return kCannotMount;
  if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return kCannotMount;
  if (mount("tiny", "/dev/shm", "tmpfs", 0, "size=64k") != 0) return kCannotMount;
  Segment segment = Segment::create(Kind::name, kBytes);
  const std::string said = refusal([&] { segment.reserve(0, kBytes); });
  if (!says(said, "posix_fallocate") || !says(said, std::strerror(ENOSPC))) return 1;
  segment.reserve(kPageBytes, kPageBytes);  // as much as there is can still be had
  *segment.at(kPageBytes) = std::byte{1};
  const std::string file = file_of(segment.ticket());
  segment = Segment();
  if (std::filesystem::exists(file)) return 2;
  // Filled to the brim: not even the cookie fits, and the name must go again.
  std::ofstream(std::string("/dev/shm/full")) << std::string(64 * 1024, 'x') << std::flush;
  if (!says(refusal([] { Segment::create(Kind::name, kBytes); }), "posix_fallocate")) return 3;
  return names_in_shm().empty() ? 0 : 4;
}

/// A file that grows past the limit would end the process with SIGXFSZ.
TEST(Segment, RefusesWhatIsLongerThanAFileMayBe) {
  for (const Kind kind : kKinds) {
    const pid_t child = start([&] {
      const struct rlimit limit = {.rlim_cur = kBytes - 1, .rlim_max = kBytes - 1};
      setrlimit(RLIMIT_FSIZE, &limit);
      return says(refusal([&] { Segment::create(kind, kBytes); }), "ulimit -f") ? 0 : 1;
    });
    EXPECT_EQ(wait_for(child), 0);
  }
}

std::size_t bytes_held(const Segment& segment) {
  struct stat status {};
  EXPECT_EQ(stat(file_of(segment.ticket()).c_str(), &status), 0);
  return static_cast<std::size_t>(status.st_blocks) * 512;
}

/// As under a profiler's timer, on a kernel that undoes interrupted calls.
TEST(Segment, IsReservedThoughSignalsInterrupt) {
  constexpr std::size_t kLong = 16 * kBytes;
  Segment segment = Segment::create(Kind::name, kLong);
  g_calls = 0;
  g_interrupts = true;
  segment.reserve(kPageBytes, kLong - kPageBytes);
  g_interrupts = false;
  EXPECT_GT(g_calls, 1);
  EXPECT_EQ(bytes_held(segment), kLong);
}

TEST(Segment, ADescriptorHoldsWhatWasTouched) {
  constexpr std::size_t kLong = 16 * kBytes;
  Segment segment = Segment::create(Kind::descriptor, kLong);
  segment.reserve(0, kLong);
  EXPECT_EQ(bytes_held(segment), kPageBytes);
  *segment.at(3 * kPageBytes) = std::byte{1};
  EXPECT_EQ(bytes_held(segment), 2 * kPageBytes);
}

TEST(Segment, RefusesWhatAFullTmpfsCannotHold) {
  const int code = wait_for(start(on_a_tiny_tmpfs));
  if (code == 77) GTEST_SKIP() << "no right to mount a tmpfs (needs root and CAP_SYS_ADMIN)";
  EXPECT_EQ(code, 0) << "1000 + 7 is a SIGBUS";
}

}  // namespace
}  // namespace rondo::segment
