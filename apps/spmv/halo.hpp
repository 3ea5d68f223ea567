// The numbers of the vector that ranks exchange before a product.
#pragma once

#include <rondo/rondo.hpp>
#include <span>
#include <string>
#include <vector>

#include "spmv/read.hpp"

namespace rondo::spmv {

/// Some ranks, and how many numbers go to each or come from each.
struct Side {
  std::vector<int> ranks;
  std::vector<int> counts;
  std::vector<int> displs;

  void add(int rank, int count);
  int total() const { return counts.empty() ? 0 : counts.back() + displs.back(); }
};

/// Which numbers this rank sends and receives. A rank asks others only for the numbers that its rows
/// need, so both sides come from one sparse exchange.
struct Halo {
  /// Collective.
  Halo(const Rows& rows, const Dealing& dealing, const support::Communicator& comm);

  std::vector<std::int64_t> wanted;  ///< the columns that other ranks have, in ascending order
  std::vector<std::size_t>
      leaving;  ///< which of this rank's numbers it sends, in the order of `to`
  Side to;
  Side from;

 private:
  void find_sources(const Rows& rows, const Dealing& dealing, int rank);
};

/// Carries the exchange out.
class HaloExchange {
 public:
  /// Collective. Makes a communicator whose topology is the halo's. `vector` has this rank's `own`
  /// numbers, and room for those that arrive behind them.
  HaloExchange(const Halo& halo, std::span<double> vector, std::size_t own,
               const support::Communicator& comm);

  /// Collective. From now on exchange() runs `algorithm`, as --algorithm names it. Throws Error(argument)
  /// on all ranks if there is none of that name.
  void use(const std::string& algorithm);

  void exchange();

 private:
  void exchange_by_hand();

  const Halo& halo_;
  std::span<double> vector_;
  std::span<double> arriving_;
  std::vector<double> leaving_;
  std::vector<MPI_Request> requests_;
  support::Communicator graph_;
  std::string algorithm_;
  std::optional<rondo::Plan> plan_;
};

}  // namespace rondo::spmv
