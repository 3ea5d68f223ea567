// FFTW's own MPI transform, if the installed FFTW was built for this MPI library.
#ifdef RONDO_FFTW_MPI
#include <fftw3-mpi.h>
#endif

#include <algorithm>

#include "fft/transform.hpp"

namespace rondo::fft {

#ifdef RONDO_FFTW_MPI

namespace {

/// FFTW's names of its MPI functions.
template <class Real>
struct FftwMpi;

#define RONDO_FFTW_MPI_NAMES(Real, NAME)                                \
  template <>                                                           \
  struct FftwMpi<Real> {                                                \
    static constexpr auto kInit = NAME(mpi_init);                       \
    static constexpr auto kPlan1d = NAME(mpi_plan_dft_1d);              \
    static constexpr auto kPlan3d = NAME(mpi_plan_dft_3d);              \
    static constexpr auto kSize1d = NAME(mpi_local_size_1d);            \
    static constexpr auto kSize3d = NAME(mpi_local_size_3d_transposed); \
  };
RONDO_FFTW_MPI_NAMES(double, FFTW_MANGLE_DOUBLE)
RONDO_FFTW_MPI_NAMES(float, FFTW_MANGLE_FLOAT)
#undef RONDO_FFTW_MPI_NAMES

/// What a rank has at both ends of a leg, and how many elements a buffer needs.
struct Ends {
  Layout from;
  Layout to;
  std::ptrdiff_t elements = 0;
};

template <class Real>
Ends ends_of_line(std::int64_t points, MPI_Comm comm, int sign, unsigned effort) {
  std::ptrdiff_t in = 0;
  std::ptrdiff_t in_start = 0;
  std::ptrdiff_t out = 0;
  std::ptrdiff_t out_start = 0;
  const std::ptrdiff_t elements =
      FftwMpi<Real>::kSize1d(points, comm, sign, effort, &in, &in_start, &out, &out_start);
  return {part_of_line(in_start, in), part_of_line(out_start, out), elements};
}

template <class Real>
Ends ends_of_slab(const Size& size, MPI_Comm comm, int sign) {
  const auto [nx, ny, nz] = size;
  std::ptrdiff_t x = 0;
  std::ptrdiff_t x_start = 0;
  std::ptrdiff_t y = 0;
  std::ptrdiff_t y_start = 0;
  const std::ptrdiff_t elements =
      FftwMpi<Real>::kSize3d(nx, ny, nz, comm, &x, &x_start, &y, &y_start);
  const Layout natural{{Extent{x_start, x, ny * nz}, Extent{0, ny, nz}, Extent{0, nz, 1}}};
  const Layout transformed{{Extent{y_start, y, nz}, Extent{0, nx, ny * nz}, Extent{0, nz, 1}}};
  if (sign == FFTW_FORWARD) return {natural, transformed, elements};
  return {transformed, natural, elements};
}

/// FFTW 3.3.10 ends the program for a single point. With one plane of x or of y it makes no plan or
/// leaves the points in another order.
bool is_possible(const Size& size) {
  const auto [nx, ny, nz] = size;
  return nx == 1 && ny == 1 ? nz > 1 : nx > 1 && ny > 1;
}

template <class Real>
class ByLibrary : public Transform<Real> {
 public:
  ByLibrary(const support::Communicator& parent, const Size& size, const Planning& planning)
      : comm_(parent.get()), size_(size), effort_(planning.effort) {
    if (!is_possible(size))
      throw Error(ErrorClass::argument,
                  text(kFftwMpi,
                       " needs at least two points, and in 3-D at least two planes in x "
                       "and in y"));
    // FFTW does not check what MPI calls return.
    support::check_mpi(MPI_Comm_set_errhandler(comm_.get(), MPI_ERRORS_ARE_FATAL),
                       "MPI_Comm_set_errhandler");
    FftwMpi<Real>::kInit();
    std::vector<int> signs;
    if (planning.direction != Direction::backward) signs.push_back(FFTW_FORWARD);
    if (planning.direction != Direction::forward) signs.push_back(FFTW_BACKWARD);
    std::vector<Ends> ends;
    for (const int sign : signs) ends.push_back(ends_of(sign));
    make_buffers(ends);
    for (std::size_t i = 0; i < ends.size(); ++i) append(i, signs[i], ends[i]);
  }

 private:
  bool is_line() const { return size_[0] == 1 && size_[1] == 1; }

  Ends ends_of(int sign) const {
    if (is_line()) return ends_of_line<Real>(size_[2], comm_.get(), sign, effort_);
    return ends_of_slab<Real>(size_, comm_.get(), sign);
  }

  void make_buffers(const std::vector<Ends>& ends) {
    support::collectively(comm_, [&] {
      std::ptrdiff_t most = 0;
      for (const Ends& leg : ends) most = std::max(most, leg.elements);
      for (std::size_t i = 0; i <= ends.size(); ++i)
        buffers_.emplace_back(static_cast<std::size_t>(most));
      for (std::size_t i = 1; i < ends.size(); ++i)
        if (!(ends[i].from == ends[i - 1].to))
          throw Error(ErrorClass::other,
                      "FFTW's backward transform does not begin with the layout in which its "
                      "forward one ends");
    });
  }

  void append(std::size_t number, int sign, const Ends& ends) {
    const Complex<Real>* output = buffers_[number + 1].data();
    Complex<Real>* input = buffers_[number].data();
    auto* made = planned(sign, input, buffers_[number + 1].data());
    std::shared_ptr<FftwPlan<Real>> plan;
    support::collectively(comm_, [&] { plan = std::make_shared<FftwPlan<Real>>(made); });
    this->legs_.push_back({.sign = sign,
                           .from = ends.from,
                           .to = ends.to,
                           .input = input,
                           .output = output,
                           .execute = [plan](apps::ExchangeTimer&) { plan->execute(); }});
  }

  typename Fftw<Real>::Plan planned(int sign, Complex<Real>* input, Complex<Real>* output) const {
    auto* const from = fftw_cast(input);
    auto* const to = fftw_cast(output);
    if (is_line()) return FftwMpi<Real>::kPlan1d(size_[2], from, to, comm_.get(), sign, effort_);
    const unsigned transposed =
        sign == FFTW_FORWARD ? FFTW_MPI_TRANSPOSED_OUT : FFTW_MPI_TRANSPOSED_IN;
    return FftwMpi<Real>::kPlan3d(size_[0], size_[1], size_[2], from, to, comm_.get(), sign,
                                  effort_ | transposed);
  }

  support::Communicator comm_;
  Size size_;
  unsigned effort_;
  std::vector<Buffer<Real>> buffers_;  ///< before the first leg and after each
};

}  // namespace

bool has_library_transform() {
  return true;
}

template <class Real>
std::unique_ptr<Transform<Real>> make_library_transform(const support::Communicator& comm,
                                                        const Size& size,
                                                        const Planning& planning) {
  return std::make_unique<ByLibrary<Real>>(comm, size, planning);
}

#else

bool has_library_transform() {
  return false;
}

template <class Real>
std::unique_ptr<Transform<Real>> make_library_transform(const support::Communicator&, const Size&,
                                                        const Planning&) {
  throw Error(ErrorClass::argument, text(kFftwMpi,
                                         " is not available: rondo-fft was built without an FFTW "
                                         "for this MPI library"));
}

#endif

template std::unique_ptr<Transform<float>> make_library_transform(const support::Communicator&,
                                                                  const Size&, const Planning&);
template std::unique_ptr<Transform<double>> make_library_transform(const support::Communicator&,
                                                                   const Size&, const Planning&);

}  // namespace rondo::fft
