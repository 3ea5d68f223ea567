#include "support/pull_faults.hpp"

#include <dlfcn.h>
#include <sys/uio.h>

#include <atomic>
#include <cerrno>
#include <string_view>

namespace rondo::testing::pull_faults {

namespace {

std::atomic<int> counted{0};
std::atomic<int> succeeding{0};
std::atomic<int> failing_with{0};

bool is_in_rondo(const void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return false;
  const std::string_view path(info.dli_fname);
  return path.substr(path.rfind('/') + 1).starts_with("librondo");
}

}  // namespace

void fail_after(int calls, int error) {
  succeeding = calls;
  failing_with = error;
}

void reset() {
  failing_with = 0;
  counted = 0;
}

int calls() {
  return counted;
}

}  // namespace rondo::testing::pull_faults

namespace {
using namespace rondo::testing::pull_faults;
}

extern "C" ssize_t process_vm_readv(pid_t process, const iovec* local, unsigned long locals,
                                    const iovec* remote, unsigned long remotes,
                                    unsigned long flags) noexcept {
  using Function =
      ssize_t (*)(pid_t, const iovec*, unsigned long, const iovec*, unsigned long, unsigned long);
  static const auto real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "process_vm_readv"));
  if (is_in_rondo(__builtin_return_address(0))) {
    ++counted;
    if (failing_with != 0 && succeeding-- <= 0) {
      errno = failing_with;
      return -1;
    }
  }
  return real(process, local, locals, remote, remotes, flags);
}
