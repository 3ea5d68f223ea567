// Every random number is a function of the seed and of what it is for, so no rank needs another
// rank's numbers.
//
// road: crossings on a square grid. Neighbours are joined by streets of kStreetEdges edges, whose
// inner vertices have no other edge. Every street is one-way in a random direction, and some are
// closed in the middle. How far one can drive is then a percolation problem. With kOpen of the
// streets open, the graph stays below the threshold at which everything is reachable from
// everywhere, and paths are few and long. Of 114,599 vertices, 51 are reachable from one on
// average, and the longest shortest path has some 250 edges. The road map luxembourg_osm
// (University of Florida collection), each street in one direction, has 44 and 426, with 1.04 edges
// per vertex where this graph has 1.00.
#include "closure/generator.hpp"

#include <bit>

#include "base/error.hpp"
#include "base/mix.hpp"
#include "common/dealing.hpp"
#include "support/text.hpp"

namespace rondo::closure {

namespace {

constexpr std::uint64_t kMostVertices = std::uint64_t{1} << 48;
constexpr std::uint64_t kLargestScale = 40;

constexpr std::uint64_t kStreetEdges = 16;
constexpr double kOpen = 0.5;

/// R-MAT's probabilities of the quadrants (near, near), (near, far) and (far, near), as in
/// Graph500.
constexpr double kQuadrants[] = {0.57, 0.19, 0.19};
constexpr std::uint64_t kUsualEdges = 1;

std::uint64_t draw(std::uint64_t seed, std::uint64_t thing, std::uint64_t number) {
  return mix(mix(mix(seed + kGoldenGamma) + thing) * 3 + number + kGoldenGamma);
}

/// Numbers from 1 to kMostVertices, separated by commas; empty if one of them is invalid.
std::vector<std::uint64_t> parse_sizes(std::string_view words) {
  std::vector<std::uint64_t> sizes;
  for (const std::string& word : support::split_at_commas(words)) {
    std::uint64_t& size = sizes.emplace_back();
    if (!support::read_number(word, size) || size < 1 || size > kMostVertices) return {};
  }
  return sizes;
}

/// The part of the things 0, 1, 2, ... that one rank makes.
struct Share {
  std::uint64_t part;
  std::uint64_t parts;

  template <class Visit>
  void for_each(std::uint64_t total, Visit&& visit) const {
    const apps::Dealing<std::uint64_t> dealing(total, parts);
    for (std::uint64_t i = dealing.start(part); i < dealing.start(part + 1); ++i) visit(i);
  }
};

/// A crossing has consecutive vertices: itself, the inner vertices of its street to the right, and
/// those of its street downwards.
constexpr std::uint64_t kCrossingVertices = 2 * kStreetEdges - 1;

struct Street {
  std::uint64_t begin;  ///< a crossing
  std::uint64_t inner;  ///< the first inner vertex
  std::uint64_t end;    ///< the other crossing
};

void add_street(const Street& street, std::uint64_t bits, std::uint64_t vertices,
                std::vector<Edge>& edges) {
  const bool forward = (bits & 1) != 0;
  const bool open = unit_interval(bits) < kOpen;
  std::uint64_t last = street.begin;
  for (std::uint64_t i = 0; i < kStreetEdges; ++i) {
    const std::uint64_t next = i + 1 < kStreetEdges ? street.inner + i : street.end;
    const bool there = last < vertices && next < vertices && (open || i != kStreetEdges / 2);
    if (there) edges.push_back(forward ? Edge{last, next} : Edge{next, last});
    last = next;
  }
}

std::uint64_t square_root(std::uint64_t number) {
  std::uint64_t root = 1;
  while (root * root < number) ++root;
  return root;
}

void make_roads(const Generator& road, std::uint64_t seed, const Share& share,
                std::vector<Edge>& edges) {
  const std::uint64_t crossings = (road.vertices + kCrossingVertices - 1) / kCrossingVertices;
  const std::uint64_t width = square_root(crossings);
  const std::uint64_t nowhere = road.vertices;
  share.for_each(crossings, [&](std::uint64_t i) {
    const std::uint64_t here = i * kCrossingVertices;
    const std::uint64_t right = i % width + 1 < width ? here + kCrossingVertices : nowhere;
    const std::uint64_t below = here + width * kCrossingVertices;
    add_street({here, here + 1, right}, draw(seed, i, 0), road.vertices, edges);
    add_street({here, here + kStreetEdges, below}, draw(seed, i, 1), road.vertices, edges);
  });
}

Edge draw_rmat_edge(std::uint64_t seed, std::uint64_t number, int levels) {
  Edge edge;
  for (int level = 0; level < levels; ++level) {
    const double chance = unit_interval(draw(seed, number, static_cast<std::uint64_t>(level)));
    int quadrant = 0;
    for (double below = 0; quadrant < 3; ++quadrant)
      if (chance < (below += kQuadrants[quadrant])) break;
    edge.from = edge.from * 2 + static_cast<std::uint64_t>(quadrant / 2);
    edge.to = edge.to * 2 + static_cast<std::uint64_t>(quadrant % 2);
  }
  return edge;
}

}  // namespace

Generator parse_generator(const std::string& given) {
  using Kind = Generator::Kind;
  const std::size_t colon = std::min(given.find(':'), given.size());
  const std::string name = given.substr(0, colon);
  const std::vector<std::uint64_t> sizes =
      parse_sizes(std::string_view(given).substr(std::min(colon + 1, given.size())));
  if (name == "chain" && sizes.size() == 1) return {Kind::chain, sizes[0], 0};
  if (name == "road" && sizes.size() == 1) return {Kind::road, sizes[0], 0};
  if (name == "random" && sizes.size() == 2) return {Kind::random, sizes[0], sizes[1]};
  if (name == "rmat" && !sizes.empty() && sizes.size() <= 2 && sizes[0] <= kLargestScale) {
    const std::uint64_t vertices = std::uint64_t{1} << sizes[0];
    const std::uint64_t edges = sizes.size() == 2 ? sizes[1] : kUsualEdges;
    if (edges <= kMostVertices / vertices) return {Kind::rmat, vertices, vertices * edges};
  }
  throw Error(ErrorClass::argument,
              text("--generate: '", given,
                   "' is not chain:N, road:N, rmat:SCALE, rmat:SCALE,EDGES or random:N,M with "
                   "numbers of 1 .. 2^48 (SCALE: 1 .. ",
                   kLargestScale, ")"));
}

std::vector<Edge> generate(const Generator& generator, std::uint64_t seed, std::uint64_t part,
                           std::uint64_t parts) {
  const Share share{part, parts};
  const std::uint64_t last = generator.vertices - 1;
  std::vector<Edge> edges;
  switch (generator.kind) {
    case Generator::Kind::chain:
      share.for_each(last, [&](std::uint64_t i) { edges.push_back({i, i + 1}); });
      break;
    case Generator::Kind::road:
      make_roads(generator, seed, share, edges);
      break;
    case Generator::Kind::rmat:
      share.for_each(generator.edges, [&](std::uint64_t i) {
        edges.push_back(draw_rmat_edge(seed, i, std::countr_zero(generator.vertices)));
      });
      break;
    case Generator::Kind::random:
      share.for_each(generator.edges, [&](std::uint64_t i) {
        edges.push_back({between(draw(seed, i, 0), 0, last), between(draw(seed, i, 1), 0, last)});
      });
      break;
  }
  return edges;
}

}  // namespace rondo::closure
