// Every draw is a function of the seed and of what is drawn, so that no rank needs another's.
//
// road: crossings on a square grid, neighbours joined by streets of kStreetEdges edges whose inner
// vertices have no other edge. Every street is one-way, which way is drawn, and some are closed in
// the middle. How far one can drive is then percolation: with kOpen of the streets open it stays
// below the threshold at which everything is reached from everywhere, and ways are few and long. Of
// 114,599 vertices, 51 are reached from one in the mean, and the longest shortest path has some 250
// edges; of the road map luxembourg_osm (University of Florida collection), each street in one
// direction, these are 44 and 426, at 1.04 edges a vertex where this one has 1.00.
#include "closure/generator.hpp"

#include <bit>
#include <charconv>
#include <optional>

#include "base/error.hpp"
#include "base/mix.hpp"
#include "closure/share.hpp"
#include "hash.hpp"

namespace rondo::closure {

namespace {

constexpr std::uint64_t kMostVertices = std::uint64_t{1} << 48;
constexpr std::uint64_t kLargestScale = 40;

constexpr std::uint64_t kStreetEdges = 16;
constexpr double kOpen = 0.5;

/// R-MAT's chances of the quadrants (near, near), (near, far) and (far, near), as Graph500 has them.
constexpr double kQuadrants[] = {0.57, 0.19, 0.19};
constexpr std::uint64_t kUsualEdges = 1;

std::uint64_t draw(std::uint64_t seed, std::uint64_t thing, std::uint64_t number) {
  return mix(mix(mix(seed + kGoldenGamma) + thing) * 3 + number + kGoldenGamma);
}

std::optional<std::uint64_t> parse_size(std::string_view word, std::uint64_t largest) {
  std::uint64_t size = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), size);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  if (size < 1 || size > largest) return std::nullopt;
  return size;
}

/// Numbers between commas; none if one of them is not.
std::vector<std::uint64_t> parse_sizes(std::string_view words, std::uint64_t largest) {
  std::vector<std::uint64_t> sizes;
  for (bool more = true; more;) {
    const std::size_t comma = words.find(',');
    const std::optional<std::uint64_t> size = parse_size(words.substr(0, comma), largest);
    if (!size) return {};
    sizes.push_back(*size);
    more = comma != std::string_view::npos;
    if (more) words.remove_prefix(comma + 1);
  }
  return sizes;
}

std::vector<Edge> make_chain(const Generator& chain, std::uint64_t part, std::uint64_t parts) {
  std::vector<Edge> edges;
  const Share mine = share_of(chain.vertices - 1, part, parts);
  for (std::uint64_t i = mine.first; i < mine.last; ++i) edges.push_back({i, i + 1});
  return edges;
}

/// A crossing's vertices are consecutive: itself, the inner ones of its street to the right, and
/// those of its street downwards.
constexpr std::uint64_t kCrossingVertices = 2 * kStreetEdges - 1;

struct Street {
  std::uint64_t begin;  ///< a crossing
  std::uint64_t inner;  ///< the first vertex inside
  std::uint64_t end;    ///< the other crossing
};

void add_street(const Street& street, std::uint64_t bits, std::uint64_t vertices,
                std::vector<Edge>& edges) {
  const bool forward = (bits & 1) != 0;
  const bool open = bench::unit_interval(bits) < kOpen;
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

std::vector<Edge> make_roads(const Generator& road, std::uint64_t seed, std::uint64_t part,
                             std::uint64_t parts) {
  std::vector<Edge> edges;
  const std::uint64_t crossings = (road.vertices + kCrossingVertices - 1) / kCrossingVertices;
  const std::uint64_t width = square_root(crossings);
  const std::uint64_t nowhere = road.vertices;
  const Share mine = share_of(crossings, part, parts);
  for (std::uint64_t i = mine.first; i < mine.last; ++i) {
    const std::uint64_t here = i * kCrossingVertices;
    const std::uint64_t right = i % width + 1 < width ? here + kCrossingVertices : nowhere;
    const std::uint64_t below = here + width * kCrossingVertices;
    add_street({here, here + 1, right}, draw(seed, i, 0), road.vertices, edges);
    add_street({here, here + kStreetEdges, below}, draw(seed, i, 1), road.vertices, edges);
  }
  return edges;
}

Edge draw_rmat_edge(std::uint64_t seed, std::uint64_t number, int levels) {
  Edge edge;
  for (int level = 0; level < levels; ++level) {
    const double chance =
        bench::unit_interval(draw(seed, number, static_cast<std::uint64_t>(level)));
    int quadrant = 0;
    for (double below = 0; quadrant < 3; ++quadrant)
      if (chance < (below += kQuadrants[quadrant])) break;
    edge.from = edge.from * 2 + static_cast<std::uint64_t>(quadrant / 2);
    edge.to = edge.to * 2 + static_cast<std::uint64_t>(quadrant % 2);
  }
  return edge;
}

std::vector<Edge> draw_edges(const Generator& generator, std::uint64_t seed, std::uint64_t part,
                             std::uint64_t parts) {
  std::vector<Edge> edges;
  const int levels = std::countr_zero(generator.vertices);
  const std::uint64_t last = generator.vertices - 1;
  const Share mine = share_of(generator.edges, part, parts);
  for (std::uint64_t i = mine.first; i < mine.last; ++i)
    edges.push_back(
        generator.kind == Generator::Kind::rmat
            ? draw_rmat_edge(seed, i, levels)
            : Edge{between(draw(seed, i, 0), 0, last), between(draw(seed, i, 1), 0, last)});
  return edges;
}

}  // namespace

Generator parse_generator(const std::string& given) {
  using Kind = Generator::Kind;
  const std::size_t colon = std::min(given.find(':'), given.size());
  const std::string name = given.substr(0, colon);
  const std::vector<std::uint64_t> sizes =
      parse_sizes(std::string_view(given).substr(std::min(colon + 1, given.size())), kMostVertices);
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
                   "' is none of chain:N, road:N, rmat:SCALE, rmat:SCALE,EDGES and random:N,M with "
                   "numbers of 1 .. 2^48 (SCALE: 1 .. ",
                   kLargestScale, ")"));
}

std::vector<Edge> generate(const Generator& generator, std::uint64_t seed, std::uint64_t part,
                           std::uint64_t parts) {
  switch (generator.kind) {
    case Generator::Kind::chain:
      return make_chain(generator, part, parts);
    case Generator::Kind::road:
      return make_roads(generator, seed, part, parts);
    case Generator::Kind::rmat:
    case Generator::Kind::random:
      return draw_edges(generator, seed, part, parts);
  }
  throw Error(ErrorClass::other, "no such generator");
}

}  // namespace rondo::closure
