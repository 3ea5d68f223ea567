// Distributed hash table: every rank inserts keys, each of which belongs to some rank. With
// rondo::Mailbox, and with buffers that are written by hand.
//
//     mpirun -n 8 example_hash_table [KEYS_OF_A_RANK [RUNS]]

#include <algorithm>
#include <cstdint>
#include <rondo/mailbox.hpp>
#include <vector>

#include "by_hand.hpp"
#include "compare.hpp"

namespace {

using Key = std::uint64_t;

/// The keys of one rank, with open addressing. No key is 0.
class Table {
 public:
  explicit Table(std::size_t keys) {
    while (mask_ < 3 * keys) mask_ = 2 * mask_ + 1;
    slots_.resize(mask_ + 1);
  }

  void insert(std::span<const Key> keys) {
    for (const Key key : keys) {
      std::size_t slot = key & mask_;
      while (slots_[slot] != 0 && slots_[slot] != key) slot = (slot + 1) & mask_;
      size_ += slots_[slot] == 0 ? 1 : 0;
      slots_[slot] = key;
    }
  }

  void clear() {
    std::ranges::fill(slots_, 0);
    size_ = 0;
  }
  long size() const { return size_; }

 private:
  std::size_t mask_ = 1;
  long size_ = 0;
  std::vector<Key> slots_;
};

void require_size(const Table& table, long expected) {
  long size = table.size();
  MPI_Allreduce(MPI_IN_PLACE, &size, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  compare::require(size == expected, "keys are missing");
}

void run(long keys, int runs) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Table table(static_cast<std::size_t>(keys));
  const auto insert = [&](int, std::span<const Key> arrived) { table.insert(arrived); };
  rondo::Mailbox<Key> mailbox(MPI_COMM_WORLD, insert);
  by_hand::Buffers<Key> buffers(MPI_COMM_WORLD, 1, insert, rondo::Mailbox<Key>::kCapacity);
  const auto send_all = [&](auto& to) {
    table.clear();
    for (long i = 0; i < keys; ++i) {
      const Key key = compare::mix(static_cast<Key>(rank * keys + i)) | 1U << 31U;
      to.send(static_cast<int>((key >> 32U) % static_cast<unsigned>(ranks)), key);
    }
  };
  long different = -1;
  const auto check = [&] {
    if (different < 0) {
      different = table.size();
      MPI_Allreduce(MPI_IN_PLACE, &different, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
      compare::require(different > keys * ranks / 100 * 99, "keys are missing");
    }
    require_size(table, different);
  };
  compare::print(
      "hash table", static_cast<double>(keys * ranks), runs,
      [&] {
        send_all(mailbox);
        mailbox.finish();
        check();
      },
      [&] {
        send_all(buffers);
        buffers.end();
        while (!buffers.receive_all()) continue;
        buffers.wait();
        check();
      });
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  rondo::prepare(MPI_COMM_WORLD);
  run(compare::argument(argc, argv, 1, 200'000),
      static_cast<int>(compare::argument(argc, argv, 2, 5)));
  MPI_Finalize();
}
