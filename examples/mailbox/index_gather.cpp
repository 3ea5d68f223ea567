// Index-gather: every rank wants numbers of a table that is spread over all ranks. It sends the
// indices, and the owners send the numbers back. With rondo::Mailbox, whose handler answers, and with
// buffers that are written by hand.
//
//     mpirun -n 8 example_index_gather [INDICES_OF_A_RANK [RUNS]]

#include <algorithm>
#include <cstdint>
#include <rondo/mailbox.hpp>
#include <vector>

#include "by_hand.hpp"
#include "compare.hpp"

namespace {

/// A question for the number at an index, or the answer.
struct Item {
  std::uint64_t number;  ///< the index or the answer
  std::uint32_t place;   ///< where the answer goes
  std::uint32_t is_answer;
};

/// The part of the table that this rank owns: every P-th number.
class Table {
 public:
  Table(int rank, int ranks, long own) : ranks_(static_cast<std::uint64_t>(ranks)) {
    for (long i = 0; i < own; ++i)
      numbers_.push_back(
          compare::mix(static_cast<std::uint64_t>(i) * ranks_ + static_cast<std::uint64_t>(rank)));
  }

  std::uint64_t size() const { return ranks_ * numbers_.size(); }
  int owner(std::uint64_t index) const { return static_cast<int>(index % ranks_); }
  std::uint64_t at(std::uint64_t index) const { return numbers_[index / ranks_]; }

 private:
  std::uint64_t ranks_;
  std::vector<std::uint64_t> numbers_;
};

class Gather {
 public:
  Gather(const Table& table, int rank, long indices)
      : table_(table), found_(static_cast<std::size_t>(indices)) {
    for (long i = 0; i < indices; ++i)
      indices_.push_back(compare::mix(static_cast<std::uint64_t>(rank * indices + i)) %
                         table.size());
  }

  template <class To>
  void ask(To& to) {
    std::ranges::fill(found_, 0);
    for (std::size_t i = 0; i < indices_.size(); ++i)
      to.send(table_.owner(indices_[i]), {indices_[i], static_cast<std::uint32_t>(i), 0});
  }

  template <class To>
  void handle(int source, std::span<const Item> items, To& answers) {
    for (const Item& item : items) {
      if (item.is_answer != 0)
        found_[item.place] = item.number;
      else
        answers.send(source, {table_.at(item.number), item.place, 1});
    }
  }

  void check() const {
    bool is_right = true;
    for (std::size_t i = 0; i < indices_.size(); ++i)
      is_right = is_right && found_[i] == compare::mix(indices_[i]);
    compare::require(is_right, "a number is wrong");
  }

 private:
  const Table& table_;
  std::vector<std::uint64_t> indices_;
  std::vector<std::uint64_t> found_;
};

void run(long indices, int runs) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const Table table(rank, ranks, 100'000);
  Gather gather(table, rank, indices);
  rondo::Mailbox<Item>* box = nullptr;
  rondo::Mailbox<Item> mailbox(MPI_COMM_WORLD, [&](int source, std::span<const Item> items) {
    gather.handle(source, items, *box);
  });
  box = &mailbox;
  by_hand::Buffers<Item>* back = nullptr;
  const auto handle = [&](int source, std::span<const Item> items) {
    gather.handle(source, items, *back);
  };
  constexpr std::size_t kCapacity = rondo::Mailbox<Item>::kCapacity;
  by_hand::Buffers<Item> questions(MPI_COMM_WORLD, 1, handle, kCapacity);
  by_hand::Buffers<Item> answers(MPI_COMM_WORLD, 2, handle, kCapacity);
  back = &answers;
  compare::print(
      "index-gather", static_cast<double>(2 * indices * ranks), runs,
      [&] {
        gather.ask(mailbox);
        mailbox.finish();
        gather.check();
      },
      [&] {
        gather.ask(questions);
        questions.end();
        while (!questions.receive_all()) answers.receive_all();
        answers.end();
        while (!answers.receive_all()) continue;
        questions.wait();
        answers.wait();
        gather.check();
      });
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  rondo::prepare(MPI_COMM_WORLD);
  run(compare::argument(argc, argv, 1, 100'000),
      static_cast<int>(compare::argument(argc, argv, 2, 5)));
  MPI_Finalize();
}
