// The part of Exchange that is about exchanges that are started and completed later.
#include "exchange.hpp"

namespace rondo::bench {

namespace {

/// A library's three calls that start an exchange, which have MPI's signatures but for the request.
template <class Alltoall, class Alltoallv, class Alltoallw>
struct Starters {
  Alltoall alltoall;
  Alltoallv alltoallv;
  Alltoallw alltoallw;
};

constexpr Starters kMpiStarters{MPI_Ialltoall, MPI_Ialltoallv, MPI_Ialltoallw};
constexpr Starters kRondoStarters{Rondo_Ialltoall, Rondo_Ialltoallv, Rondo_Ialltoallw};

}  // namespace

void Exchange::start(const Contender& contender) {
  if (const auto plan = plans_.find(&contender); plan != plans_.end())
    return contender.check(
        Rondo_Start(plan->second.handle(), send_.data(), receive_.data(), &request_));
  contender.check(contender.is_mpi() ? start_by(kMpiStarters, contender.comm(), &mpi_request_)
                                     : start_by(kRondoStarters, contender.comm(), &request_));
}

bool Exchange::test(const Contender& contender) {
  int is_over = 0;
  contender.check(contender.is_mpi() ? MPI_Test(&mpi_request_, &is_over, MPI_STATUS_IGNORE)
                                     : Rondo_Test(&request_, &is_over));
  return is_over != 0;
}

void Exchange::wait(const Contender& contender) {
  contender.check(contender.is_mpi() ? MPI_Wait(&mpi_request_, MPI_STATUS_IGNORE)
                                     : Rondo_Wait(&request_));
}

template <class Starters, class Request>
int Exchange::start_by(const Starters& starters, MPI_Comm comm, Request* request) {
  if (call_ == Call::alltoall) {
    const auto count = static_cast<int>(send_.block_bytes(0));
    return starters.alltoall(send_.data(), count, MPI_BYTE, receive_.data(), count, MPI_BYTE, comm,
                             request);
  }
  if (call_ == Call::alltoallv)
    return starters.alltoallv(send_.data(), sending_.counts.data(), sending_.displs.data(),
                              MPI_BYTE, receive_.data(), receiving_.counts.data(),
                              receiving_.displs.data(), MPI_BYTE, comm, request);
  return starters.alltoallw(send_.data(), sending_.counts.data(), sending_.displs.data(),
                            sending_.types.data(), receive_.data(), receiving_.counts.data(),
                            receiving_.displs.data(), receiving_.types.data(), comm, request);
}

}  // namespace rondo::bench
