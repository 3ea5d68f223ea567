// Profiles are read as they were written. Wrong parts are refused by name, and so are foreign profiles.
#include "select/profile.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "profiles.hpp"
#include "refusal.hpp"

namespace rondo::select {
namespace {

using Json = nlohmann::json;

Json sample_json() {
  return Json::parse(to_text(sample_profile()));
}

/// Why parse_profile() refuses a text.
std::string objection(const std::string& text) {
  return test::refusal([&] { parse_profile(text); });
}

void expect_bands(const Bands& found, const Bands& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].up_to, expected[i].up_to);
    EXPECT_EQ(found[i].choice.text(), expected[i].choice.text());
    EXPECT_EQ(found[i].reason, expected[i].reason);
  }
}

TEST(Profile, IsReadAsItWasWritten) {
  const Profile written = sample_profile();
  const std::string text = to_text(written);
  const Profile read = parse_profile(text);
  EXPECT_EQ(to_text(read), text);
  EXPECT_EQ(read.rondo, written.rondo);
  EXPECT_EQ(read.signature, written.signature);
  EXPECT_EQ(read.machine.host.cores, written.signature.cores);
  EXPECT_EQ(read.machine.between.loggp.gap_seconds_per_byte,
            written.machine.between.loggp.gap_seconds_per_byte);
  EXPECT_EQ(read.machine.inside.hockney.alpha_seconds,
            written.machine.inside.hockney.alpha_seconds);
  ASSERT_EQ(read.layouts.size(), written.layouts.size());
  for (std::size_t i = 0; i < read.layouts.size(); ++i) {
    EXPECT_EQ(read.layouts[i].layout, written.layouts[i].layout);
    for (const auto collective : {kUniform, kVariable})
      expect_bands(read.layouts[i].decisions.of(collective),
                   written.layouts[i].decisions.of(collective));
  }
}

TEST(Profile, KnowsWhatItHas) {
  Profile profile = sample_profile();
  EXPECT_EQ(profile.find({.ranks = 64, .nodes = 4, .per_node = 16}), &profile.layouts[0]);
  EXPECT_EQ(profile.find({.ranks = 64, .nodes = 8, .per_node = 8}), nullptr);
  EXPECT_EQ(profile.find({.ranks = 12, .nodes = 6, .per_node = 2}), nullptr)
      << "equal nodes are not those that only count as equal";
  Measured again = profile.layouts[0];
  again.decisions.alltoall.erase(again.decisions.alltoall.begin());
  profile.put(again);
  ASSERT_EQ(profile.layouts.size(), 2u);
  EXPECT_EQ(profile.find(again.layout)->decisions.alltoall.size(), 1u);
}

TEST(Profile, PassesOverWhatItDoesNotKnow) {
  Json json = sample_json();
  json["comment"] = {1, nullptr};
  json["layouts"][0]["seconds"] = 12;
  json["layouts"][0]["alltoall"][1]["up_to"] = "no end, since it is the last";
  EXPECT_EQ(to_text(parse_profile(json.dump())), to_text(sample_profile()));
}

struct WrongRow {
  const char* where;  ///< a JSON pointer
  Json value;         ///< in its place; discarded = nothing
  const char* objection;
};

const Json kNothing = Json(Json::value_t::discarded);

TEST(Profile, RefusesByName) {
  const WrongRow rows[] = {
      {"/schema", kNothing, "profile has no \"schema\""},
      {"/schema", "wisdom", "it is not a rondo-profile"},
      {"/schema", 1, "profile.schema is not text"},
      {"/version", 2, "it is of another version than 1"},
      {"/version", 1.0, "profile.version is not a whole number in 0..9223372036854775807"},
      {"/version", std::uint64_t{1} << 63, "profile.version is not a whole number in"},
      {"/rondo", nullptr, "profile.rondo is not text"},
      {"/rondo", std::string(513, 'a'), "profile.rondo is longer than 512 characters"},
      {"/rondo", "1.0\x1b[2J", "profile.rondo has a control character in it"},
      {"/rondo", "1.0\x7f", "profile.rondo has a control character in it"},
      {"/rondo", "1.0\u009b2J", "profile.rondo has a control character in it"},
      {"/signature", "here", "profile.signature is not an object"},
      {"/signature/mpi", kNothing, "profile.signature has no \"mpi\""},
      {"/signature/processor", Json::array(), "profile.signature.processor is not text"},
      {"/signature/cores", 0, "profile.signature.cores is not a whole number in 1..1073741824"},
      {"/machine", nullptr, "profile.machine is not an object"},
      {"/machine/inside_alpha_seconds", kNothing,
       "profile.machine has no \"inside_alpha_seconds\""},
      {"/machine/arrival_seconds", -1e-9,
       "profile.machine.arrival_seconds is not a number of seconds from 0 to 1000"},
      {"/machine/between_gap_seconds", 1001,
       "profile.machine.between_gap_seconds is not a number of"},
      {"/machine/switch_seconds", "1", "profile.machine.switch_seconds is not a number of seconds"},
      {"/layouts", Json::object(), "profile.layouts is not a list"},
      {"/layouts", Json(Json::array_t(4097)), "profile.layouts has more than 4096 entries"},
      {"/layouts/1", 7, "profile.layouts[1] is not an object"},
      {"/layouts/0/ranks", 0, "profile.layouts[0].ranks is not a whole number in 1..1073741824"},
      {"/layouts/0/nodes", 65, "profile.layouts[0].nodes is not a whole number in 1..64"},
      {"/layouts/0/per_node", 15, "profile.layouts[0] has 64 ranks, but 4 nodes of 15"},
      {"/layouts/0/uneven_nodes", -1,
       "profile.layouts[0].uneven_nodes is not a whole number in 0..64"},
      {"/layouts/0/alltoall", kNothing, "profile.layouts[0] has no \"alltoall\""},
      {"/layouts/0/alltoall", Json::array(), "profile.layouts[0].alltoall is empty"},
      {"/layouts/0/alltoall", Json(Json::array_t(257)),
       "profile.layouts[0].alltoall has more than 256 entries"},
      {"/layouts/0/alltoallv/1", "mpi", "profile.layouts[0].alltoallv[1] is not an object"},
      {"/layouts/0/alltoallv/1/up_to", kNothing,
       "profile.layouts[0].alltoallv[1] has no \"up_to\""},
      {"/layouts/0/alltoallv/1/up_to", 0,
       "profile.layouts[0].alltoallv[1].up_to is not a whole number in 1.."},
      {"/layouts/0/alltoallv/2/reason", 3, "profile.layouts[0].alltoallv[2].reason is not text"},
      {"/layouts/0/alltoall/0/algorithm", "pigeon",
       "profile.layouts[0].alltoall[0].algorithm is 'pigeon': "},
      {"/layouts/0/alltoall/0/algorithm", "auto",
       "profile.layouts[0].alltoall[0].algorithm is 'auto': "},
      {"/layouts/0/alltoall/0/algorithm", "tunable_bruck:radix=1",
       "profile.layouts[0].alltoall[0].algorithm is 'tunable_bruck:radix=1': "},
      {"/layouts/0/alltoall/0/algorithm", "tunable_bruck:radix=4294967298",
       "profile.layouts[0].alltoall[0].algorithm is 'tunable_bruck:radix=4294967298': "},
      {"/layouts/0/alltoallv/1/up_to", 18446744073709551615u,
       "profile.layouts[0].alltoallv[1].up_to is not a whole number in 1.."},
  };
  for (const WrongRow& row : rows) {
    SCOPED_TRACE(row.objection);
    Json json = sample_json();
    const Json::json_pointer where(row.where);
    if (row.value.is_discarded())
      json.at(where.parent_pointer()).erase(where.back());
    else
      json[where] = row.value;
    EXPECT_TRUE(objection(json.dump()).starts_with(row.objection)) << objection(json.dump());
  }
}

TEST(Profile, RefusesWhatIsNoJson) {
  const char* const kNoJson = "it is not valid JSON (truncated?)";
  EXPECT_EQ(objection(""), kNoJson);
  EXPECT_EQ(objection("{} {}"), kNoJson);
  EXPECT_EQ(objection("{\"schema\": \"\xff\"}"), kNoJson);
  EXPECT_EQ(objection("{\"schema\": 1e999}"), kNoJson);
  EXPECT_EQ(objection("[]"), "profile is not an object");
  EXPECT_EQ(objection(std::string(kLongestProfile + 1, ' ')), "it is longer than 4194304 bytes");
}

TEST(Profile, HoldsWhereItsSignatureDoes) {
  const Profile profile = sample_profile();
  const Signature here = profile.signature;
  EXPECT_EQ(refusal(profile, here), "");
  Signature other = here;
  other.mpi = "Other MPI v3";
  EXPECT_EQ(refusal(profile, other), "it is of 'Some MPI v1.2', this is 'Other MPI v3'");
  other = here;
  other.cores = 47;
  EXPECT_EQ(refusal(profile, other),
            "it is of a machine with 48 cores 'A Processor', this one has 47 'A Processor'");
  other = here;
  other.processor = "Another";
  EXPECT_NE(refusal(profile, other), "");
  Profile stale = profile;
  stale.rondo = "0.0.9";
  EXPECT_EQ(refusal(stale, here), text("it is of Rondo 0.0.9, this is ", kVersion));
  stale.rondo = std::string(kVersion.substr(0, kVersion.rfind('.'))) + ".77";
  EXPECT_EQ(refusal(stale, here), "") << "a patch does not choose differently";
}

TEST(Signature, IsOfThisMachine) {
  const Signature here = signature_here("Some MPI v1.2, package: x\nmore");
  EXPECT_EQ(here.mpi, "Some MPI v1.2");
  EXPECT_EQ(signature_here("MPICH Version:\t4.0.2\nrest").mpi, "MPICH Version: 4.0.2");
  EXPECT_FALSE(here.processor.empty());
  EXPECT_GE(here.cores, 1);
}

}  // namespace
}  // namespace rondo::select
