// Which regions of device memory are copied: blocks that interleave, and blocks of allocations that
// touch.
//
//   test_device_regions KIND LIBRARY
#include <rondo/rondo.h>

#include "devices/loaded.hpp"
#include "support/added_test.hpp"
#include "support/pages.hpp"
#include "support/small.hpp"

namespace device_regions_test {

using namespace rondo::testing;

/// Ranks turn a matrix: block p of a rank is its column p, sent and received, so that the regions of
/// the blocks overlap and are copied once. But what rank 0 sends and receives is one int, which
/// stands between the elements of columns.
class Matrix : NonCopyable {
 public:
  static constexpr int kLines = 6;

  Matrix(MPI_Comm comm, const Home& home)
      : small_(comm, 1), rank_(rank_of(comm)), ranks_(ranks_of(comm)) {
    const std::size_t bytes = static_cast<std::size_t>(kLines * ranks_) * sizeof(int);
    sent_ = Pages(bytes, home);
    received_ = Pages(bytes, home);
    must(MPI_Type_vector(kLines, 1, ranks_, MPI_INT, &column_));
    must(MPI_Type_commit(&column_));
    for (int i = 0; i < kLines * ranks_; ++i) {
      element(sent_, i) = value(rank_, i % ranks_, i / ranks_);
      element(received_, i) = kUntouched;
    }
    for (int peer = 0; peer < ranks_; ++peer) {
      const int line = is_column(peer) ? 0 : kLineOfSingles;
      small_.types[static_cast<std::size_t>(peer)] = is_column(peer) ? column_ : MPI_INT;
      small_.byte_displacements[static_cast<std::size_t>(peer)] =
          (line * ranks_ + peer) * static_cast<int>(sizeof(int));
    }
  }
  ~Matrix() { must(MPI_Type_free(&column_)); }

  int run(MPI_Comm comm) {
    Arguments send = small_.send(Collective::alltoallw);
    Arguments receive = small_.receive(Collective::alltoallw);
    send.buffer = sent_.passed();
    receive.buffer = received_.passed();
    return exchange(Collective::alltoallw, send, receive, comm);
  }

  void check(Row& row) const {
    for (int i = 0; i < kLines * ranks_; ++i) {
      const int peer = i % ranks_;
      const int line = i / ranks_;
      const bool is_sent = is_column(peer) || line == kLineOfSingles;
      const int expected = is_sent ? value(peer, rank_, line) : kUntouched;
      row.expect(element(received_, i) == expected, "line ", line, " of column ", peer, " is ",
                 element(received_, i), " instead of ", expected);
    }
  }

  bool has_columns() const { return rank_ != 0; }

 private:
  static constexpr int kUntouched = -1;
  static constexpr int kLineOfSingles = 1;

  static int value(int from, int to, int line) { return 10000 * from + 100 * to + line; }
  static int& element(const Pages& pages, int index) {
    return reinterpret_cast<int*>(pages.data())[index];
  }
  bool is_column(int peer) const { return rank_ != 0 && peer != 0; }

  SmallExchange small_;
  int rank_;
  int ranks_;
  MPI_Datatype column_ = MPI_DATATYPE_NULL;
  Pages sent_;
  Pages received_;
};

void exchange_columns(MPI_Comm comm, const LoadedDevice& device, Row& row) {
  Matrix matrix(comm, device.home());
  row.expect_success(matrix.run(comm), "the exchange");
  matrix.check(row);
  const DeviceMemory::Counts counts = device.take_counts(row);
  // Of columns an image is read on either side, and one written; of ints one run each.
  const int reads = matrix.has_columns() ? 3 : 1;
  const int writes = matrix.has_columns() ? 2 : 1;
  row.expect(counts.reads == reads && counts.writes == writes, counts.reads, " reads and ",
             counts.writes, " writes instead of ", reads, " and ", writes);
}

/// One block of 16 ints for every rank, each in an allocation of its own. The buffer is MPI_BOTTOM, and
/// what leads to the blocks are addresses, so that a copy across them would be wrong, and fail.
class Touching : NonCopyable {
 public:
  static constexpr int kCount = 16;

  Touching(MPI_Comm comm, const LoadedDevice& device) : device_(device), small_(comm, kCount) {
    for (Pages& pages : sides_) {
      pages = Pages(small_.sent.size() * sizeof(int), device.home());
      for (std::size_t peer = 0; peer < small_.counts.size(); ++peer)
        device.memory().put_border(block(pages, peer));
    }
  }
  ~Touching() { device_.memory().remove_borders(); }

  MPI_Aint address(int side, std::size_t peer) const {
    MPI_Aint address = 0;
    must(MPI_Get_address(block(sides_[side], peer), &address));
    return address;
  }
  std::size_t ranks() const { return small_.counts.size(); }

  template <class Exchange>
  void run(int salt, Row& row, Exchange&& exchange) {
    small_.fill(salt);
    std::copy(small_.sent.begin(), small_.sent.end(), reinterpret_cast<int*>(sides_[0].data()));
    row.expect_success(exchange(), "the exchange");
    std::copy_n(reinterpret_cast<const int*>(sides_[1].data()), small_.received.size(),
                small_.received.data());
    row.expect(small_.is_right(), "it moved wrong data");
    const auto counts = device_.take_counts(row);
    const auto blocks = static_cast<int>(ranks());
    row.expect(counts.writes == blocks, counts.writes, " writes instead of ", blocks);
  }

 private:
  static std::byte* block(const Pages& pages, std::size_t peer) {
    return pages.passed() + peer * kCount * sizeof(int);
  }

  const LoadedDevice& device_;
  SmallExchange small_;
  Pages sides_[2];
};

void exchange_by_types(MPI_Comm comm, const LoadedDevice& device, Row& row) {
  Touching touching(comm, device);
  std::vector<MPI_Datatype> types[2];
  for (const int side : {0, 1})
    for (std::size_t peer = 0; peer < touching.ranks(); ++peer) {
      const MPI_Aint address = touching.address(side, peer);
      MPI_Datatype& type = types[side].emplace_back(MPI_DATATYPE_NULL);
      must(MPI_Type_create_hindexed_block(1, Touching::kCount, &address, MPI_INT, &type));
      must(MPI_Type_commit(&type));
    }
  const std::vector<int> ones(touching.ranks(), 1);
  const std::vector<int> zeros(touching.ranks(), 0);
  const auto arguments = [&](int side) {
    return Arguments{MPI_BOTTOM, ones.data(), zeros.data(), types[side].data()};
  };
  touching.run(1, row,
               [&] { return exchange(Collective::alltoallw, arguments(0), arguments(1), comm); });
  for (auto& made : types)
    for (MPI_Datatype& type : made) must(MPI_Type_free(&type));
}

void exchange_by_displacements(MPI_Comm comm, const LoadedDevice& device, Row& row) {
#if MPI_VERSION >= 4
  Touching touching(comm, device);
  std::vector<MPI_Aint> displacements[2];
  for (const int side : {0, 1})
    for (std::size_t peer = 0; peer < touching.ranks(); ++peer)
      displacements[side].push_back(touching.address(side, peer));
  const std::vector<MPI_Count> counts(touching.ranks(), Touching::kCount);
  const std::vector<MPI_Datatype> types(touching.ranks(), MPI_INT);
  touching.run(2, row, [&] {
    return Rondo_Alltoallw_c(MPI_BOTTOM, counts.data(), displacements[0].data(), types.data(),
                             MPI_BOTTOM, counts.data(), displacements[1].data(), types.data(),
                             comm);
  });
#else
  static_cast<void>(comm);
  static_cast<void>(device);
  row.skip("this MPI has no displacements that hold addresses");
#endif
}

void run_test(Runner& runner) {
  LoadedDevice device;
  device.load();
  TestComm comm;
  const auto run = [&](const char* name, auto&& body) {
    runner.run(name, [&](Row& row) {
      row.expect_success(Rondo_Comm_prepare(comm, MPI_INFO_NULL), "Rondo_Comm_prepare");
      body(comm, device, row);
    });
  };
  run("columns", exchange_columns);
  run("allocations that touch, by types", exchange_by_types);
  run("allocations that touch, by displacements", exchange_by_displacements);
  comm.free();
}

const AddedTest added({.name = "device_regions", .run = run_test});

}  // namespace device_regions_test
