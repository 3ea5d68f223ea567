// FFTW's own MPI transform.
#pragma once

#include "fft/transform.hpp"

namespace rondo::fft {

/// Whether this program was built with it.
bool has_library_transform();

/// Collective. A 1-D transform if the first two lengths are 1, else a 3-D one that leaves x and y
/// transposed, as Slab does. Who holds what is FFTW's choice. Throws Error on all ranks if there is no
/// memory, no plan, a single point, a single plane of x or y, or if it was not built in.
template <class Real>
std::unique_ptr<Transform<Real>> make_library_transform(const bench::Communicator& comm,
                                                        const Size& size, const Planning& planning);

}  // namespace rondo::fft
