// The length of the block from one rank to another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "matrix_file.hpp"
#include "simulate/lengths.hpp"

namespace rondo::bench {

/// A distribution as the user wrote it: "uniform", "window:R", "power:BASE", "normal", "constant",
/// "sparse:K", "mix:FRACTION=SHARE,...", "few:K", "stencil:POINTS", "open_stencil:POINTS", "matrix:FILE" or
/// "market:FILE". "sparse", "few" and the stencils may end in ":same".
struct Distribution {
  enum class Kind { drawn, few, stencil, matrix, market };

  Kind kind = Kind::drawn;
  std::string text = "uniform";
  simulate::Distribution drawn{simulate::Distribution::Kind::uniform};  ///< of Kind::drawn
  std::uint64_t whole = 0;  ///< few: K; stencil: its points
  bool is_periodic = true;  ///< stencil
  bool is_same = false;     ///< a rank sends the same S bytes to all its destinations
  std::string file{};       ///< matrix and market

  bool is(simulate::Distribution::Kind of) const { return kind == Kind::drawn && drawn.kind == of; }
  /// Whether ranks send to the same others for every S.
  bool has_edges() const {
    return kind != Kind::drawn || drawn.kind == simulate::Distribution::Kind::sparse;
  }
  bool has_file() const { return kind == Kind::matrix || kind == Kind::market; }

  /// Throws Error(argument) that says what is wrong and what there is.
  static Distribution parse(std::string_view text);
};

/// What block lengths depend on, apart from the two ranks.
struct Draws {
  int ranks = 1;
  std::uint64_t seed = 0;
  std::size_t bytes = 0;  ///< S
};

/// Block lengths as a pure function of (seed, S, draw, source, destination), so that both ends of a
/// pair compute them without communication, in O(1). With few ranks one draw says little: on two ranks
/// with blocks of 0..64k bytes the same call took 0.8 or 5.9 us, depending on the seed.
///
/// Lengths are drawn as simulate/lengths.hpp says. In addition,
/// power:BASE  each source sends every length once, in an order that it shuffles
/// sparse:K    each source sends to exactly K destinations, or to all if P <= K
/// few:K       all sources send S to the same K destinations, which each draw chooses, else 0
/// stencil, matrix and market: the lengths in a Matrix
class BlockLengths {
 public:
  /// The lengths are those of `matrix` if there is one.
  BlockLengths(const Distribution& distribution, const Draws& draws,
               std::shared_ptr<const Matrix> matrix = nullptr);

  std::size_t operator()(int source, int destination) const;

  /// Whether draws differ from each other.
  bool vary() const;
  /// Whether a rank sends the same memory to all.
  bool are_same() const { return distribution_.is_same; }
  void choose_draw(std::uint64_t draw) { draw_ = draw; }

 private:
  std::size_t drawn(int source, int destination) const;
  /// The place of `destination` in the order that `source` shuffled.
  std::uint64_t place(int source, int destination) const;

  Distribution distribution_;
  Draws draws_;
  simulate::Lengths lengths_;
  std::uint64_t draw_ = 0;
  std::shared_ptr<const Matrix> matrix_;
};

}  // namespace rondo::bench
