// Redistributes an array that is dealt out along one dimension, so that it is dealt out along
// another.
#pragma once

#include <rondo/rondo.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "common/dealing.hpp"
#include "fft/fftw.hpp"
#include "support/communicator.hpp"

namespace rondo::fft {

/// Points dealt out over ranks.
using Dealing = apps::Dealing<std::int64_t>;

/// The array to transpose. Index a is dealt out before, and index b afterwards. For each g, all a
/// and all b there is a vector of `vector` elements. Before, a rank has element g * group_stride +
/// a * stride + b * vector + v for its a, counted from 0, and all b. Afterwards it has,
/// contiguously, [g][its b][all a][v].
struct Arrangement {
  Dealing before;
  Dealing after;
  std::int64_t groups = 1;
  std::int64_t group_stride = 0;
  std::int64_t stride = 0;
  std::int64_t vector = 1;

  bool even() const { return before.even() && after.even(); }
};

/// A part of what every rank has before a transposition: of each rank's a, in order, about as many for
/// every part. What is packed and what is received has the parts one after another.
struct Part {
  std::int64_t number = 0;
  std::int64_t of = 1;

  /// What it has of `count` indices.
  std::int64_t first(std::int64_t count) const { return Dealing(count, of).start(number); }
  std::int64_t size(std::int64_t count) const { return Dealing(count, of).count(number); }
};

/// Transposes a matrix in the memory of one rank. Row r of the matrix begins at `from + r *
/// from_stride`. It becomes column r of a matrix whose rows begin at `to + c * to_stride`: to(c, r)
/// = take(r, c, from(r, c)).
///
/// Eight rows are read at a time: a first-level cache holds that many streams apart even if the
/// rows are a power of two apart. They are read 64 columns at a time, so that their pages stay in
/// the translation buffer while the next rows are read.
template <class Element, class Take>
void turn(const Element* from, std::int64_t from_stride, Element* to, std::int64_t to_stride,
          std::int64_t rows, std::int64_t columns, Take&& take) {
  constexpr std::int64_t kRows = 8;
  constexpr std::int64_t kColumns = 64;
  for (std::int64_t left = 0; left < columns; left += kColumns) {
    const std::int64_t right = std::min(left + kColumns, columns);
    for (std::int64_t top = 0; top < rows; top += kRows) {
      const std::int64_t bottom = std::min(top + kRows, rows);
      for (std::int64_t c = left; c < right; ++c)
        for (std::int64_t r = top; r < bottom; ++r)
          to[c * to_stride + r] = take(r, c, from[r * from_stride + c]);
    }
  }
}

/// Without the special cases for infinities that std::complex's operator has.
template <class Real>
Complex<Real> product(const Complex<Real>& a, const Complex<Real>& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// Three steps: pack() stores the blocks one after the other, transposed so that a runs fastest;
/// exchange() sends them; unpack() places them side by side. pack() and unpack() are local. The
/// exchange is one rondo::alltoall if all blocks are equal, and one rondo::alltoallv otherwise. In
/// its place start() may begin it.
template <class Real>
class Transposition {
 public:
  /// Local. `comm` has as many ranks as the arrangement says, and must outlive this. The elements
  /// are multiplied by `factors`, if there are any, as they are packed, in the order of the array
  /// before the transposition. Factors need a single group, vectors of one element and one part.
  Transposition(const Arrangement& arrangement, const support::Communicator& comm,
                Buffer<Real> factors = Buffer<Real>(0), const Part& part = {})
      : arrangement_(arrangement),
        comm_(comm),
        rank_(comm.rank()),
        part_(part),
        own_(part.size(arrangement.before.count(rank_))),
        factors_(std::move(factors)) {
    const auto& [before, after, groups, group_stride, stride, vector] = arrangement;
    const std::int64_t thickness = groups * vector;
    send_ = side(comm.ranks(), thickness * own_, [&](auto rank) { return after.count(rank); });
    send_.base = thickness * part.first(before.count(rank_)) * after.total();
    receive_ = side(comm.ranks(), thickness * after.count(rank_),
                    [&](auto rank) { return part.size(before.count(rank)); });
    for (std::int64_t rank = 0; rank < comm.ranks(); ++rank)
      receive_.base += thickness * after.count(rank_) * part.first(before.count(rank));
  }

  void pack(const Complex<Real>* from, Complex<Real>* to) const {
    from += part_.first(arrangement_.before.count(rank_)) * arrangement_.stride;
    for (std::int64_t destination = 0; destination < arrangement_.after.parts(); ++destination)
      pack_block(from, to + send_.base + send_.displs[static_cast<std::size_t>(destination)],
                 destination);
  }

  rondo::Request start(const Complex<Real>* from, Complex<Real>* to) const {
    const std::span<const Complex<Real>> sent(from + send_.base, send_.total);
    const std::span<Complex<Real>> received(to + receive_.base, receive_.total);
    if (arrangement_.even()) return rondo::ialltoall(sent, received, comm_.get());
    return rondo::ialltoallv(sent, send_.counts, send_.displs, received, receive_.counts,
                             receive_.displs, comm_.get());
  }

  void exchange(const Complex<Real>* from, Complex<Real>* to) const {
    const std::span<const Complex<Real>> sent(from + send_.base, send_.total);
    const std::span<Complex<Real>> received(to + receive_.base, receive_.total);
    if (arrangement_.even())
      rondo::alltoall(sent, received, comm_.get());
    else
      rondo::alltoallv(sent, send_.counts, send_.displs, received, receive_.counts, receive_.displs,
                       comm_.get());
  }

  void unpack(const Complex<Real>* from, Complex<Real>* to) const {
    const std::int64_t rows = arrangement_.groups * arrangement_.after.count(rank_);
    const std::int64_t length = arrangement_.before.total() * arrangement_.vector;
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t source = 0; source < arrangement_.before.parts(); ++source) {
        const std::int64_t theirs = arrangement_.before.count(source);
        const std::int64_t start =
            (arrangement_.before.start(source) + part_.first(theirs)) * arrangement_.vector;
        const std::int64_t run = part_.size(theirs) * arrangement_.vector;
        const Complex<Real>* block =
            from + receive_.base + receive_.displs[static_cast<std::size_t>(source)];
        std::copy_n(block + row * run, run, to + row * length + start);
      }
  }

 private:
  struct Side {
    std::vector<int> counts;
    std::vector<int> displs;  ///< from `base` on
    std::int64_t base = 0;
    std::size_t total = 0;
  };

  template <class CountOf>
  static Side side(std::int64_t ranks, std::int64_t mine, CountOf&& count_of) {
    Side side;
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      const std::int64_t count = count_of(rank) * mine;
      side.displs.push_back(static_cast<int>(side.total));
      side.counts.push_back(static_cast<int>(count));
      side.total += static_cast<std::size_t>(count);
    }
    return side;
  }

  void pack_block(const Complex<Real>* from, Complex<Real>* to, std::int64_t destination) const {
    const std::int64_t first = arrangement_.after.start(destination);
    const std::int64_t theirs = arrangement_.after.count(destination);
    const std::int64_t vector = arrangement_.vector;
    const std::int64_t stride = arrangement_.stride;
    if (factors_.size() != 0) {
      const Complex<Real>* factors = factors_.data() + first;
      return turn(from + first, stride, to, own_, own_, theirs,
                  [&](std::int64_t row, std::int64_t column, const Complex<Real>& value) {
                    return product(value, factors[row * stride + column]);
                  });
    }
    for (std::int64_t g = 0; g < arrangement_.groups; ++g, to += theirs * own_ * vector) {
      const Complex<Real>* group = from + g * arrangement_.group_stride + first * vector;
      if (vector == 1) {
        turn(group, stride, to, own_, own_, theirs,
             [](std::int64_t, std::int64_t, const Complex<Real>& value) { return value; });
      } else {
        for (std::int64_t b = 0; b < theirs; ++b)
          for (std::int64_t a = 0; a < own_; ++a)
            std::copy_n(group + a * stride + b * vector, vector, to + (b * own_ + a) * vector);
      }
    }
  }

  Arrangement arrangement_;
  const support::Communicator& comm_;
  std::int64_t rank_;
  Part part_;
  std::int64_t own_;  ///< of this rank's a in the part
  Side send_;
  Side receive_;
  Buffer<Real> factors_;
};

}  // namespace rondo::fft
