#include <algorithm>
#include <climits>
#include <filesystem>

#include "base/error.hpp"
#include "base/text.hpp"
#include "options.hpp"
#include "support/command_line.hpp"

namespace rondo::bench {

namespace {

using support::add_choice;
using support::add_number;
using support::add_switch;
using support::add_text;
using support::add_texts;

constexpr const char* kFooter = R"(Distributions:
  S is the length that --bytes gives.
  uniform      0..S (the default of all but alltoall)
  window:R     (100-R)% of S .. S, as in window:20
  power:BASE   S * BASE^k for k = 0..P-1, shuffled by each rank, as in power:0.9
  normal       mean S/2, three standard deviations to 0 and to S
  constant     S (the default, and the only one, for alltoall and ialltoall)
  sparse:K     S to K ranks of each rank's own, 0 to the others; to all where
               there are at most K (sparse:4 is the default of sparse_alltoallv)
  mix:F=W,...  F S with weight W, for each fraction F, which ascend, as in
               mix:0=0.9,0.5=0.05,1=0.05; rondo whatif prints those of programs
  few:K        S from all ranks to the same K ranks, 0 to the others
  stencil:N    S through each face of a periodic grid of ranks, which
               MPI_Dims_create makes; N is 5, 7 or 27 points, which includes
               edges and corners
               (stencil:27 is the default of neighbourhoods)
  open_stencil:N  the same on a grid that is not periodic
  sparse:K:same, few:K:same, stencil:N:same, open_stencil:N:same
               the same S bytes of a rank to all of these, sent from one place
  matrix:FILE  P x P byte counts; row s is what rank s sends; --bytes is ignored
  market:FILE  what ranks with blocks of rows of this square matrix, in a Matrix
               Market file, need to multiply it by a vector of doubles; --bytes
               is ignored

Method:
  Random lengths are drawn anew for each iteration, the same for all
  algorithms, up to 128 times; then they repeat in order. All calls of a batch
  have the same lengths, and with --plan all iterations have. With --check the
  blocks of alltoallv and alltoallw lie a few bytes apart; otherwise they touch.
  A sample is the time of the slowest rank from its own start to its own end,
  after a barrier, divided by the calls of a batch: more than one call shows
  less of how ranks leave the barrier. Samples at the same place in
  `samples_us` belong to the same iteration, for all algorithms of a run.
  Before that, `auto` makes calls on a new communicator until it has learned,
  for about a second. `first_us` is the mean of the first 100 of them, and of
  as many calls of the MPI library.
  A size is measured again, up to twice, if other programs took more than 15 %
  of the cores meanwhile, or the cores have moved. `disturbed` says so if that
  did not help, and no row has the star of the fastest. Neither is done with
  fewer than 10 samples. With --learn, --unprepared or --one-core nothing is
  measured again.

Algorithms:
  `mpi`, the library's own call, always takes part: `speedup` is its median
  over the algorithm's. For `auto`, `parameters` says what it ran last.
  alltoallv_dynamic is alltoallv for ranks that do not know how much they
  receive: there `mpi` is the library's alltoall of counts and its alltoallv,
  and `two_calls`, which also takes part, is Rondo's.
  sparse_alltoallv is an exchange in which ranks name only those to which they
  send: there `mpi` is the library's alltoall of counts, and then nonblocking
  sends and receives.
  neighbor_alltoall, neighbor_alltoallv and neighbor_alltoallw take sparse, few,
  stencil, matrix and market. There is an edge from a rank to each to which it
  sends. All S and iterations have the same edges; in neighbor_alltoall all
  blocks have S bytes. `by_hand`, which also takes part, is MPI_Irecv,
  MPI_Isend and MPI_Waitall.
  ialltoall, ialltoallv and ialltoallw are started: Rondo_Ialltoall and
  MPI_Ialltoall. Their median is that of a start and a wait. Then the program
  computes as long as that, first alone, and then between a start and a wait.
  What the exchange adds to the computing is `visible`, and `overlap` is 100
  (1 - visible / median) per cent.

Contenders:
  A library of --contender has a C function contender_COLLECTIVE for each
  collective that it takes part in, as contender_alltoallv, with the arguments
  of the MPI function (MPI_Alltoallv), or of Rondo_Alltoallv_dynamic and
  Rondo_Sparse_alltoallv; what it writes into `sources` is not read. It returns
  MPI_SUCCESS, or another code of MPI. Its communicator is its own, and lives
  as long as the benchmark, so what the first call sets up can be kept. It must
  be linked to the MPI library of rondo-bench. See docs/measuring.md and
  examples/contenders.

Examples:
  mpirun -n 8 rondo-bench alltoallv --algorithm all --bytes 16:1k --check
  mpirun -n 8 rondo-bench alltoall --algorithm tunable_bruck:radix=4,auto)";

/// What was given, before it is understood.
struct Given {
  std::optional<Call> call;
  std::string algorithms = "all";
  std::vector<std::string> contenders;
  std::string bytes = "16,64,256,1k";
  std::string distribution;
  std::string one_core;
  bool list = false;
  bool dry_run = false;
};

void describe_exchange(support::CommandLine& line, Given& given) {
  add_choice<std::optional<Call>>(line, "collective", given.call,
                                  {{"alltoall", Call::alltoall},
                                   {"alltoallv", Call::alltoallv},
                                   {"alltoallw", Call::alltoallw},
                                   {"alltoallv_dynamic", Call::alltoallv_dynamic},
                                   {"sparse_alltoallv", Call::sparse_alltoallv},
                                   {"neighbor_alltoall", Call::neighbor_alltoall},
                                   {"neighbor_alltoallv", Call::neighbor_alltoallv},
                                   {"neighbor_alltoallw", Call::neighbor_alltoallw},
                                   {"ialltoall", Call::ialltoall},
                                   {"ialltoallv", Call::ialltoallv},
                                   {"ialltoallw", Call::ialltoallw}},
                                  "The exchange that is measured");
  add_text(line, "--algorithm", given.algorithms, "NAMES",
           "Algorithms, separated by commas: names with parameters, as in --list, or auto; all "
           "stands for every algorithm that applies, at its defaults, and auto");
  add_texts(line, "--contender", given.contenders, "FILE",
            "A shared library that takes part as well, see below; its row has the file's name "
            "without .so, or NAME if it is given as NAME=FILE; may be repeated");
  add_text(line, "--bytes", given.bytes, "SIZES",
           "S, the length of the (largest) block: 16,64,256 or 16:4096 (doubling); units k, m and "
           "g, also as in KiB");
  add_text(line, "--distribution", given.distribution, "NAME",
           "The distribution of block lengths, see below");
}

void describe(support::CommandLine& line, Given& given, Options& options) {
  constexpr int kMost = 1000000;
  line.footer(kFooter);
  describe_exchange(line, given);
  add_number(line, "--iterations", options.iterations, {1, kMost},
             "The number of samples of each algorithm");
  add_number(line, "--warmup", options.warmup, {0, kMost}, "Iterations before the samples");
  add_number(line, "--batch", options.batch, {1, kMost},
             "The number of calls in a sample, one after another");
  add_number(line, "--tests", options.tests, {0, kMost},
             "With ialltoall, ialltoallv and ialltoallw: how often the program tests the exchange "
             "while it computes");
  add_number(line, "--learn", options.learn, {0, kMost},
             "Calls of `auto` alone before everything else, one after another as in a program")
      .defaults_to("until it has learned");
  add_switch(
      line, "--unprepared", options.unprepared,
      "Do not set Rondo up for `auto` in advance, and leave `auto` out of the warm-up: the first "
      "call on its communicator is a sample, or the first of --learn");
  add_text(line, "--one-core", given.one_core, "FROM:TO",
           "From iteration FROM until iteration TO, counted from 0, all ranks of a node run on one "
           "core");
  add_switch(line, "--plan", options.plan,
             "Measure executions of plans, one for each algorithm and S, against the library's own "
             "call; the results' collective ends in _plan");
  add_number(line, "--seed", options.seed, {0, UINT64_MAX},
             "The seed of block lengths, bytes, order and intervals");
  add_switch(line, "--check", options.check, "Check every byte received, and the guard bytes");
  support::add_format(line, options.format);
  add_switch(line, "--samples", options.samples,
             "Write the samples as well: `samples_us`, one for each iteration, and for `auto` also "
             "`ran`, pairs of an iteration and what ran in it and in those after it; only with "
             "--format json");
  add_text(line, "-o,--output", options.output, "FILE", support::kOutput);
  add_switch(line, "--quiet", options.quiet, support::kQuiet);
  add_switch(line, "--list", given.list, "Print the algorithms and exit; needs no mpirun");
  add_switch(line, "--dry-run", given.dry_run, "Check the options and exit; needs no mpirun");
  add_switch(
      line, "--variants", options.variants,
      "Print the algorithms and parameters worth running on these ranks at each S, and exit");
}

/// A contender whose file has no name of its own is called as the file, without folder and .so.
Asked contender_of(const std::string& given) {
  const auto equals = given.find('=');
  std::string file = equals == std::string::npos ? given : given.substr(equals + 1);
  std::string name = given.substr(0, equals);
  if (equals == std::string::npos) name = std::filesystem::path(file).stem().string();
  if (name.empty() || file.empty())
    throw Error(ErrorClass::argument,
                text("--contender: '", given, "' is neither FILE nor NAME=FILE"));
  return {.text = std::move(name), .library = std::move(file)};
}

/// Also those of algorithms that do not take part, so that a row is what its name says.
void add_contenders(const std::vector<std::string>& given, Options& options) {
  for (const std::string& one : given) {
    const Asked contender = contender_of(one);
    const std::string& name = contender.text;
    const auto is_taken = [&](const Asked& other) { return other.text == name; };
    if (std::ranges::any_of(options.algorithms, is_taken) || name == kAuto ||
        registry::find(collective_of(options.call), name) != nullptr)
      throw Error(ErrorClass::argument, text("--contender: '", one, "': there is a row '", name,
                                             "' already; say NAME=FILE with another name"));
    options.algorithms.push_back(contender);
  }
}

Stretch stretch_of(const std::string& given, int iterations) {
  const auto colon = given.find(':');
  Stretch stretch;
  if (colon == std::string::npos || !support::read_number(given.substr(0, colon), stretch.from) ||
      !support::read_number(given.substr(colon + 1), stretch.to) || stretch.from < 0 ||
      stretch.from >= stretch.to || stretch.to >= iterations)
    throw Error(ErrorClass::argument,
                text("--one-core: '", given, "' is not FROM:TO with 0 <= FROM < TO < ", iterations,
                     ", the number of iterations"));
  return stretch;
}

void interpret_learning(const Given& given, Options& options) {
  if (!given.one_core.empty()) options.one_core = stretch_of(given.one_core, options.iterations);
  if (!options.unprepared && options.learn <= 0) return;
  if (options.plan || is_started(options.call))
    throw Error(ErrorClass::argument,
                "--unprepared and --learn: `auto` learns from calls, not from plans and starts");
  if (options.unprepared && options.bytes.size() != 1)
    throw Error(ErrorClass::argument,
                "--unprepared: a communicator is new for one size only, so say one");
}

Distribution distribution_of_edges(Call call, const std::string& given) {
  const Distribution distribution = Distribution::parse(given.empty() ? "stencil:27" : given);
  if (!distribution.has_edges())
    throw Error(ErrorClass::argument,
                text("--distribution: ", to_string(call),
                     " needs edges: sparse:K, few:K, stencil:N, open_stencil:N, matrix:FILE or "
                     "market:FILE, not ",
                     given));
  if (distribution.is_same && call == Call::neighbor_alltoall)
    throw Error(ErrorClass::argument,
                text("--distribution: neighbor_alltoall has no displacements, so ranks cannot send "
                     "the same memory to several, as ",
                     given, " says; use neighbor_alltoallv"));
  return distribution;
}

Distribution distribution_of(Call call, const std::string& given) {
  const bool uniform_blocks = blocking(call) == Call::alltoall;
  if (given.empty() && call == Call::sparse_alltoallv) return Distribution::parse("sparse:4");
  if (is_on_edges(call)) return distribution_of_edges(call, given);
  if (given.empty()) return Distribution::parse(uniform_blocks ? "constant" : "uniform");
  const Distribution distribution = Distribution::parse(given);
  if (uniform_blocks && !distribution.is(simulate::Distribution::Kind::constant))
    throw Error(ErrorClass::argument, text("--distribution: all blocks of alltoall are equally "
                                           "long, so it must be constant, not ",
                                           given));
  return distribution;
}

void interpret(const Given& given, Options& options) {
  if (!given.call)
    throw Error(ErrorClass::argument,
                "which exchange? Say alltoall, alltoallv, alltoallw, alltoallv_dynamic, "
                "sparse_alltoallv, neighbor_alltoall, neighbor_alltoallv, neighbor_alltoallw, "
                "ialltoall, ialltoallv or ialltoallw");
  options.call = *given.call;
  options.algorithms = select_algorithms(collective_of(options.call), given.algorithms);
  if (options.call == Call::alltoallv_dynamic)
    options.algorithms.push_back({.text = std::string(kTwoCalls)});
  if (is_on_edges(options.call)) options.algorithms.push_back({.text = std::string(kByHand)});
  add_contenders(given.contenders, options);
  if (options.plan &&
      (options.call == Call::alltoallv_dynamic || options.call == Call::sparse_alltoallv))
    throw Error(ErrorClass::argument, text("--plan: there are no plans for ",
                                           to_string(options.call), ", whose lengths may change"));
  if (options.tests != 0 && !is_started(options.call))
    throw Error(ErrorClass::argument, text("--tests: ", to_string(options.call),
                                           " returns when it is over, so there is nothing to test; "
                                           "say ialltoall, ialltoallv or ialltoallw"));
  options.bytes = parse_sizes("--bytes", given.bytes, INT_MAX);
  options.distribution = distribution_of(options.call, given.distribution);
  interpret_learning(given, options);
  if (options.variants && (options.call == Call::sparse_alltoallv || is_on_edges(options.call)))
    throw Error(ErrorClass::argument,
                text("--variants: ", to_string(options.call), " is not tuned, so it has none"));
  if (options.variants && options.distribution.has_file())
    throw Error(ErrorClass::argument,
                "--variants: what they depend on is S, so say --bytes and name no file");
  if (options.samples && options.format != Format::json)
    throw Error(ErrorClass::argument, "--samples: only --format json prints them");
}

}  // namespace

std::variant<Options, std::string> parse_options(int argc, const char* const* argv) {
  Options options;
  Given given;
  support::CommandLine line("Measure all-to-all exchanges against the MPI library's own.",
                            "rondo-bench");
  describe(line, given, options);
  if (auto help = support::parse(line, argc, argv)) return *std::move(help);
  if (given.list) return list_algorithms(options.format);
  interpret(given, options);
  if (given.dry_run) return std::string();
  options.command = support::command_text(argc, argv);
  return options;
}

}  // namespace rondo::bench
