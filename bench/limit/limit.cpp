// rondo-limit: what an exchange through the shared memory of one node can do at most.
//
//   mpirun -n 32 rondo-limit --bytes 16:1k --iterations 200
//
// P ranks do what none of them can leave out when each sends blocks of 0..S bytes to all, on
// average P * S / 2 bytes a rank (rondo-bench alltoallv, distribution uniform):
//
//   1. copy that many bytes into the segment,
//   2. tell every other rank, and wait until each has told: one arrival,
//   3. copy as many bytes out, those of the next rank.
//
// There are no lengths, no types, no arguments to check, and one copy on each side instead of P: an
// exchange is at its limit where its time is near this one. (Blocks of up to 48 bytes travel in the
// cells by which ranks tell each other; the copies that this saves are short beside the arrival.)
// Segment, cells and waiting, with the looks at MPI that progress needs, are the library's own
// (engines/node/node.hpp): a memfd that the ranks open through /proc, slots for odd and even epochs.
//
// A sample is taken as rondo-bench takes it: its barrier, then the time from this rank's start to
// its end, divided by the exchanges of a batch; the maximum over ranks. Times are in microseconds,
// under the same names as rondo-bench's; bytes is S, bytes_per_rank is P * S / 2. All ranks must be
// on one node. The bytes that came out are checked after the last sample.
#include <mpi.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "engines/node/node.hpp"
#include "mpi/transport.hpp"
#include "report.hpp"
#include "schedule/node_map.hpp"
#include "support/barrier.hpp"
#include "support/cluster.hpp"
#include "support/command_line.hpp"
#include "support/file.hpp"
#include "support/program.hpp"
#include "support/records.hpp"

namespace {

using namespace rondo;
using namespace rondo::bench;
using engines::Node;
using engines::NodeLayout;
using support::check_mpi;
using support::Communicator;

constexpr const char* kProgram = "rondo-limit";
constexpr std::uint64_t kSeed = 1;  // of the intervals

struct Options {
  std::vector<std::size_t> bytes;
  int iterations = 50;
  int warmup = 5;
  int batch = 1;
  support::Format format = support::Format::table;
  std::string output;  ///< empty: standard output
};

void describe(support::CommandLine& line, Options& options, std::string& bytes) {
  constexpr int kMost = 1000000;
  support::add_text(line, "--bytes", bytes, "SIZES",
                    "S, the length of the largest block: 16,64,256 or 16:4096 (doubling); units k, "
                    "m and g");
  support::add_number(line, "--iterations", options.iterations, {1, kMost},
                      "The number of samples of each size");
  support::add_number(line, "--warmup", options.warmup, {0, kMost},
                      "Iterations before the samples");
  support::add_number(line, "--batch", options.batch, {1, kMost},
                      "The number of exchanges in a sample, one after another");
  support::add_format(line, options.format);
  support::add_text(line, "-o,--output", options.output, "FILE", support::kOutput);
}

/// A segment whose slots hold P blocks of S / 2 bytes.
std::unique_ptr<Node> make_node(mpi::Transport& transport, std::size_t bytes) {
  // Cut down to what the library sends by shared memory, a slot would be too short.
  if (bytes / 2 > NodeLayout::kLongestBlock)
    throw Error(ErrorClass::argument,
                text("--bytes: ", bytes, " is more than twice the ", NodeLayout::kLongestBlock,
                     " bytes of the longest block in shared memory"));
  const auto ranks = static_cast<std::size_t>(transport.ranks());
  const std::vector<int> all_on_one(ranks, 0);
  constexpr std::size_t kUnit = NodeLayout::kShortestLimit;  // a shorter limit is none
  const std::size_t block_bytes = std::max(kUnit, (bytes / 2 + kUnit - 1) / kUnit * kUnit);
  const Node::Memory memory{.slot_bytes = ranks * block_bytes, .total_bytes = SIZE_MAX};
  std::string why;
  auto node =
      Node::make({.transport = transport, .tag = 0}, schedule::NodeMap(all_on_one), memory, why);
  if (!node) throw Error(ErrorClass::no_memory, text("no shared memory: ", why));
  return node;
}

class Limit {
 public:
  Limit(const Communicator& comm, std::size_t bytes)
      : comm_(comm),
        next_((comm.rank() + 1) % comm.ranks()),
        bytes_per_rank_(static_cast<std::size_t>(comm.ranks()) * bytes / 2),
        transport_(comm.get()),
        node_(make_node(transport_, bytes)),
        send_(bytes_per_rank_, pattern(comm.rank())),
        receive_(bytes_per_rank_) {}

  /// This rank's samples.
  std::vector<double> measure(const Options& options) {
    std::vector<double> microseconds;
    support::Barrier barrier(comm_);
    for (int iteration = -options.warmup; iteration < options.iterations; ++iteration) {
      barrier.wait();
      const double start = MPI_Wtime();
      for (int call = 0; call < options.batch; ++call) exchange();
      const double end = MPI_Wtime();
      if (iteration >= 0) microseconds.push_back((end - start) * 1e6 / options.batch);
    }
    return microseconds;
  }

  std::size_t bytes_per_rank() const { return bytes_per_rank_; }
  bool is_right() const {
    return std::ranges::count(receive_, pattern(next_)) == std::ssize(receive_);
  }

 private:
  static std::byte pattern(int rank) { return static_cast<std::byte>(rank % 255 + 1); }

  /// What is timed. Neighbours are told, and waited for, in the library's order.
  void exchange() {
    node_->begin();
    std::memcpy(node_->slot(node_->self()), send_.data(), bytes_per_rank_);
    for_each_other([&](int local) { node_->send_cell(local); });
    for_each_other([&](int local) { node_->wait_for_cell(local); });
    std::memcpy(receive_.data(), node_->slot(next_), bytes_per_rank_);
  }

  template <class Visit>
  void for_each_other(Visit&& visit) const {
    for (int local = node_->self() + 1; local < node_->ranks(); ++local) visit(local);
    for (int local = 0; local < node_->self(); ++local) visit(local);
  }

  const Communicator& comm_;
  int next_;
  std::size_t bytes_per_rank_;
  mpi::Transport transport_;
  std::unique_ptr<Node> node_;
  std::vector<std::byte> send_;
  std::vector<std::byte> receive_;
};

Json row_of(const Options& options, int ranks, std::size_t bytes, std::size_t bytes_per_rank,
            const support::Summary& times) {
  Json line = {{"program", "limit"},       {"ranks", ranks},
               {"bytes", bytes},           {"iterations", options.iterations},
               {"warmup", options.warmup}, {"batch", options.batch}};
  add_times(line, times);
  line["bytes_per_rank"] = bytes_per_rank;
  return line;
}

/// The rows in their format, each written as soon as it is known.
class Rows {
 public:
  explicit Rows(const Options& options) : format_(options.format), out_(options.output) {}

  void add(const Json& row) {
    out_.write(format_ == support::Format::table ? text(is_first_ ? kHeading : "", line_of(row))
                                                 : support::record_text(format_, row, is_first_));
    out_.flush();
    is_first_ = false;
  }

 private:
  static constexpr const char* kHeading =
      "     S bytes  bytes a rank   median us     p95 us      95% of median us\n";

  static std::string line_of(const Json& row) {
    const auto number = [&](const char* key) { return row.at(key).get<double>(); };
    return fmt::format("{:>12}  {:>12}  {:>10.2f} {:>10.2f} {:>10.2f} - {:.2f}\n",
                       row.at("bytes").get<std::size_t>(),
                       row.at("bytes_per_rank").get<std::size_t>(), number("median_us"),
                       number("p95_us"), number("low_us"), number("high_us"));
  }

  support::Format format_;
  support::OutputFile out_;
  bool is_first_ = true;
};

void require_right(const Communicator& comm, bool is_right, std::size_t bytes) {
  std::uint64_t wrong = is_right ? 0 : 1;
  support::all_reduce(comm, std::span(&wrong, 1), MPI_SUM);
  if (wrong != 0) throw support::WrongResult(text("wrong bytes at S = ", bytes));
}

void run_size(const Communicator& comm, const Options& options, Rows* rows, std::size_t bytes) {
  Limit limit(comm, bytes);
  const std::vector<double> own = limit.measure(options);
  std::vector<double> slowest(own.size());
  check_mpi(MPI_Reduce(own.data(), slowest.data(), static_cast<int>(own.size()), MPI_DOUBLE,
                       MPI_MAX, 0, comm.get()),
            "MPI_Reduce");
  require_right(comm, limit.is_right(), bytes);
  support::collectively(comm, [&] {
    if (rows != nullptr)
      rows->add(row_of(options, comm.ranks(), bytes, limit.bytes_per_rank(),
                       support::summarize(slowest, kSeed)));
  });
}

void run(const Options& options) {
  const Communicator comm(MPI_COMM_WORLD);
  const int nodes = support::find_cluster(comm).nodes;
  if (nodes != 1)
    throw Error(ErrorClass::argument, text("the ranks are on ", nodes, " nodes, must be on one"));
  std::optional<Rows> rows;
  support::collectively(comm, [&] {
    if (comm.rank() == 0) rows.emplace(options);
  });
  for (const std::size_t bytes : options.bytes)
    run_size(comm, options, rows ? &*rows : nullptr, bytes);
}

/// Errors that all ranks share stay what they are; those of MPI and of the segment are this rank's
/// alone.
int run_and_tell(const Options& options) {
  try {
    run(options);
  } catch (const support::WrongResult&) {
    throw;
  } catch (const Error& error) {
    if (error.error_class() == ErrorClass::other) throw std::runtime_error(error.what());
    throw;
  }
  return EXIT_SUCCESS;
}

std::variant<Options, std::string> parse_options(int argc, const char* const* argv) {
  Options options;
  std::string bytes = "16,64,256,1k";
  support::CommandLine line(
      "Measure what an exchange in the shared memory of a node can do at most.", kProgram);
  describe(line, options, bytes);
  if (auto help = support::parse(line, argc, argv)) return *std::move(help);
  options.bytes = parse_sizes("--bytes", bytes, INT_MAX);
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  return support::run_program<Options>(
      kProgram, [&] { return parse_options(argc, argv); },
      [](const Options& options, int) { return run_and_tell(options); });
}
