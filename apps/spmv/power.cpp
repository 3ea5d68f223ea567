#include "spmv/power.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rondo::spmv {

using support::check_mpi;

namespace {

Rows own_rows(const Matrix& matrix, int rank) {
  const Dealing dealing = matrix.dealing();
  return matrix.rows(dealing.start(rank), dealing.count(rank));
}

std::vector<int> places_of(const Rows& rows, const Halo& halo) {
  const auto count = static_cast<std::int64_t>(rows.count());
  std::vector<int> places;
  for (const std::int64_t column : rows.columns) {
    const std::int64_t own = column - rows.first;
    const bool is_own = 0 <= own && own < count;
    const auto wanted = std::ranges::lower_bound(halo.wanted, column) - halo.wanted.begin();
    places.push_back(static_cast<int>(is_own ? own : count + wanted));
  }
  return places;
}

/// Collective. All numbers on rank 0, in the order of the ranks.
std::vector<double> gather(const support::Communicator& comm, const Dealing& dealing,
                           std::span<const double> own) {
  std::vector<int> counts, displs;
  for (int rank = 0; rank < comm.ranks(); ++rank) {
    counts.push_back(static_cast<int>(dealing.count(rank)));
    displs.push_back(static_cast<int>(dealing.start(rank)));
  }
  std::vector<double> all(comm.rank() == 0 ? static_cast<std::size_t>(dealing.total()) : 0);
  check_mpi(MPI_Gatherv(own.data(), static_cast<int>(own.size()), MPI_DOUBLE, all.data(),
                        counts.data(), displs.data(), MPI_DOUBLE, 0, comm.get()),
            "MPI_Gatherv");
  return all;
}

double product_of(std::span<const double> one, std::span<const double> other) {
  return std::inner_product(one.begin(), one.end(), other.begin(), 0.0);
}

}  // namespace

PowerIteration::PowerIteration(const Matrix& matrix, const support::Communicator& comm)
    : matrix_(matrix),
      comm_(comm),
      rows_(own_rows(matrix, comm.rank())),
      halo_(rows_, matrix.dealing(), comm),
      places_(places_of(rows_, halo_)),
      vector_(rows_.count() + halo_.wanted.size()),
      product_(rows_.count()),
      exchange_(halo_, vector_, rows_.count(), comm) {}

double PowerIteration::sum(double value) const {
  support::all_reduce(comm_, {&value, 1}, MPI_SUM);
  return value;
}

void PowerIteration::begin() {
  for (std::size_t i = 0; i < rows_.count(); ++i)
    vector_[i] = 1 + static_cast<double>((rows_.first + static_cast<std::int64_t>(i)) % 11) / 11;
  const double norm = std::sqrt(sum(product_of(own(), own())));
  for (double& number : own()) number /= norm;
}

void PowerIteration::multiply(apps::ExchangeTimer& timer) {
  timer.step([this] { exchange_.exchange(); });
  spmv::multiply<int>(rows_, places_, vector_, product_);
}

double PowerIteration::run(int products, apps::ExchangeTimer& timer) {
  begin();
  double estimate = 0;
  for (int i = 0; i < products; ++i) {
    multiply(timer);
    double sums[] = {product_of(own(), product_), product_of(product_, product_)};
    support::all_reduce(comm_, sums, MPI_SUM);
    estimate = sums[0];
    const double norm = sums[1] > 0 ? std::sqrt(sums[1]) : 1;
    std::ranges::transform(product_, own().begin(),
                           [norm](double number) { return number / norm; });
  }
  return estimate;
}

double PowerIteration::relative_error(apps::ExchangeTimer& timer) {
  begin();
  multiply(timer);
  const std::vector<double> vector = gather(comm_, matrix_.dealing(), own());
  const std::vector<double> product = gather(comm_, matrix_.dealing(), product_);
  double error = comm_.rank() == 0 ? serial_difference(vector, product) : 0;
  support::broadcast(comm_, error);
  return error;
}

double PowerIteration::serial_difference(const std::vector<double>& vector,
                                         const std::vector<double>& product) const {
  const Rows all = matrix_.rows(0, matrix_.order());
  std::vector<double> serial(all.count());
  spmv::multiply<std::int64_t>(all, all.columns, vector, serial);
  double largest = 0;
  double difference = 0;
  for (std::size_t i = 0; i < serial.size(); ++i) {
    largest = std::max(largest, std::abs(serial[i]));
    const double here = std::abs(serial[i] - product[i]);
    if (!(here <= difference)) difference = here;  // also if it is not a number
  }
  return largest > 0 ? difference / largest : difference;
}

}  // namespace rondo::spmv
