#include "fft/verifier.hpp"

#include <cmath>

namespace rondo::fft {

namespace {

constexpr int kTag = 0;

/// Sends a part to rank 0, which calls receive_part() for each of the other ranks in turn.
template <class Real>
void send_part(const Leg<Real>& leg, const support::Communicator& comm) {
  support::check_mpi(MPI_Send(&leg.to, sizeof leg.to, MPI_BYTE, 0, kTag, comm.get()), "MPI_Send");
  support::check_mpi(MPI_Send(leg.output, static_cast<int>(leg.to.elements()),
                              Datatype<Complex<Real>>::get(), 0, kTag, comm.get()),
                     "MPI_Send");
}

template <class Real>
Layout receive_part(int rank, std::vector<Complex<Real>>& data, const support::Communicator& comm) {
  Layout layout;
  support::check_mpi(
      MPI_Recv(&layout, sizeof layout, MPI_BYTE, rank, kTag, comm.get(), MPI_STATUS_IGNORE),
      "MPI_Recv");
  data.resize(static_cast<std::size_t>(layout.elements()));
  support::check_mpi(
      MPI_Recv(data.data(), static_cast<int>(data.size()), Datatype<Complex<Real>>::get(), rank,
               kTag, comm.get(), MPI_STATUS_IGNORE),
      "MPI_Recv");
  return layout;
}

/// Sums the differences between the parts and the whole.
class Difference {
 public:
  explicit Difference(const Buffer<double>& whole) : whole_(whole), seen_(whole.size()) {}

  template <class Real>
  void add(const Layout& layout, const Complex<Real>* part) {
    layout.for_each([&](std::int64_t index) {
      const auto place = static_cast<std::size_t>(index);
      const Complex<double> value{part->real(), part->imag()};
      ++part;
      squares_ += std::norm(value - whole_.data()[place]);
      seen_[place] = true;
    });
  }

  double relative() const {
    double squares = squares_;
    double all = 0;
    for (std::size_t place = 0; place < whole_.size(); ++place) {
      const double square = std::norm(whole_.data()[place]);
      all += square;
      if (!seen_[place]) squares += square;
    }
    return std::sqrt(squares / all);
  }

 private:
  const Buffer<double>& whole_;
  std::vector<bool> seen_;
  double squares_ = 0;
};

FftwPlan<double> plan_whole(const Buffer<double>& whole, const Size& size, int sign) {
  const auto [nx, ny, nz] = size;
  const std::array<fftw_iodim64, 3> lengths{{{nx, ny * nz, ny * nz}, {ny, nz, nz}, {nz, 1, 1}}};
  return FftwPlan<double>(fftw_plan_guru64_dft(3, lengths.data(), 0, nullptr,
                                               fftw_cast(whole.data()), fftw_cast(whole.data()),
                                               sign, FFTW_ESTIMATE));
}

}  // namespace

Verifier::Verifier(const support::Communicator& comm, const Size& size) : comm_(comm), size_(size) {
  support::collectively(comm, [&] {
    if (comm.rank() != 0) return;
    whole_.emplace(static_cast<std::size_t>(size[0] * size[1] * size[2]));
    forward_.emplace(plan_whole(*whole_, size, FFTW_FORWARD));
    backward_.emplace(plan_whole(*whole_, size, FFTW_BACKWARD));
  });
}

template <class Real>
double Verifier::compare(const Leg<Real>& leg, int ranks) {
  (leg.sign == FFTW_FORWARD ? forward_ : backward_)->execute();
  Difference difference(*whole_);
  difference.add(leg.to, leg.output);
  std::vector<Complex<Real>> part;
  for (int rank = 1; rank < ranks; ++rank) {
    const Layout layout = receive_part(rank, part, comm_);
    difference.add(layout, part.data());
  }
  return difference.relative();
}

template <class Real>
double Verifier::relative_error(const Transform<Real>& transform, apps::ExchangeTimer& timer) {
  const int ranks = comm_.ranks();
  const bool is_first = comm_.rank() == 0;
  if (is_first)
    for (std::size_t place = 0; place < whole_->size(); ++place)
      whole_->data()[place] = signal_at<Real>(static_cast<std::int64_t>(place));
  fill(transform.legs().front().from, transform.legs().front().input);
  double worst = 0;
  for (const Leg<Real>& leg : transform.legs()) {
    leg.execute(timer);
    if (!is_first) {
      send_part(leg, comm_);
      continue;
    }
    const double error = compare(leg, ranks);
    if (!(error <= worst)) worst = error;  // NaN counts as wrong
  }
  support::check_mpi(MPI_Bcast(&worst, 1, MPI_DOUBLE, 0, comm_.get()), "MPI_Bcast");
  return worst;
}

template double Verifier::relative_error(const Transform<float>&, apps::ExchangeTimer&);
template double Verifier::relative_error(const Transform<double>&, apps::ExchangeTimer&);

}  // namespace rondo::fft
