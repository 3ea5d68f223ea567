// For an MPI library that the FFTW here is not built for.
#include "fft/library_transform.hpp"

namespace rondo::fft {

bool has_library_transform() {
  return false;
}

template <class Real>
std::unique_ptr<Transform<Real>> make_library_transform(const bench::Communicator&, const Size&,
                                                        const Planning&) {
  throw Error(ErrorClass::argument, text("there is no ", kFftwMpi,
                                         ": when rondo-fft was built, no FFTW was found that is "
                                         "for this MPI library"));
}

template std::unique_ptr<Transform<float>> make_library_transform(const bench::Communicator&,
                                                                  const Size&, const Planning&);
template std::unique_ptr<Transform<double>> make_library_transform(const bench::Communicator&,
                                                                   const Size&, const Planning&);

}  // namespace rondo::fft
