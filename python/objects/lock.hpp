// Python's lock, while code runs that does not need it, and while a thread is back in Python.
#pragma once

#include <nanobind/nanobind.h>
#include <unistd.h>

#include <exception>

namespace rondo::python {

/// Once the main thread has ended Python, other threads that want its lock end by an unwinding of their stacks. That
/// must not pass functions that throw nothing, so the thread stays where it is until the process is gone. To catch the
/// unwinding would end the program if an exception is being handled already, since it is not an exception of C++. So a
/// destructor stops it, in a function that is not inlined into one that throws nothing.
template <class Body>
[[gnu::noinline]] void run_or_stay(Body&& body) {
  struct Guard {
    int exceptions = std::uncaught_exceptions();
    bool has_run = false;
    ~Guard() {
      while (!has_run && std::uncaught_exceptions() == exceptions) pause();
    }
  } guard;
  body();
  guard.has_run = true;
}

/// Other threads of Python run meanwhile.
class WithoutLock {
 public:
  WithoutLock() : state_(PyEval_SaveThread()) {}
  WithoutLock(const WithoutLock&) = delete;
  WithoutLock& operator=(const WithoutLock&) = delete;
  ~WithoutLock() {
    run_or_stay([this] { PyEval_RestoreThread(state_); });
  }

 private:
  PyThreadState* state_;
};

/// On any thread, with the lock or without it.
class WithLock {
 public:
  WithLock() {
    run_or_stay([this] { state_ = PyGILState_Ensure(); });
  }
  WithLock(const WithLock&) = delete;
  WithLock& operator=(const WithLock&) = delete;
  ~WithLock() { PyGILState_Release(state_); }

 private:
  PyGILState_STATE state_{};
};

}  // namespace rondo::python
