// rondo::Mailbox: items from any rank to any rank; handlers that send more; ranks that send nothing.
#include <algorithm>
#include <map>
#include <numeric>
#include <rondo/mailbox.hpp>
#include <rondo/rondo.hpp>

#include "support/added_test.hpp"
#include "support/random.hpp"
#include "support/small.hpp"

namespace mailbox_test {

using namespace rondo::testing;

struct Letter {
  int source;
  int number;  ///< of the letters from its source to its destination
  std::uint64_t value;
};

/// An item whose size is no multiple of a word.
struct Odd {
  std::array<unsigned char, 3> bytes;
};

/// An item that must be aligned to more than the header.
struct alignas(16) Wide {
  std::array<std::uint64_t, 2> words;
};

int destination_of(std::uint64_t seed, int source, int index, int ranks) {
  return static_cast<int>(hash(seed, source, index) % static_cast<unsigned>(ranks));
}

/// Some ranks send nothing.
int letters_of(std::uint64_t seed, int source) {
  const std::uint64_t bits = hash(seed, source, 0x1e);
  return bits % 3 == 0 ? 0 : static_cast<int>(bits % 2000);
}

std::uint64_t value_of(std::uint64_t seed, int source, int destination, int number) {
  return hash(seed, source, destination, number);
}

/// How many letters each source sends to this rank.
std::vector<int> due(std::uint64_t seed, int rank, int ranks) {
  std::vector<int> counts(static_cast<std::size_t>(ranks), 0);
  for (int source = 0; source < ranks; ++source)
    for (int index = 0; index < letters_of(seed, source); ++index)
      if (destination_of(seed, source, index, ranks) == rank)
        ++counts[static_cast<std::size_t>(source)];
  return counts;
}

/// The letters of each source must arrive in their order.
class Letters {
 public:
  Letters(MPI_Comm comm, std::uint64_t seed, Row& row)
      : seed_(seed), rank_(rank_of(comm)), ranks_(ranks_of(comm)), row_(row) {}

  void take(int source, std::span<const Letter> letters) {
    arrived_.resize(static_cast<std::size_t>(ranks_));
    for (const Letter& letter : letters) {
      int& number = arrived_[static_cast<std::size_t>(source)];
      row_.expect(letter.source == source && letter.number == number &&
                      letter.value == value_of(seed_, source, rank_, number),
                  "letter ", number, " from rank ", source, " is wrong");
      ++number;
    }
  }

  void send_all(rondo::Mailbox<Letter>& mailbox, int exchange_after) {
    std::vector<int> numbers(static_cast<std::size_t>(ranks_), 0);
    for (int index = 0; index < letters_of(seed_, rank_); ++index) {
      const int to = destination_of(seed_, rank_, index, ranks_);
      const int number = numbers[static_cast<std::size_t>(to)]++;
      mailbox.send(to, {rank_, number, value_of(seed_, rank_, to, number)});
    }
    for (int i = 0; i < exchange_after; ++i) mailbox.exchange();
  }

  void expect_all() {
    arrived_.resize(static_cast<std::size_t>(ranks_));
    row_.expect(arrived_ == due(seed_, rank_, ranks_), "letters are missing");
  }

 private:
  std::uint64_t seed_;
  int rank_;
  int ranks_;
  Row& row_;
  std::vector<int> arrived_;
};

/// Several phases with one mailbox. With capacity 0 every rank has one of its own.
void exchange_letters(std::size_t capacity, std::uint64_t seed, Row& row) {
  const TestComm comm;
  const int rank = rank_of(comm);
  const std::size_t own_capacity = capacity != 0 ? capacity : 1 + hash(seed, rank) % 50;
  std::optional<Letters> letters;
  rondo::Mailbox<Letter> mailbox(
      comm, [&](int source, std::span<const Letter> arrived) { letters->take(source, arrived); },
      own_capacity);
  for (int phase = 0; phase < 4; ++phase) {
    letters.emplace(comm, hash(seed, phase), row);
    // Ranks reach finish() after different numbers of exchanges.
    letters->send_all(mailbox, phase == 2 ? rank % 3 : 0);
    mailbox.finish();
    letters->expect_all();
  }
}

/// A handler sends two letters for each that it gets, until they have gone `depth` times.
void exchange_cascades(std::size_t capacity, int depth, std::uint64_t seed, Row& row) {
  struct Branch {
    int left;
    std::uint64_t value;
  };
  const TestComm comm;
  const int ranks = ranks_of(comm);
  const bool is_quiet = ranks > 2 && rank_of(comm) == 1;
  long arrived = 0;
  std::optional<rondo::Mailbox<Branch>> mailbox;
  const auto send = [&](const Branch& branch) {
    mailbox->send(static_cast<int>(branch.value % static_cast<unsigned>(ranks)), branch);
  };
  mailbox.emplace(
      comm,
      [&](int, std::span<const Branch> branches) {
        for (const Branch& branch : branches) {
          ++arrived;
          for (const int twig : {0, 1})
            if (branch.left > 0) send({branch.left - 1, hash(branch.value, twig)});
        }
      },
      capacity);
  if (!is_quiet) send({depth, hash(seed, rank_of(comm))});
  mailbox->finish();
  const long expected = ((1L << (depth + 1)) - 1) * (ranks > 2 ? ranks - 1 : ranks);
  must(MPI_Allreduce(MPI_IN_PLACE, &arrived, 1, MPI_LONG, MPI_SUM, comm));
  row.expect(arrived == expected, arrived, " letters have arrived instead of ", expected);
}

/// One rank floods another; all others send nothing.
void exchange_flood(Row& row) {
  const TestComm comm;
  constexpr long kItems = 20'000;
  const int last = ranks_of(comm) - 1;
  long sum = 0;
  rondo::Mailbox<long> mailbox(comm, [&](int source, std::span<const long> items) {
    row.expect(source == 0 && rank_of(comm) == last, "an item from rank ", source);
    sum = std::accumulate(items.begin(), items.end(), sum);
  });
  for (long i = 0; rank_of(comm) == 0 && i < kItems; ++i) mailbox.send(last, i);
  mailbox.finish();
  row.expect(sum == (rank_of(comm) == last ? kItems * (kItems - 1) / 2 : 0), "the sum is ", sum);
}

/// Items of any size and alignment.
template <class Item>
void exchange_items(Row& row) {
  const TestComm comm;
  const int ranks = ranks_of(comm);
  std::map<int, int> arrived;
  rondo::Mailbox<Item> mailbox(
      comm,
      [&](int source, std::span<const Item> items) {
        row.expect(reinterpret_cast<std::uintptr_t>(items.data()) % alignof(Item) == 0,
                   "items are not aligned");
        for (const Item& item : items) {
          Item expected{};
          std::memset(&expected, source + 1, sizeof expected);
          row.expect(std::memcmp(&item, &expected, sizeof item) == 0, "an item is wrong");
          ++arrived[source];
        }
      },
      7);
  Item item{};
  std::memset(&item, rank_of(comm) + 1, sizeof item);
  for (int i = 0; i < 20 * ranks; ++i) mailbox.send(i % ranks, item);
  mailbox.finish();
  row.expect(static_cast<int>(arrived.size()) == ranks &&
                 std::ranges::all_of(arrived, [](const auto& one) { return one.second == 20; }),
             "items are missing");
}

/// An exception in a handler leaves the mailbox usable once all ranks have called finish() again.
void throw_in_handler(Row& row) {
  const TestComm comm;
  bool throws = true;
  int arrived = 0;
  rondo::Mailbox<int> mailbox(comm, [&](int, std::span<const int> items) {
    if (throws) throw std::runtime_error("no more");
    arrived += static_cast<int>(items.size());
  });
  const int next = (rank_of(comm) + 1) % ranks_of(comm);
  mailbox.send(next, 1);
  bool has_thrown = false;
  try {
    mailbox.finish();
  } catch (const std::runtime_error&) {
    has_thrown = true;
  }
  row.expect(has_thrown, "the exception was lost");
  throws = false;
  mailbox.send(next, 2);
  mailbox.finish();
  row.expect(arrived == 1, arrived, " items have arrived after the exception");
}

void run_test(Runner& runner) {
  const std::uint64_t seed = runner.options().seed;
  for (const std::size_t capacity : {0, 1, 3, 100, 4096})
    runner.run(rondo::text("letters, capacity ", capacity), exchange_letters, capacity, seed);
  for (const std::size_t capacity : {1, 2, 64})
    runner.run(rondo::text("cascades, capacity ", capacity), exchange_cascades, capacity, 9, seed);
  runner.run("a flood", exchange_flood);
  runner.run("items of 3 bytes", exchange_items<Odd>);
  runner.run("items of 16 aligned bytes", exchange_items<Wide>);
  runner.run("an exception in the handler", throw_in_handler);
}

const AddedTest added({.name = "mailbox", .run = run_test});

}  // namespace mailbox_test
