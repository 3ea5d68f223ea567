// The part of Exchange that is about nonblocking exchanges.
#include "exchange.hpp"

namespace rondo::bench {

namespace {

constexpr Functions kRondoStarts{Rondo_Ialltoall, Rondo_Ialltoallv, Rondo_Ialltoallw};

}  // namespace

void Exchange::start(const Contender& contender) {
  if (const auto plan = plans_.find(&contender); plan != plans_.end())
    return contender.check(
        Rondo_Start(plan->second.handle(), send_.data(), receive_.data(), &request_));
  contender.check(contender.is_rondo()
                      ? among_all(kRondoStarts, contender.comm(), &request_)
                      : among_all(contender.library().starts, contender.comm(), &mpi_request_));
}

bool Exchange::test(const Contender& contender) {
  int is_over = 0;
  contender.check(contender.is_rondo() ? Rondo_Test(&request_, &is_over)
                                       : MPI_Test(&mpi_request_, &is_over, MPI_STATUS_IGNORE));
  return is_over != 0;
}

void Exchange::wait(const Contender& contender) {
  contender.check(contender.is_rondo() ? Rondo_Wait(&request_)
                                       : MPI_Wait(&mpi_request_, MPI_STATUS_IGNORE));
}

}  // namespace rondo::bench
