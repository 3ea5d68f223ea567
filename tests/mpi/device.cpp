// Buffers that only a device can touch, on either side or both: every algorithm against the
// definition, with all datatypes, in place and in all forms of call. The library for the device is
// loaded after the first exchanges on the communicator.
//
//   test_device KIND LIBRARY
#include <rondo/rondo.h>

#include "devices/loaded.hpp"
#include "support/algorithms.hpp"
#include "support/case.hpp"
#include "support/cover.hpp"
#include "support/library_defects.hpp"
#include "support/small.hpp"

namespace {

using namespace rondo::testing;

constexpr Collective kCollectives[] = {Collective::alltoall, Collective::alltoallv,
                                       Collective::alltoallw};

enum class On { send, receive, both };

const char* name_of(On on) {
  return on == On::send ? "send" : on == On::receive ? "receive" : "both";
}

struct DeviceFactors {
  Collective collective;
  std::vector<std::string> algorithms;
  std::span<const Distribution> distributions;
  std::vector<const TypeRow*> types;  ///< null stands for mixed types
  std::vector<Form> forms;

  explicit DeviceFactors(Collective which)
      : collective(which),
        algorithms(registered(which, true)),
        distributions(which == Collective::alltoall ? uniform_distributions()
                                                    : rondo::testing::distributions()),
        forms(rondo::testing::forms()) {
    for (const TypeRow& row : type_rows()) types.push_back(&row);
    if (which == Collective::alltoallw) types.push_back(nullptr);
  }

  std::vector<std::size_t> sizes() const {
    return {algorithms.size(), distributions.size(), types.size(), 2, forms.size(), 3};
  }

  static On on(const Combination& row) { return static_cast<On>(row[5]); }

  Case at(const Combination& row, std::uint64_t seed, const Home& home) const {
    return {.collective = collective,
            .algorithm = algorithms[row[0]],
            .distribution = &distributions[row[1]],
            .types = types[row[2]],
            .is_in_place = row[3] == 1,
            .form = forms[row[4]],
            .seed = seed,
            .send_home = on(row) == On::receive ? Home{} : home,
            .receive_home = on(row) == On::send ? Home{} : home};
  }
};

void run_collective(Collective collective, MPI_Comm comm, const LoadedDevice& device,
                    Runner& runner) {
  const DeviceFactors factors(collective);
  const std::uint64_t seed = hash(runner.options().seed, static_cast<int>(collective));
  const Legal legal = [&](const Combination& row) {
    return is_legal(factors.at(row, seed, device.home()));
  };
  const auto rows = runner.options().all ? full_product(factors.sizes(), legal)
                                         : pairwise_cover(factors.sizes(), legal, seed);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Case which = factors.at(rows[i], hash(seed, i), device.home());
    const auto name = rondo::text(which.name(), ", on ", name_of(DeviceFactors::on(rows[i])));
    runner.run(name, [&](Row& row) {
      const char* defect = library_defect(which, runner.ranks());
      if (defect != nullptr) return row.skip(defect);
      run_case(which, comm, row);
      device.take_counts(row);
    });
  }
}

/// Exchanges of the host, which must leave a device alone.
void exchange_on_host(MPI_Comm comm, Row& row) {
  for (const Collective collective : kCollectives) {
    row.expect_success(Rondo_Comm_set_algorithm(comm, name_of(collective), "auto"),
                       "Rondo_Comm_set_algorithm");
    SmallExchange(comm, 7).run(collective, comm, row);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Runner runner(argc, argv, "device");
  LoadedDevice device(argc, argv);
  TestComm comm;
  runner.run("no library is loaded", [&](Row& row) { exchange_on_host(comm, row); });
  device.load();
  for (const Collective collective : kCollectives) run_collective(collective, comm, device, runner);
  runner.run("buffers of the host", [&](Row& row) {
    exchange_on_host(comm, row);
    const DeviceMemory::Counts counts = device.take_counts(row);
    row.expect(counts.reads == 0 && counts.writes == 0, "a device was used");
  });
  comm.free();
  return runner.finish();
}
