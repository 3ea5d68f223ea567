#include "options.hpp"

#include "base/error.hpp"
#include "byte_list.hpp"
#include "command_line.hpp"
#include "listing.hpp"

namespace rondo::bench {

namespace {

constexpr const char* kFooter = R"(Distributions of the block lengths, S being what --bytes says:
  uniform      0..S (the default of alltoallv and alltoallw)
  window:R     (100-R)% of S .. S, as in window:20
  power:BASE   S * BASE^k for k = 0..P-1, shuffled by each rank, as in power:0.99
  normal       mean S/2, three standard deviations to 0 and to S
  constant     S (the default, and all there is, for alltoall)
  sparse:K     S to K ranks of each rank's own, 0 to the others
  matrix:FILE  P x P byte counts; row s is what rank s sends; --bytes is ignored

With --check the blocks of alltoallv and alltoallw lie a few bytes apart; otherwise they touch.
Each sample is the time of the slowest rank from its own start to its own end, after a barrier,
divided by the calls of a batch: more than one show less of how ranks leave the barrier. Samples of
the same place in `samples_us` are of the same iteration, for all algorithms of a run.
`mpi`, the library's own call, is always measured along: `speedup` is its median over the
algorithm's. Exit status: 0; 1 if --check found wrong bytes; 2 for wrong use and for output that
cannot be written.

  mpirun -n 8 rondo-bench alltoallv --algorithm all --bytes 16:1k --check
  mpirun -n 8 rondo-bench alltoall --algorithm two_layer_bruck:intra=2:inter=4,spread_out)";

/// The texts as they were given, before they are understood.
struct Texts {
  std::string call;
  std::string algorithms = "all";
  std::string bytes = "16,64,256,1k";
  std::string distribution;
  std::string format = "table";
  bool list = false;
};

void describe(CLI::App& app, Texts& texts, Options& options) {
  const std::vector<std::string> formats{"table", "json", "csv"};
  const std::vector<std::string> calls{"alltoall", "alltoallv", "alltoallw"};
  app.footer(kFooter);
  app.add_option("collective", texts.call, "alltoall, alltoallv or alltoallw")
      ->check(CLI::IsMember(calls));
  app.add_option("--algorithm", texts.algorithms,
                 "Names between commas, parameters behind colons; `all` = every algorithm that "
                 "applies, at its defaults")
      ->capture_default_str();
  app.add_option("--bytes", texts.bytes,
                 "S, the (largest) block: 16,64,256 or 16:4096 (doubling); suffixes k and m")
      ->capture_default_str();
  app.add_option("--distribution", texts.distribution, "Block lengths, see below");
  app.add_option("--iterations", options.iterations, "Samples per algorithm")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  app.add_option("--warmup", options.warmup, "Iterations before the samples")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  app.add_option("--batch", options.batch, "Calls per sample, one after another")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  app.add_option("--seed", options.seed, "Of block lengths, bytes, order and intervals")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_flag("--check", options.check, "Check every byte received, and the guard bytes");
  app.add_option("--format", texts.format, "table, json (one object a line) or csv")
      ->check(CLI::IsMember(formats))
      ->capture_default_str();
  app.add_flag("--samples", options.samples,
               "Write the samples too, `samples_us`, one an iteration; needs --format json");
  app.add_option("--output", options.output, "Write there instead of to standard output");
  app.add_flag("--list", texts.list, "Print the algorithms and end; needs no mpirun");
}

Call call_of(const std::string& name) {
  for (const Call call : {Call::alltoall, Call::alltoallv, Call::alltoallw})
    if (to_string(call) == name) return call;
  throw Error(ErrorClass::argument, "which exchange? Say alltoall, alltoallv or alltoallw");
}

Distribution distribution_of(Call call, const std::string& given) {
  const bool uniform_blocks = call == Call::alltoall;
  if (given.empty()) return Distribution::parse(uniform_blocks ? "constant" : "uniform");
  const Distribution distribution = Distribution::parse(given);
  if (uniform_blocks && distribution.kind != Distribution::Kind::constant)
    throw Error(ErrorClass::argument, text("--distribution: all blocks of alltoall are equally "
                                           "long, so it must be constant, not ",
                                           given));
  return distribution;
}

void interpret(const Texts& texts, Options& options) {
  options.call = call_of(texts.call);
  options.algorithms = select_algorithms(collective_of(options.call), texts.algorithms);
  options.bytes = parse_byte_list(texts.bytes);
  options.distribution = distribution_of(options.call, texts.distribution);
  options.format = texts.format == "json"  ? Format::json
                   : texts.format == "csv" ? Format::csv
                                           : Format::table;
  if (options.samples && options.format != Format::json)
    throw Error(ErrorClass::argument,
                text("--samples: only --format json has room for them, not ", texts.format));
}

}  // namespace

std::variant<Options, Answer> parse_options(int argc, const char* const* argv) {
  Options options;
  Texts texts;
  CLI::App app("Measure all-to-all exchanges against the MPI library's own.", "rondo-bench");
  describe(app, texts, options);
  if (auto help = parse(app, argc, argv)) return *std::move(help);
  if (texts.list) return Answer{list_algorithms()};
  interpret(texts, options);
  return options;
}

}  // namespace rondo::bench
