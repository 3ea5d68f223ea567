// What is copied between device and host, and what happens if a copy fails.
//
//   test_device_copies KIND LIBRARY
//
// With RONDO_CHECK=1 every algorithm returns an error on all ranks, else those that promise it.
#include <rondo/rondo.h>

#include <cstdlib>

#include "devices/loaded.hpp"
#include "support/added_test.hpp"
#include "support/algorithms.hpp"
#include "support/pages.hpp"
#include "support/small.hpp"

namespace device_copies_test {

using namespace rondo::testing;

/// `count` ints for every rank, `gap` ints apart, in buffers of a device.
class DeviceExchange {
 public:
  DeviceExchange(MPI_Comm comm, const LoadedDevice& device, const Home& home, int count,
                 int gap = 0)
      : comm_(comm),
        device_(device),
        small_(comm, count),
        count_(static_cast<std::size_t>(count)),
        stride_(static_cast<std::size_t>(count + gap)),
        sent_(small_.counts.size() * stride_ * sizeof(int), home),
        received_(small_.counts.size() * stride_ * sizeof(int), home) {
    for (std::size_t peer = 0; peer < small_.counts.size(); ++peer) {
      small_.displacements[peer] = static_cast<int>(peer * stride_);
      small_.byte_displacements[peer] = static_cast<int>(peer * stride_ * sizeof(int));
    }
  }

  int run(Collective collective, bool is_in_place = false) {
    static int salt = 0;
    small_.fill(++salt);
    scatter(is_in_place ? received_ : sent_, small_.sent);
    Arguments send = small_.send(collective);
    Arguments receive = small_.receive(collective);
    send.buffer = sent_.passed();
    receive.buffer = received_.passed();
    return exchange(collective, is_in_place ? in_place() : send, receive, comm_);
  }

  /// The same if the ranks do not know how much they receive.
  int run_dynamic() {
    small_.fill(77);
    scatter(sent_, small_.sent);
    std::vector<int> counts(small_.counts.size()), displacements(small_.counts.size());
    return Rondo_Alltoallv_dynamic(sent_.passed(), small_.counts.data(),
                                   small_.displacements.data(), MPI_INT, received_.passed(),
                                   static_cast<int>(counts.size() * count_), counts.data(),
                                   displacements.data(), MPI_INT, comm_);
  }

  /// Runs an exchange that must be right, and returns what it copied.
  DeviceMemory::Counts run_right(Collective collective, Row& row, bool is_in_place = false) {
    row.expect_success(run(collective, is_in_place), name_of(collective));
    row.expect(is_right(), name_of(collective), " moved wrong data");
    return device_.take_counts(row);
  }

  bool is_right() {
    const int* from = reinterpret_cast<const int*>(received_.data());
    for (std::size_t peer = 0; peer < small_.counts.size(); ++peer)
      std::copy_n(from + peer * stride_, count_, small_.received.data() + peer * count_);
    return small_.is_right();
  }

  std::size_t block_bytes() const { return count_ * sizeof(int); }

 private:
  void scatter(const Pages& pages, const std::vector<int>& values) const {
    int* to = reinterpret_cast<int*>(pages.data());
    for (std::size_t peer = 0; peer < small_.counts.size(); ++peer)
      std::copy_n(values.data() + peer * count_, count_, to + peer * stride_);
  }

  MPI_Comm comm_;
  const LoadedDevice& device_;
  SmallExchange small_;
  std::size_t count_;
  std::size_t stride_;
  Pages sent_;
  Pages received_;
};

/// Adjacent blocks are copied at once. Between other blocks nothing is written.
void count_copies(MPI_Comm comm, const LoadedDevice& device, Row& row) {
  const int ranks = ranks_of(comm);
  for (const Collective collective : kCollectives)
    for (const int gap : {0, 5}) {
      if (collective == Collective::alltoall && gap != 0) continue;
      DeviceExchange exchange(comm, device, device.home(), 3, gap);
      const DeviceMemory::Counts counts = exchange.run_right(collective, row);
      const int expected = gap == 0 ? 1 : ranks;
      row.expect(counts.reads == expected && counts.writes == expected, counts.reads, " reads and ",
                 counts.writes, " writes instead of ", expected);
      const std::size_t bytes = exchange.block_bytes() * static_cast<std::size_t>(ranks);
      row.expect(counts.written_bytes == bytes, counts.written_bytes, " bytes written of ", bytes);
    }
}

void receive_unknown(MPI_Comm comm, const LoadedDevice& device, Row& row) {
  for (const char* algorithm : {"node_aware", "fused_bruck", "spread_out"}) {
    set_algorithm(comm, Collective::alltoallv, algorithm, row);
    DeviceExchange exchange(comm, device, device.home(), 30);
    row.expect_success(exchange.run_dynamic(), "Rondo_Alltoallv_dynamic");
    row.expect(exchange.is_right(), "wrong data");
    const DeviceMemory::Counts counts = device.take_counts(row);
    row.expect(counts.reads == 1 && counts.writes == 1, counts.reads, " reads and ", counts.writes,
               " writes instead of 1");
  }
}

/// Memory that host and device may touch is used in place.
void use_in_place_of_copies(MPI_Comm comm, const LoadedDevice& device, Row& row) {
  for (const Residence residence : {Residence::managed, Residence::host})
    for (const Collective collective : kCollectives) {
      DeviceExchange exchange(comm, device, {&device.memory(), residence}, 3);
      const DeviceMemory::Counts counts = exchange.run_right(collective, row);
      row.expect(counts.reads == 0 && counts.writes == 0, "it was copied");
    }
}

/// Blocks that are too long to be copied out of the buffer for MPI_IN_PLACE.
void exchange_long_in_place(MPI_Comm comm, const LoadedDevice& device, Row& row) {
  for (const Collective collective : kCollectives)
    DeviceExchange(comm, device, device.home(), 300000).run_right(collective, row, true);
}

struct Failure {
  const char* name;
  int copies_before;
  const char* said;
  bool returns_error;
};

const Failure kFailures[] = {{"reading", 0, "copying from ", true},
                             {"writing", 1, "copying to ", false}};

void fail(const Failure& failure, Collective collective, bool is_in_place, int wrong, MPI_Comm comm,
          const LoadedDevice& device, Row& row) {
  const int rank = rank_of(comm);
  DeviceExchange exchange(comm, device, device.home(), 20);
  if (rank == wrong) device.memory().fail_after(failure.copies_before);
  const int code = exchange.run(collective, is_in_place);
  if (rank == wrong)
    for (const char* words : {failure.said, "invalid argument"})
      row.expect_error(code, MPI_ERR_OTHER, words);
  else if (failure.returns_error)
    row.expect_error(code, MPI_ERR_OTHER);
  else
    row.expect(code == MPI_SUCCESS && exchange.is_right(), "it returned ", error_text(code),
               " or moved wrong data");
  device.take_counts(row);
  exchange.run_right(collective, row, is_in_place);
}

std::vector<std::string> reporting_algorithms(Collective collective) {
  const char* check = std::getenv("RONDO_CHECK");
  if (check != nullptr && std::string(check) == "1") return registered(collective, true);
  if (collective == Collective::alltoall) return {"node_aware"};
  return {"node_aware", "fused_bruck"};
}

void run_failures(MPI_Comm comm, const LoadedDevice& device, Runner& runner) {
  for (const Failure& failure : kFailures)
    for (const Collective collective : kCollectives)
      for (const std::string& algorithm : reporting_algorithms(collective))
        for (const bool is_in_place : {false, true})
          runner.run(rondo::text(failure.name, " fails, ", name_of(collective), " ", algorithm,
                                 is_in_place ? " in place" : ""),
                     [&](Row& row) {
                       set_algorithm(comm, collective, algorithm, row);
                       fail(failure, collective, is_in_place, runner.ranks() - 1, comm, device,
                            row);
                     });
}

void run_test(Runner& runner) {
  LoadedDevice device;
  device.load();
  TestComm comm;
  const auto run = [&](const char* name, auto&& body) {
    runner.run(name, [&](Row& row) {
      set_algorithms(comm, "node_aware", row);
      body(comm, device, row);
    });
  };
  run("copies", count_copies);
  run("dynamic exchanges", receive_unknown);
  run("memory of both", use_in_place_of_copies);
  run("long blocks in place", exchange_long_in_place);
  run_failures(comm, device, runner);
  comm.free();
}

const AddedTest added({.name = "device_copies",
                       .run = run_test,
                       .settings = {{}, {"RONDO_CHECK=1"}}});

}  // namespace device_copies_test
