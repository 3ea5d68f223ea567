// The ranks of a communicator that is private to Rondo, and their messages over MPI.
#pragma once

#include <mpi.h>

#include <memory>
#include <span>

#include "mpi/messages.hpp"
#include "transport/transport.hpp"

namespace rondo::mpi {

class Transport final : public transport::Transport {
 public:
  /// Errors on `comm` must be returned. Whoever made it frees it, or lets free_comm() do so.
  explicit Transport(MPI_Comm comm);

  MPI_Comm comm() const { return comm_; }

  /// Collective. From then on there is none, and no message.
  void free_comm() { PMPI_Comm_free(&comm_); }

  std::unique_ptr<transport::Messages> messages(std::size_t longest_message,
                                                const transport::Noted* noted) override {
    return std::make_unique<Messages>(comm_, longest_message, noted);
  }
  void exchange_at_once(std::span<const Transfer> receives, std::span<const Transfer> sends,
                        int tag) override;
  void progress() override { let_mpi_progress(comm_); }

 private:
  MPI_Comm comm_;
};

/// The communicator of a transport of this class, as librondo has no other.
inline MPI_Comm comm_of(const transport::Transport& transport) {
  return static_cast<const Transport&>(transport).comm();
}
inline void free_comm_of(transport::Transport& transport) {
  static_cast<Transport&>(transport).free_comm();
}

}  // namespace rondo::mpi
