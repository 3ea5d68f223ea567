// Python's lock, while code runs that does not need it, and while a thread is back in Python.
#pragma once

#include <nanobind/nanobind.h>
#include <unistd.h>

namespace rondo::python {

/// Once the main thread has ended Python, other threads that want its lock end by an unwinding of their stacks. That must
/// not pass functions that throw nothing, so this thread stays where it is until the process is gone.
[[noreturn]] inline void stay() noexcept {
  while (true) pause();
}

template <class Take>
void take_or_stay(Take&& take) noexcept {
  try {
    take();
  } catch (...) {
    stay();
  }
}

/// Other threads of Python run meanwhile.
class WithoutLock {
 public:
  WithoutLock() : state_(PyEval_SaveThread()) {}
  WithoutLock(const WithoutLock&) = delete;
  WithoutLock& operator=(const WithoutLock&) = delete;
  ~WithoutLock() {
    take_or_stay([this] { PyEval_RestoreThread(state_); });
  }

 private:
  PyThreadState* state_;
};

/// On any thread, with the lock or without it.
class WithLock {
 public:
  WithLock() {
    take_or_stay([this] { state_ = PyGILState_Ensure(); });
  }
  WithLock(const WithLock&) = delete;
  WithLock& operator=(const WithLock&) = delete;
  ~WithLock() { PyGILState_Release(state_); }

 private:
  PyGILState_STATE state_{};
};

}  // namespace rondo::python
