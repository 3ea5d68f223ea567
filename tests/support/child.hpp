// A process of the test's own, which ends with it.
#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace rondo::test {

class Child {
 public:
  /// Runs `body` in another process, which ends when it returns.
  explicit Child(const std::function<void()>& body) : process_(fork()) {
    if (process_ != 0) return;
    body();
    _exit(0);
  }
  ~Child() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t process() const { return process_; }

 private:
  pid_t process_;
};

[[noreturn]] inline void sleep_for_ever() {
  while (true) pause();
}

}  // namespace rondo::test
