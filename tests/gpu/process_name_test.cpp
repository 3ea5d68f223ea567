// Which ranks are one process, although containers repeat host names and process ids.
#include "gpu/process_name.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <string_view>

namespace {

using rondo::gpu::is_one_process;
using rondo::gpu::on_one_machine;
using rondo::gpu::own_process_name;
using rondo::gpu::ProcessName;

ProcessName name_of(std::string_view kernel, std::string_view host, std::uint64_t pid_namespace,
                    std::int64_t process) {
  ProcessName name{.pid_namespace = pid_namespace, .process = process};
  kernel.copy(name.kernel.data(), name.kernel.size() - 1);
  host.copy(name.host.data(), name.host.size() - 1);
  return name;
}

struct NameRow {
  const char* what;
  ProcessName other;
  bool is_near;
  bool is_same;
};

TEST(ProcessName, TellsProcessesAndMachinesApart) {
  const ProcessName own = name_of("boot-a", "node", 11, 7);
  const NameRow rows[] = {
      {"the same", name_of("boot-a", "node", 11, 7), true, true},
      {"another process", name_of("boot-a", "node", 11, 8), true, false},
      {"a container with the same process id", name_of("boot-a", "node", 12, 7), true, false},
      {"a container with a host name of its own", name_of("boot-a", "pod", 12, 7), true, false},
      {"a second host name of one process", name_of("boot-a", "pod", 11, 7), true, true},
      {"a machine with the same host name", name_of("boot-b", "node", 11, 7), false, false},
  };
  for (const NameRow& row : rows) {
    EXPECT_EQ(on_one_machine(own, row.other), row.is_near) << row.what;
    EXPECT_EQ(is_one_process(own, row.other), row.is_same) << row.what;
  }
}

TEST(ProcessName, IsThatOfTheCaller) {
  const ProcessName own = own_process_name();
  EXPECT_EQ(own.process, getpid());
  EXPECT_NE(std::strlen(own.kernel.data()), 0u);
  EXPECT_TRUE(is_one_process(own, own_process_name()));
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const ProcessName name = own_process_name();
    _exit(on_one_machine(own, name) && !is_one_process(own, name) ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "a child is another process of the same machine";
}

}  // namespace
