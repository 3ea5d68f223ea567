// Power iteration on a matrix whose rows are dealt out.
#pragma once

#include <string>
#include <vector>

#include "common/exchange_timer.hpp"
#include "spmv/halo.hpp"

namespace rondo::spmv {

class PowerIteration {
 public:
  /// Collective.
  PowerIteration(const Matrix& matrix, const support::Communicator& comm);

  const Halo& halo() const { return halo_; }
  std::size_t entries() const { return rows_.values.size(); }

  /// Collective. As HaloExchange::use().
  void use(const std::string& algorithm) { exchange_.use(algorithm); }

  /// Collective. Returns the estimate after so many products, the same on all ranks.
  double run(int products, apps::ExchangeTimer& timer);

  /// Collective. Multiplies the first vector. Returns how far rank 0's serial product is from it: the
  /// largest difference, over the largest number of the serial one. The same on all ranks.
  double relative_error(apps::ExchangeTimer& timer);

 private:
  void begin();
  void multiply(apps::ExchangeTimer& timer);
  double sum(double value) const;
  std::span<double> own() { return std::span(vector_).first(rows_.count()); }
  double serial_difference(const std::vector<double>& vector,
                           const std::vector<double>& product) const;

  const Matrix& matrix_;
  const support::Communicator& comm_;
  Rows rows_;
  Halo halo_;
  std::vector<int> places_;     ///< by entry: where in the vector its number is
  std::vector<double> vector_;  ///< this rank's numbers, and those of others that its rows need
  std::vector<double> product_;
  HaloExchange exchange_;
};

}  // namespace rondo::spmv
