// What a rank finds on the boards of others: processes of the test with boards of their own.
#include "watch/look.hpp"

#include <gtest/gtest.h>

#include <array>
#include <optional>

#include "child.hpp"

namespace rondo::watch {
namespace {

constexpr const char* kForms[] = {"alltoall", "alltoallv"};
constexpr std::uint64_t kMembers = 77;
constexpr std::uint64_t kOwn = 5;  ///< the communicator of the test
constexpr std::int64_t kToldAt = 3;

/// A line of another process.
struct Written {
  std::uint64_t communicator = kOwn;
  std::uint64_t members = kMembers;
  std::uint64_t begun = 0;
  std::uint64_t ended = 0;
  int form = 1;
  std::uint64_t told = 0;
  std::uint64_t told_of = 0;
};

/// A process with these lines on its board.
class Process {
 public:
  explicit Process(const std::vector<Written>& lines) {
    EXPECT_EQ(pipe(pipe_.data()), 0);
    child_.emplace([&] { tell(lines); });
    EXPECT_EQ(read(pipe_[0], &ticket_, sizeof ticket_), static_cast<ssize_t>(sizeof ticket_));
  }
  ~Process() {
    close(pipe_[0]);
    close(pipe_[1]);
  }

  Neighbour neighbour(int rank) const { return {rank, rank, child_->process(), ticket_}; }

 private:
  [[noreturn]] void tell(const std::vector<Written>& lines) {
    Board board = Board::make();
    for (const Written& written : lines) {
      Line& line = *board.take("a name", written.members);
      line.communicator = written.communicator;
      line.form = written.form;
      line.begun = written.begun;
      line.ended = written.ended;
      line.told = written.told;
      line.told_of = written.told_of;
      line.told_at = kToldAt;
    }
    const segment::Ticket ticket = board.ticket();
    EXPECT_EQ(write(pipe_[1], &ticket, sizeof ticket), static_cast<ssize_t>(sizeof ticket));
    test::sleep_for_ever();
  }

  std::array<int, 2> pipe_{};
  std::optional<test::Child> child_;
  segment::Ticket ticket_;
};

/// Looks from exchange 7, as rank 1 of two, at rank 0, which has these lines.
Look look_at(const std::vector<Written>& lines, std::uint64_t own = kOwn) {
  const Process process(lines);
  static Line& line = *Board::own().take("own", kMembers);
  line.communicator = own;
  line.begun = 7;
  line.form = 1;
  Subject subject;
  subject.line = &line;
  subject.rank = 1;
  subject.ranks = 2;
  subject.neighbours = {process.neighbour(0)};
  subject.algorithm = [] { return Subject::Algorithm{}; };
  return look(subject, 7, kForms);
}

struct LookRow {
  const char* name;
  std::vector<Written> lines;
  bool waits_here;
  bool has_passed;
  std::uint64_t number;  ///< of the exchange in which it is; 0: none
  std::uint64_t own = kOwn;
};

const LookRow kLooks[] = {
    {"not come", {{.begun = 6, .ended = 6}}, false, false, 0},
    {"here", {{.begun = 7, .ended = 6}}, true, false, 7},
    {"another form", {{.begun = 7, .ended = 6, .form = 0}}, false, false, 7},
    {"through", {{.begun = 7, .ended = 7}}, false, true, 0},
    {"in the next", {{.begun = 8, .ended = 7}}, false, true, 8},
    {"behind", {{.begun = 6, .ended = 5}}, false, false, 6},
    {"elsewhere",
     {{.begun = 6, .ended = 6}, {.communicator = 9, .begun = 3, .ended = 2}},
     false,
     false,
     3},
    {"here and elsewhere",
     {{.communicator = 9, .begun = 3, .ended = 2}, {.begun = 7, .ended = 6}},
     true,
     false,
     7},
    {"other ranks, same number", {{.members = 1, .begun = 7, .ended = 6}}, false, false, 7},
    {"nothing yet", {}, false, false, 0},
    {"both have not agreed", {{.communicator = 0, .begun = 7, .ended = 6}}, true, false, 7, 0},
    {"has agreed, and this rank has not", {{.begun = 7, .ended = 6}}, true, false, 7, 0},
    {"is on one that this rank has freed", {{.begun = 9, .ended = 9}}, false, false, 0, 0},
};

TEST(Look, FindsWhereARankIs) {
  for (const LookRow& row : kLooks) {
    const Look found = look_at(row.lines, row.own);
    ASSERT_EQ(found.scene.others.size(), 1U);
    const Other& other = found.scene.others.front();
    EXPECT_TRUE(other.can_be_seen) << row.name;
    EXPECT_EQ(other.waits_in(found.scene.exchange), row.waits_here) << row.name;
    EXPECT_EQ(found.lets_others_tell, row.waits_here) << row.name;
    EXPECT_EQ(other.has_passed, row.has_passed) << row.name;
    EXPECT_EQ(other.exchange ? other.exchange->number : 0, row.number) << row.name;
  }
}

TEST(Look, SeesThatAnotherHasTold) {
  EXPECT_TRUE(look_at({{.begun = 7, .ended = 6, .told = 7}}).is_told);
  EXPECT_FALSE(look_at({{.begun = 7, .ended = 6, .told = 6}}).is_told);
  EXPECT_FALSE(look_at({{.communicator = 9, .begun = 7, .ended = 6, .told = 7}}).is_told);
  EXPECT_EQ(look_at({{.begun = 7, .ended = 6, .told_of = 7}}).told_at, kToldAt);
  EXPECT_LT(look_at({{.begun = 7, .ended = 6, .told_of = 6}}).told_at, kToldAt);
}

TEST(Look, AnEndedProcessCannotBeSeen) {
  std::optional<Process> process(std::in_place, std::vector<Written>{{.begun = 7, .ended = 6}});
  Subject subject;
  subject.line = Board::own().take("own", kMembers);
  subject.neighbours = {process->neighbour(0)};
  subject.algorithm = [] { return Subject::Algorithm{}; };
  process.reset();
  const Other other = look(subject, 7, kForms).scene.others.front();
  EXPECT_EQ(other.activity, Activity::ended);
  EXPECT_FALSE(other.can_be_seen);
}

TEST(Board, HasALineForEachOfManyCommunicators) {
  Board board = Board::make();
  std::vector<Line*> lines;
  while (Line* const line = board.take("one", 1)) lines.push_back(line);
  EXPECT_EQ(lines.size(), Board::kLines);
  EXPECT_EQ(board.lines().size(), Board::kLines);
  lines[3]->give_back();
  EXPECT_EQ(board.take("another", 1), lines[3]);
}

}  // namespace
}  // namespace rondo::watch
