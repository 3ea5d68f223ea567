// Writes that fail instead of ending the process.
#pragma once

#include <csignal>

namespace rondo {

/// While it lives, a write of this thread beyond the limit on file sizes fails with EFBIG, and one into a pipe that
/// nobody reads with EPIPE. Otherwise SIGXFSZ or SIGPIPE would end the program, even in MPI_Finalize.
class HeldSignals {
 public:
  HeldSignals();
  ~HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

 private:
  sigset_t mask_{};     ///< of this thread before
  sigset_t pending_{};  ///< what the program has held back itself
};

}  // namespace rondo
