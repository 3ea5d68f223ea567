#include "gpu/process_name.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace rondo::gpu {

ProcessName own_process_name() {
  ProcessName name;
  gethostname(name.host.data(), name.host.size() - 1);
  std::string kernel;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), kernel);
  if (kernel.empty()) kernel = name.host.data();
  kernel.copy(name.kernel.data(), name.kernel.size() - 1);
  struct stat status {};
  if (stat("/proc/self/ns/pid", &status) == 0) name.pid_namespace = status.st_ino;
  name.process = getpid();
  return name;
}

}  // namespace rondo::gpu
