// The text of what a rank that waits has found.
#include "watch/scene.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace rondo::watch {
namespace {

Exchange here() {
  return {.number = 41,
          .form = "alltoallv",
          .is_in_library = false,
          .communicator = "MPI_COMM_WORLD",
          .is_same_communicator = true};
}

Other other(int rank, std::optional<Exchange> exchange, Activity activity = Activity::runs) {
  Other other;
  other.rank = rank;
  other.rank_of_job = 10 + rank;
  other.process = 100 + rank;
  other.activity = activity;
  other.exchange = std::move(exchange);
  return other;
}

Scene scene_with(std::vector<Other> others) {
  Scene scene;
  scene.rank = 1;
  scene.ranks = static_cast<int>(others.size()) + 1;
  scene.process = 101;
  scene.node = "n1";
  scene.members = "all of the job";
  scene.milliseconds = 60'250;
  scene.exchange = here();
  scene.algorithm = "node_aware";
  scene.bytes = 48;
  scene.longest = 12;
  scene.others = std::move(others);
  return scene;
}

TEST(Scene, Ranges) {
  EXPECT_EQ(ranges_of({}), "");
  EXPECT_EQ(ranges_of({3}), "3");
  EXPECT_EQ(ranges_of({0, 1, 2, 5, 7, 8}), "0-2,5,7-8");
}

TEST(Scene, Seconds) {
  EXPECT_EQ(seconds_of(60'000), "60 s");
  EXPECT_EQ(seconds_of(60'099), "60 s");
  EXPECT_EQ(seconds_of(1'540), "1.5 s");
}

TEST(Scene, IsABlock) {
  EXPECT_EQ(text_of(scene_with(
                {other(0, here()), other(2, here()), other(3, std::nullopt, Activity::sleeps)})),
            "rondo: watch: rank 1 (process 101 on n1) has waited for 60.2 s in exchange 41 on "
            "MPI_COMM_WORLD\n"
            "rondo: watch:   communicator: 4 ranks, all of the job\n"
            "rondo: watch:   exchange: alltoallv by node_aware; this rank sends 48 bytes, at most "
            "12 to a rank\n"
            "rondo: watch:   waiting here: ranks 0-2\n"
            "rondo: watch:   missing: rank 3 (rank 13 of the job, process 103): in no exchange; it "
            "sleeps\n");
}

Exchange changed(void (*change)(Exchange&)) {
  Exchange exchange = here();
  change(exchange);
  return exchange;
}

Other unseen(Activity activity) {
  Other one = other(2, std::nullopt, activity);
  one.can_be_seen = false;
  return one;
}

struct MissingRow {
  Other other;
  const char* text;
};

const MissingRow kMissing[] = {
    {other(2, std::nullopt), "in no exchange; it runs"},
    {other(2, std::nullopt, Activity::stopped),
     "stopped, by a signal or a debugger, in no exchange"},
    {other(2, here(), Activity::stopped), "stopped, by a signal or a debugger, in this exchange"},
    {unseen(Activity::stopped), "stopped, by a signal or a debugger, where it was"},
    {unseen(Activity::ended), "its process has ended"},
    {unseen(Activity::runs), "runs, but its memory may not be looked at"},
    {other(2, changed([](Exchange& one) { one.form = "alltoall"; })),
     "calls alltoall where this rank calls alltoallv"},
    {other(2, changed([](Exchange& one) { one.number = 40; })),
     "in exchange 40 on this communicator: alltoallv"},
    {other(2, changed([](Exchange& one) {
             one.communicator = "row";
             one.is_same_communicator = false;
             one.is_in_library = true;
           })),
     "in exchange 41 on row: MPI_Alltoallv of the MPI library"},
    {other(2, changed([](Exchange& one) {
             one.communicator = "row";
             one.is_same_communicator = false;
             one.form = "";
           })),
     "in exchange 41 on row: the first exchange there"},
};

TEST(Scene, SaysWhereAMissingRankIs) {
  for (const MissingRow& row : kMissing) {
    const std::string block = text_of(scene_with({row.other}));
    const std::string line =
        text("  missing: rank 2 (rank 12 of the job, process 102): ", row.text, "\n");
    EXPECT_NE(block.find(line), block.npos) << block;
    EXPECT_NE(block.find("waiting here: rank 1\n"), block.npos) << block;
  }
}

TEST(Scene, WhoHasPassedIsNotMissing) {
  Other passed = other(2, changed([](Exchange& one) { one.number = 42; }));
  passed.has_passed = true;
  const std::string block = text_of(scene_with({passed}));
  EXPECT_NE(block.find("  have passed it: ranks 2\n"), block.npos) << block;
  EXPECT_EQ(block.find("missing: rank"), block.npos) << block;
}

TEST(Scene, WhoHasPassedAndHasEndedIsMissing) {
  for (const Activity gone : {Activity::ended, Activity::stopped}) {
    Other passed = unseen(gone);
    passed.has_passed = true;
    const std::string block = text_of(scene_with({passed}));
    EXPECT_EQ(block.find("have passed it"), block.npos) << block;
    EXPECT_NE(block.find("missing: rank 2"), block.npos) << block;
  }
}

TEST(Scene, AllMayHaveCome) {
  Scene scene = scene_with({other(0, here())});
  EXPECT_NE(text_of(scene).find("no rank is missing: the exchange takes long"), std::string::npos);
  scene.on_other_nodes = {2, 3};
  const std::string block = text_of(scene);
  EXPECT_NE(block.find("no rank of this node is missing\n"), block.npos) << block;
  EXPECT_NE(block.find("on other nodes: ranks 2-3;"), block.npos) << block;
}

TEST(Scene, SaysWhyItDoesNotKnowRanks) {
  Scene scene = scene_with({});
  scene.unknown = {2, 3};
  EXPECT_NE(text_of(scene).find("not known to this rank: ranks 2-3; they cannot tell it where"),
            std::string::npos);
  scene.is_first = true;
  EXPECT_NE(text_of(scene).find("not known to this rank: ranks 2-3; it is the first exchange"),
            std::string::npos);
}

TEST(Scene, TheLibraryIsNamed) {
  Scene scene = scene_with({});
  scene.exchange.is_in_library = true;
  EXPECT_NE(text_of(scene).find("exchange: MPI_Alltoallv of the MPI library; this rank sends 48"),
            std::string::npos);
  scene.exchange.form = "sparse_alltoallv";
  EXPECT_NE(text_of(scene).find("exchange: MPI_Alltoallv of the MPI library"), std::string::npos);
}

}  // namespace
}  // namespace rondo::watch
