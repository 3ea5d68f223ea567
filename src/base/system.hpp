// What the system says and does: signals that a failed write raises, threads without signals, random numbers, which
// machine this is, and the pages of this library.
#pragma once

#include <sys/random.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <thread>

#include "base/error.hpp"

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

/// Starts a thread that gets no signals: the program's are for its own threads. Throws std::system_error.
std::thread thread_without_signals(std::function<void()> body);

/// Returns a number that nobody can guess.
inline std::uint64_t random_number() {
  std::uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number)
    throw Error(ErrorClass::no_memory, text("getrandom: ", std::strerror(errno)));
  return number;
}

/// Returns the id that the running kernel has had since it booted; empty if the system hides it. It tells machines
/// apart: with containers one machine has many host names, and machines may have the same one.
std::string kernel_id();

/// Maps what this library has in its file, to be read. Otherwise the first calls would be interrupted for each page.
void map_own_pages();

}  // namespace rondo
