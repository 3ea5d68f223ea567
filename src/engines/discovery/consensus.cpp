#include "engines/discovery/consensus.hpp"

#include <bit>

#include "mpi/error.hpp"
#include "mpi/transport.hpp"

namespace rondo::engines::discovery {

Consensus::Consensus(Context& context, int tag)
    : context_(context),
      workspace_(sparse_workspace(context).consensus),
      tag_(tag),
      rounds_(std::bit_width(static_cast<unsigned>(context.ranks) - 1U)) {}

/// Posts all receives. The distances of the rounds differ, so the sources tell their messages apart.
void Consensus::begin(const Status& own) {
  has_begun_ = true;
  status_ = own;
  workspace_.receives.fill(MPI_REQUEST_NULL);
  workspace_.rounds = static_cast<int>(rounds_);
  const int ranks = context_.ranks;
  for (std::size_t round = 0; round < rounds_; ++round) {
    const int source = (context_.rank - (1 << round) + ranks) % ranks;
    mpi::check(PMPI_Irecv(&workspace_.received[round], sizeof(Status), MPI_BYTE, source, tag_,
                          mpi::comm_of(context_.transport()), &workspace_.receives[round]),
               "MPI_Irecv");
  }
  if (rounds_ != 0) send();
}

void Consensus::send() {
  const int destination = static_cast<int>((static_cast<unsigned>(context_.rank) + (1U << round_)) %
                                           static_cast<unsigned>(context_.ranks));
  workspace_.sent[round_] = status_;
  mpi::check(PMPI_Isend(&workspace_.sent[round_], sizeof(Status), MPI_BYTE, destination, tag_,
                        mpi::comm_of(context_.transport()), &workspace_.sends[round_]),
             "MPI_Isend");
}

void Consensus::end_round() {
  status_.merge(workspace_.received[round_]);
  if (++round_ < rounds_) return send();
  mpi::check(mpi::wait_for_all(workspace_.rounds, workspace_.sends.data(), MPI_STATUSES_IGNORE),
             "MPI_Waitall");
  workspace_.rounds = 0;
}

bool Consensus::test() {
  while (round_ < rounds_) {
    int has_arrived = 0;
    mpi::check(PMPI_Test(&workspace_.receives[round_], &has_arrived, MPI_STATUS_IGNORE),
               "MPI_Test");
    if (has_arrived == 0) return false;
    end_round();
  }
  return true;
}

const Status& Consensus::wait() {
  while (round_ < rounds_) {
    mpi::wait_for(workspace_.receives[round_]);
    end_round();
  }
  return status_;
}

Status common_status(Context& context, int tag, const Status& own) {
  Consensus consensus(context, tag);
  consensus.begin(own);
  return consensus.wait();
}

}  // namespace rondo::engines::discovery
