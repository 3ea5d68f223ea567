// An array that is dealt out along one dimension becomes dealt out along another.
#pragma once

#include <rondo/rondo.hpp>

#include <cstdint>
#include <span>
#include <vector>

#include "communicator.hpp"
#include "fft/dealing.hpp"
#include "fft/fftw.hpp"

namespace rondo::fft {

/// What is transposed. Of all a (dealt out before) and b (dealt out afterwards) there are, for each
/// g, vectors of `vector` elements. A rank has before, for all its a and all b, element
/// g * group_stride + a * stride + b * vector + v, where a counts its own from 0; afterwards, in one
/// piece, [g][its b][all a][v].
struct Arrangement {
  Dealing before;
  Dealing after;
  std::int64_t groups = 1;
  std::int64_t group_stride = 0;
  std::int64_t stride = 0;
  std::int64_t vector = 1;

  bool even() const { return before.even() && after.even(); }
};

/// Three steps: pack() puts blocks one after the other, turned so that a runs fastest; exchange()
/// sends them; unpack() puts them side by side. pack() and unpack() are local. A transposition where
/// all blocks are equal is one rondo::alltoall, any other one rondo::alltoallv.
template <class Real>
class Transposition {
 public:
  /// Local. `comm` has as many ranks as the arrangement says and outlives this. `factors`, if there
  /// are any, are multiplied to the elements as they are packed, in the order of the array before;
  /// only with one group and vectors of one element.
  Transposition(const Arrangement& arrangement, const bench::Communicator& comm,
                Buffer<Real> factors = Buffer<Real>(0));

  void pack(const Complex<Real>* from, Complex<Real>* to) const;
  void exchange(const Complex<Real>* from, Complex<Real>* to) const;
  void unpack(const Complex<Real>* from, Complex<Real>* to) const;

 private:
  struct Side {
    std::vector<int> counts;
    std::vector<int> displs;
    std::size_t total = 0;
  };
  static Side side(const Dealing& theirs, std::int64_t mine);
  void pack_block(const Complex<Real>* from, Complex<Real>* to, int destination) const;

  Arrangement arrangement_;
  const bench::Communicator& comm_;
  int rank_;
  Side send_;
  Side receive_;
  Buffer<Real> factors_;
};

extern template class Transposition<float>;
extern template class Transposition<double>;

}  // namespace rondo::fft
