// Buffers that only a device can touch, on one side or both: every algorithm against the definition,
// with all datatypes, in place and in all forms of call. The library for the device is
// loaded after the first exchanges on the communicator.
#include <rondo/rondo.h>

#include "devices/loaded.hpp"
#include "support/added_test.hpp"
#include "support/algorithms.hpp"
#include "support/factors.hpp"
#include "support/small.hpp"

namespace device_test {

using namespace rondo::testing;

const char* name_of_homes(const Case& which) {
  if (which.receive_home.memory == nullptr) return "send";
  return which.send_home.memory == nullptr ? "receive" : "both";
}

void run_collective(Collective collective, MPI_Comm comm, const LoadedDevice& device,
                    Runner& runner) {
  const Home home = device.home();
  const auto cases = cases_of(collective, registered(collective, true), runner.options(),
                              {{home, {}}, {{}, home}, {home, home}});
  for (const Case& which : cases)
    runner.run(rondo::text(which.name(), ", on ", name_of_homes(which)), [&](Row& row) {
      run_or_skip(which, comm, row);
      device.take_counts(row);
    });
}

/// Exchanges of host memory, which must not touch a device.
void exchange_on_host(MPI_Comm comm, Row& row) {
  for (const Collective collective : kCollectives) {
    set_algorithm(comm, collective, "auto", row);
    SmallExchange(comm, 7).run(collective, comm, row);
  }
}

/// The MPI library knows nothing of the device that these exchanges could have used, so it must not be tried.
void learn(Collective collective, Row& row) {
  constexpr int kCalls = 600;
  const TestComm comm;
  row.expect_success(Rondo_Comm_prepare(comm, MPI_INFO_NULL), "Rondo_Comm_prepare");
  SmallExchange small(comm, 7);
  for (int call = 0; call < kCalls && !row.failed(); ++call) {
    small.run(collective, comm, row, call);
    row.expect(last_algorithm(comm, row) != "mpi", "call ", call, " was forwarded");
  }
}

void run_test(Runner& runner) {
  LoadedDevice device;
  TestComm comm;
  runner.run("no library is loaded", [&](Row& row) { exchange_on_host(comm, row); });
  device.load();
  for (const Collective collective : kCollectives) run_collective(collective, comm, device, runner);
  for (const Collective collective : {Collective::alltoallv, Collective::alltoallw})
    runner.run(rondo::text("learning, ", name_of(collective)), learn, collective);
  runner.run("buffers of the host", [&](Row& row) {
    exchange_on_host(comm, row);
    const DeviceMemory::Counts counts = device.take_counts(row);
    row.expect(counts.reads == 0 && counts.writes == 0, "a device was used");
  });
  comm.free();
}

const AddedTest added({.name = "device", .run = run_test});

}  // namespace device_test
