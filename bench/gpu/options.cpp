#include <fmt/format.h>

#include <climits>
#include <cmath>

#include "algorithms.hpp"
#include "base/text.hpp"
#include "choice/choice.hpp"
#include "gpu/options.hpp"
#include "support/command_line.hpp"

namespace rondo::bench {

namespace {

using support::add_number;
using support::add_read;
using support::add_switch;
using support::add_text;

constexpr std::size_t kMostBytes = std::size_t{1} << 40;

constexpr const char* kFooter = R"(Columns:
  size    bytes that a rank sends, to all ranks together
  count   bytes of a block; with a distribution other than constant, of the
          longest
  type    uint8
  time    microseconds a call: from the first call until the stream is empty,
          divided by the calls, the mean over the ranks
  algbw   size / time in 10^9 bytes a second
  busbw   algbw (P-1)/P: what the links of a rank carry
  host    microseconds that the call takes of the host, the mean over the ranks
  #wrong  wrong bytes, over all ranks; N/A without --check

Ranks:
  A rank is a thread with a GPU. If there are fewer GPUs than ranks, several
  share one. Processes are started by MPI (--mpi), or by hand with a file that
  all of them see (--id-file).

Examples:
  rondo-bench-gpu --threads 8 --check
  mpirun -n 8 rondo-bench-gpu --mpi
  rondo-bench-gpu --id-file /shared/id --processes 2 --process 0)";

void check(const GpuOptions& options) {
  if (options.least_bytes > options.most_bytes)
    throw Error(ErrorClass::argument, text("--min-bytes ", options.least_bytes,
                                           " is more than --max-bytes ", options.most_bytes));
  const Bootstrap& start = options.bootstrap;
  if (start.mpi && !start.file.empty())
    throw Error(ErrorClass::argument, "--mpi and --id-file exclude each other");
  if (start.processes > 1 && start.file.empty())
    throw Error(ErrorClass::argument, "--processes needs --id-file, or start them by MPI: --mpi");
  if (start.process >= start.processes)
    throw Error(ErrorClass::argument, text("--process ", start.process, " of ", start.processes,
                                           " processes; they count from 0"));
}

void add_size(support::CommandLine& line, const std::string& names, std::size_t& value,
              const std::string& meaning) {
  const auto read = [&value](const std::string& option, const std::string& given) {
    value = parse_size(option, given, kMostBytes);
  };
  add_read(line, names, "SIZE", meaning, read).defaults_to(text(value));
}

/// graph:NAME is NAME, captured.
void check_algorithm(const std::string& option, std::string_view name) {
  constexpr std::string_view kCaptured = "graph:";
  if (name.starts_with(kCaptured)) name.remove_prefix(kCaptured.size());
  try {
    choice::parse(registry::Collective::gpu, name);
  } catch (const Error& error) {
    throw Error(ErrorClass::argument, text(option, ": ", error.what()));
  }
}

void describe_sizes(support::CommandLine& line, GpuOptions& options, std::string& distribution) {
  add_size(line, "--min-bytes", options.least_bytes, "The smallest size; suffixes k, m and g");
  add_size(line, "--max-bytes", options.most_bytes, "The largest size");
  add_number(line, "--step-factor", options.factor, {1.01, 1e6},
             "The ratio of one size to the one before");
  add_text(line, "--distribution", distribution, "NAME",
           "The distribution of block lengths, as in rondo-bench");
  add_number(line, "--seed", options.seed, {0, UINT64_MAX}, "The seed of lengths and bytes");
}

void describe_calls(support::CommandLine& line, GpuOptions& options) {
  const auto read_names = [&options](const std::string& option, const std::string& given) {
    options.algorithms = support::split_at_commas(given);
    for (const std::string& name : options.algorithms) check_algorithm(option, name);
  };
  add_read(line, "--algorithm", "NAMES", "Names with parameters, separated by commas", read_names)
      .defaults_to(fmt::format("{}", fmt::join(options.algorithms, ",")));
  add_number(line, "--iterations", options.iterations, {1, INT_MAX},
             "Calls that are timed together");
  add_number(line, "--warmup", options.warmup, {0, INT_MAX}, "Calls before them");
  add_switch(line, "--check", options.check, "Check every byte received");
  add_number(line, "--graph-launches", options.graph_launches, {0, INT_MAX},
             "Capture the calls into a graph and launch it this many times; 0 = do not capture");
  support::add_format(line, options.format);
  add_text(line, "-o,--output", options.output, "FILE", support::kOutput);
}

void describe_ranks(support::CommandLine& line, GpuOptions& options) {
  add_number(line, "--threads", options.threads, {1, INT_MAX}, "Ranks of each process");
  add_switch(line, "--mpi", options.bootstrap.mpi, "The processes were started by MPI");
  add_text(line, "--id-file", options.bootstrap.file, "FILE",
           "The file in which process 0 leaves NCCL's identifier for the others");
  add_number(line, "--process", options.bootstrap.process, {0, INT_MAX},
             "The number of this process");
  add_number(line, "--processes", options.bootstrap.processes, {1, INT_MAX},
             "The number of processes");
}

}  // namespace

std::variant<GpuOptions, std::string> parse_gpu_options(int argc, const char* const* argv) {
  GpuOptions options;
  std::string distribution = "constant";
  bool list = false;
  support::CommandLine line("Measure all-to-all exchanges of GPU memory, and check every byte.",
                            "rondo-bench-gpu");
  line.footer(kFooter);
  describe_calls(line, options);
  describe_sizes(line, options, distribution);
  describe_ranks(line, options);
  add_switch(line, "--list", list, "Print the algorithms and exit");
  if (auto help = support::parse(line, argc, argv)) return *std::move(help);
  if (list) return list_gpu_algorithms(options.format);
  options.distribution = Distribution::parse(distribution);
  check(options);
  return options;
}

std::vector<std::size_t> sizes_of(const GpuOptions& options) {
  std::vector<std::size_t> sizes;
  for (auto size = static_cast<double>(options.least_bytes);
       size <= static_cast<double>(options.most_bytes);
       size = std::max(std::floor(size * options.factor), size + 1))
    sizes.push_back(static_cast<std::size_t>(size));
  return sizes;
}

}  // namespace rondo::bench
