// What the thread prints, in processes of the test's own.
#include "watch/watcher.hpp"

#include <gtest/gtest.h>

#include <array>
#include <csignal>

#include "child.hpp"

namespace rondo::watch {
namespace {

using std::chrono::milliseconds;
using test::Child;

constexpr const char* kOneForm[] = {"alltoall"};
constexpr milliseconds kPatience{200};
constexpr useconds_t kUntilTold = 1'000'000;

/// What a process that runs `body` prints on standard error.
std::string said_by(const std::function<void()>& body) {
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe(ends.data()), 0);
  const Child child([&] {
    dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
    body();
  });
  close(ends[1]);
  std::string said;
  std::array<char, 4096> part{};
  for (ssize_t length = 0; (length = read(ends[0], part.data(), part.size())) > 0;)
    said.append(part.data(), static_cast<std::size_t>(length));
  close(ends[0]);
  return said;
}

void begin_to_watch() {
  begin({.patience = kPatience, .forms = kOneForm, .abort = {}, .library = nullptr});
}

/// The only rank of a communicator, which waits for ever.
Line& watched() {
  begin_to_watch();
  Subject subject;
  subject.line = Board::own().take("a name", 1);
  subject.algorithm = [] { return Subject::Algorithm{}; };
  Line& line = *subject.line;
  add(std::move(subject));
  line.begin(Line::kUnknownForm);
  return line;
}

std::size_t blocks_in(const std::string& said) {
  std::size_t blocks = 0;
  for (std::size_t at = 0; (at = said.find("has waited for", at)) != said.npos; ++at) ++blocks;
  return blocks;
}

TEST(Watcher, TellsOnce) {
  const std::string said = said_by([] {
    watched();
    usleep(kUntilTold);
  });
  EXPECT_EQ(blocks_in(said), 1U) << said;
}

TEST(Watcher, TellsInAForkOfAProcessThatIsWatched) {
  const std::string said = said_by([] {
    begin_to_watch();
    const Child fork([] {
      watched();
      usleep(kUntilTold);
    });
    usleep(2 * kUntilTold);
  });
  EXPECT_EQ(blocks_in(said), 1U) << said;
}

/// Then it knows more.
TEST(Watcher, TellsAgainOnceTheRanksKnowEachOther) {
  const std::string said = said_by([] {
    Line& line = watched();
    usleep(kUntilTold);
    line.agree(5);
    line.begin(0);
    usleep(kUntilTold);
  });
  EXPECT_EQ(blocks_in(said), 2U) << said;
}

void handle(int) {
  constexpr std::string_view kText = "handled";
  EXPECT_EQ(write(STDERR_FILENO, kText.data(), kText.size()), static_cast<ssize_t>(kText.size()));
}

/// What a process prints that is asked and has a handler of this program before.
std::string said_if_asked(const void* library) {
  return said_by([library] {
    signal(SIGUSR1, handle);
    begin({.patience = kPatience, .forms = kOneForm, .abort = {}, .library = library});
    raise(SIGUSR1);
    usleep(kUntilTold);
  });
}

TEST(Watcher, LeavesAHandlerOfTheProgram) {
  EXPECT_EQ(said_if_asked(nullptr), "handled");
}

TEST(Watcher, AnswersBesideAHandlerOfTheMpiLibrary) {
  const std::string said = said_if_asked(reinterpret_cast<const void*>(&handle));
  EXPECT_NE(said.find("handled"), said.npos) << said;
  EXPECT_NE(said.find("is in no exchange"), said.npos) << said;
}

}  // namespace
}  // namespace rondo::watch
