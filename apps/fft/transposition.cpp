#include "fft/transposition.hpp"

#include <algorithm>

#include "fft/turn.hpp"

namespace rondo::fft {

namespace {

/// Without the special cases for infinities that the operator of std::complex has.
template <class Real>
Complex<Real> product(const Complex<Real>& a, const Complex<Real>& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

}  // namespace

template <class Real>
Transposition<Real>::Transposition(const Arrangement& arrangement, const bench::Communicator& comm,
                                   Buffer<Real> factors)
    : arrangement_(arrangement), comm_(comm), rank_(comm.rank()), factors_(std::move(factors)) {
  const std::int64_t thickness = arrangement.groups * arrangement.vector;
  send_ = side(arrangement.after, thickness * arrangement.before.count(rank_));
  receive_ = side(arrangement.before, thickness * arrangement.after.count(rank_));
}

template <class Real>
typename Transposition<Real>::Side Transposition<Real>::side(const Dealing& theirs,
                                                             std::int64_t mine) {
  Side side;
  for (int rank = 0; rank < theirs.ranks(); ++rank) {
    side.displs.push_back(static_cast<int>(theirs.start(rank) * mine));
    side.counts.push_back(static_cast<int>(theirs.count(rank) * mine));
  }
  side.total = static_cast<std::size_t>(theirs.total() * mine);
  return side;
}

template <class Real>
void Transposition<Real>::pack(const Complex<Real>* from, Complex<Real>* to) const {
  for (int destination = 0; destination < arrangement_.after.ranks(); ++destination)
    pack_block(from, to + send_.displs[static_cast<std::size_t>(destination)], destination);
}

template <class Real>
void Transposition<Real>::pack_block(const Complex<Real>* from, Complex<Real>* to,
                                     int destination) const {
  const std::int64_t own = arrangement_.before.count(rank_);
  const std::int64_t first = arrangement_.after.start(destination);
  const std::int64_t theirs = arrangement_.after.count(destination);
  const std::int64_t vector = arrangement_.vector;
  const std::int64_t stride = arrangement_.stride;
  if (factors_.size() != 0) {
    const Complex<Real>* factors = factors_.data() + first;
    return turn(from + first, stride, to, own, own, theirs,
                [&](std::int64_t row, std::int64_t column, const Complex<Real>& value) {
                  return product(value, factors[row * stride + column]);
                });
  }
  for (std::int64_t g = 0; g < arrangement_.groups; ++g, to += theirs * own * vector) {
    const Complex<Real>* group = from + g * arrangement_.group_stride + first * vector;
    if (vector == 1) {
      turn(group, stride, to, own, own, theirs,
           [](std::int64_t, std::int64_t, const Complex<Real>& value) { return value; });
    } else {
      for (std::int64_t b = 0; b < theirs; ++b)
        for (std::int64_t a = 0; a < own; ++a)
          std::copy_n(group + a * stride + b * vector, vector, to + (b * own + a) * vector);
    }
  }
}

template <class Real>
void Transposition<Real>::exchange(const Complex<Real>* from, Complex<Real>* to) const {
  const std::span<const Complex<Real>> sent(from, send_.total);
  const std::span<Complex<Real>> received(to, receive_.total);
  if (arrangement_.even())
    rondo::alltoall(sent, received, comm_.get());
  else
    rondo::alltoallv(sent, send_.counts, send_.displs, received, receive_.counts, receive_.displs,
                     comm_.get());
}

template <class Real>
void Transposition<Real>::unpack(const Complex<Real>* from, Complex<Real>* to) const {
  const std::int64_t rows = arrangement_.groups * arrangement_.after.count(rank_);
  const std::int64_t length = arrangement_.before.total() * arrangement_.vector;
  for (std::int64_t row = 0; row < rows; ++row)
    for (int source = 0; source < arrangement_.before.ranks(); ++source) {
      const std::int64_t start = arrangement_.before.start(source) * arrangement_.vector;
      const std::int64_t run = arrangement_.before.count(source) * arrangement_.vector;
      std::copy_n(from + start * rows + row * run, run, to + row * length + start);
    }
}

template class Transposition<float>;
template class Transposition<double>;

}  // namespace rondo::fft
