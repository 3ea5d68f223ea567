#include "gpu/options.hpp"

#include <cmath>

#include "command_line.hpp"
#include "listing.hpp"

namespace rondo::bench {

namespace {

constexpr const char* kFooter =
    R"(One line for each algorithm and size:
  size    bytes that a rank sends, to all ranks together
  count   bytes of a block; with a distribution other than constant, of the longest
  type    uint8
  time    microseconds a call: from the first call until the stream is empty, divided by the calls, the
          mean over the ranks
  algbw   size / time in 10^9 bytes a second
  busbw   algbw (P-1)/P: what the links of a rank carry
  host    microseconds that the call takes of the host, the mean over the ranks
  #wrong  bytes that are not what they must be, over all ranks; N/A with -c 0

A rank is a thread with a GPU, of which several share one where there are fewer. Processes are started by
MPI (--mpi), or by hand with a file that all of them see:

  rondo-bench-gpu -t 8
  mpirun -n 8 rondo-bench-gpu --mpi
  rondo-bench-gpu --id-file /shared/id --processes 2 --process 0    and the same with 1

Exit status: 0; 1 if a byte is wrong or a call failed; 2 for wrong use.)";

void check(const GpuOptions& options) {
  if (options.least_bytes > options.most_bytes)
    throw Error(ErrorClass::argument,
                text("-b ", options.least_bytes, " is more than -e ", options.most_bytes));
  const Bootstrap& start = options.bootstrap;
  if (start.mpi && !start.file.empty())
    throw Error(ErrorClass::argument, "--mpi and --id-file exclude each other");
  if (start.processes > 1 && start.file.empty())
    throw Error(ErrorClass::argument, "--processes needs --id-file, or start them by MPI: --mpi");
  if (start.process >= start.processes)
    throw Error(ErrorClass::argument, text("--process ", start.process, " of ", start.processes,
                                           " processes; they count from 0"));
}

}  // namespace

std::variant<GpuOptions, Answer> parse_gpu_options(int argc, const char* const* argv) {
  GpuOptions options;
  std::string distribution = "constant";
  bool list = false;
  CLI::App app("Times all-to-all exchanges of GPU memory and checks what they bring.",
               "rondo-bench-gpu");
  app.footer(kFooter);
  const auto bytes = CLI::AsSizeValue(false);
  app.add_option("-a,--algorithms", options.algorithms, "Names with parameters, between commas")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("-b,--minbytes", options.least_bytes, "Smallest size; K, M, G behind it")
      ->transform(bytes);
  app.add_option("-e,--maxbytes", options.most_bytes, "Largest size")->transform(bytes);
  app.add_option("-f,--stepfactor", options.factor, "From one size to the next")
      ->check(CLI::Range(1.01, 1e6))
      ->capture_default_str();
  app.add_option("-n,--iters", options.iterations, "Calls that are timed together")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("-w,--warmup_iters", options.warmup, "Calls before them")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("-c,--check", options.check, "Whether every byte is looked at")
      ->capture_default_str();
  app.add_option("-G,--cudagraph", options.graph_launches,
                 "Capture the calls into a graph and launch it so often; 0 = do not capture")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("-J,--output_file", options.json, "Write the results here too, as JSON");
  app.add_option("--distribution", distribution, "Of block lengths, as rondo-bench has them")
      ->capture_default_str();
  app.add_option("--seed", options.seed, "Of lengths and bytes")->capture_default_str();
  app.add_option("-t,--nthreads", options.threads, "Ranks of each process")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--mpi", options.bootstrap.mpi, "The processes were started by MPI");
  app.add_option("--id-file", options.bootstrap.file,
                 "Where process 0 leaves NCCL's identifier for the others");
  app.add_option("--process", options.bootstrap.process, "The number of this process")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--processes", options.bootstrap.processes, "How many there are")
      ->check(CLI::PositiveNumber);
  app.add_flag("--list", list, "Print the algorithms");
  if (auto help = parse(app, argc, argv)) return *std::move(help);
  if (list) return Answer{list_gpu_algorithms()};
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
