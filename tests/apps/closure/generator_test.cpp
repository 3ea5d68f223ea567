// Generated graphs are the same for any number of ranks, and have the properties of their kind.
#include "closure/generator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "refusal.hpp"

namespace rondo::closure {
namespace {

std::vector<Edge> whole(const std::string& name, std::uint64_t seed, std::uint64_t parts) {
  std::vector<Edge> edges;
  for (std::uint64_t part = 0; part < parts; ++part) {
    const std::vector<Edge> more = generate(parse_generator(name), seed, part, parts);
    edges.insert(edges.end(), more.begin(), more.end());
  }
  return edges;
}

const char* const kGraphs[] = {"chain:1",    "chain:50",     "road:1",        "road:31",
                               "road:1000",  "rmat:1",       "rmat:7",        "rmat:7,3",
                               "random:1,1", "random:40,90", "random:900,17", "road:32"};

TEST(Generator, TheSameForAnyNumberOfRanks) {
  for (const char* graph : kGraphs) {
    const std::vector<Edge> edges = whole(graph, 5, 1);
    const std::uint64_t vertices = parse_generator(graph).vertices;
    for (const Edge& edge : edges) ASSERT_LT(std::max(edge.from, edge.to), vertices) << graph;
    for (const std::uint64_t parts : {2, 3, 7, 16, 1000})
      EXPECT_EQ(whole(graph, 5, parts), edges) << graph << ' ' << parts;
  }
}

TEST(Generator, SeedsMatterWhereSomethingIsDrawn) {
  for (const char* graph : {"road:1000", "rmat:7", "random:40,90"})
    EXPECT_NE(whole(graph, 1, 1), whole(graph, 2, 1)) << graph;
}

TEST(Generator, AChainIsOne) {
  EXPECT_EQ(whole("chain:4", 1, 1), (std::vector<Edge>{{0, 1}, {1, 2}, {2, 3}}));
  EXPECT_TRUE(whole("chain:1", 1, 1).empty());
}

TEST(Generator, SizesAreAsAsked) {
  EXPECT_EQ(whole("random:40,90", 1, 1).size(), 90U);
  EXPECT_EQ(whole("rmat:6", 1, 1).size(), 64U);
  EXPECT_EQ(whole("rmat:6,5", 1, 1).size(), 320U);
}

TEST(Generator, RmatHasHubs) {
  std::map<std::uint64_t, int> degrees;
  for (const Edge& edge : whole("rmat:10,4", 1, 1)) ++degrees[edge.from];
  int largest = 0;
  for (const auto& [vertex, degree] : degrees) largest = std::max(largest, degree);
  EXPECT_GT(largest, 40);  // the mean is 4
}

TEST(Generator, RoadsAreLongAndNarrow) {
  const std::vector<Edge> edges = whole("road:20000", 1, 1);
  std::set<std::uint64_t> vertices;
  std::map<std::uint64_t, int> degrees;
  for (const Edge& edge : edges) {
    vertices.insert({edge.from, edge.to});
    for (const std::uint64_t end : {edge.from, edge.to}) EXPECT_LE(++degrees[end], 4);
    EXPECT_NE(edge.from, edge.to);
  }
  EXPECT_EQ(std::set<Edge>(edges.begin(), edges.end()).size(), edges.size());
  EXPECT_GT(vertices.size(), 19500U);
  EXPECT_NEAR(static_cast<double>(edges.size()) / 20000, 1.0, 0.05);
}

TEST(Generator, WrongNames) {
  for (const char* name :
       {"", "chain", "chain:", "chain:0", "chain:-3", "chain:1,2", "chain:5x", "road:", "rmat:0",
        "rmat:41", "rmat:40,1000000", "rmat:5,", "random:5", "random:5,", "random:,5",
        "random:1,2,3", "tree:5", "chain:999999999999999999999", "chain:5:6"})
    EXPECT_TRUE(test::says(test::refusal([&] { parse_generator(name); }), "chain:N")) << name;
}

}  // namespace
}  // namespace rondo::closure
