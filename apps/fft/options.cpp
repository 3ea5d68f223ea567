#include "fft/options.hpp"

#include <charconv>

#include "support/command_line.hpp"

namespace rondo::fft {

namespace {

/// The most points. With more, a product of lengths could overflow.
constexpr std::int64_t kMostPoints = std::int64_t{1} << 60;

/// Positive numbers separated by x, whose product is limited. Throws if `given` is not `needed`.
template <std::size_t Count>
std::array<std::int64_t, Count> read_product(const std::string& option, const std::string& given,
                                             const char* needed) {
  const auto check = [&](bool good) {
    if (!good) throw Error(ErrorClass::argument, text(option, ": '", given, "' is not ", needed));
  };
  std::array<std::int64_t, Count> numbers{};
  std::int64_t room = kMostPoints;
  const char* next = given.data();
  const char* const end = next + given.size();
  for (std::size_t i = 0; i < Count; ++i) {
    if (i > 0) check(next != end && *next++ == 'x');
    const auto [stop, error] = std::from_chars(next, end, numbers[i]);
    check(error == std::errc{} && numbers[i] >= 1 && numbers[i] <= room);
    room /= numbers[i];
    next = stop;
  }
  check(next == end);
  return numbers;
}

void add_size_options(support::CommandLine& line, Options& options) {
  using support::add_read;
  const auto points_of = [&options](const std::string& option, const std::string& given) {
    options.points = read_product<1>(option, given, "a whole number from 1 to 2^60")[0];
  };
  const auto size_of = [&options](const std::string& option, const std::string& given) {
    options.size = read_product<3>(
        option, given, "three positive numbers as in 64x48x50, with at most 2^60 points");
  };
  const auto grid_of = [&options](const std::string& option, const std::string& given) {
    const auto [rows, columns] = read_product<2>(option, given, "two positive numbers as in 2x3");
    options.grid = {rows, columns};
  };
  const support::Option blocks = support::add_number(
      line, "--blocks", options.blocks, {std::int64_t{1}, kMostPoints},
      "1-D transform of P^2 M points on P ranks; every exchange has blocks of M points");
  const support::Option points =
      add_read(line, "--points", "1..2^60", "1-D transform of any length", points_of)
          .excludes(blocks);
  const support::Option size =
      add_read(line, "--size", "AxBxC", "3-D transform, as in 64x48x50", size_of)
          .excludes(blocks)
          .excludes(points);
  const support::Option decomposition =
      support::add_choice<bool>(line, "--decomposition", options.pencil,
                                {{"slab", false}, {"pencil", true}},
                                "slab (one dimension dealt out) or pencil (two); with --size")
          .needs(size);
  add_read(line, "--grid", "AxB", "Rows x columns of ranks for pencils; nearly square by default",
           grid_of)
      .needs(decomposition);
  support::add_number(
      line, "--pipeline", options.pipeline, {0, 1000},
      "Run every algorithm of Rondo again, as NAME+pipeline, with the slabs of a rank in this many "
      "parts: while one is exchanged the next is transformed; 0 leaves this out")
      .needs(size);
}

/// Puts NAME+pipeline behind every NAME that can do it.
std::vector<std::string> with_pipelined(const std::vector<std::string>& algorithms) {
  std::vector<std::string> all;
  for (const std::string& algorithm : algorithms) {
    all.push_back(algorithm);
    if (algorithm != kFftwMpi) all.push_back(algorithm + kPipelined);
  }
  return all;
}

void add_transform_options(support::CommandLine& line, Options& options) {
  support::add_choice<Precision>(line, "--precision", options.precision,
                                 {{"double", Precision::float64}, {"single", Precision::float32}},
                                 "The precision of the numbers");
  support::add_choice<Direction>(line, "--direction", options.direction,
                                 {{"forward", Direction::forward},
                                  {"backward", Direction::backward},
                                  {"both", Direction::both}},
                                 "The direction; both is forward and then backward");
  support::add_number(line, "--iterations", options.iterations, {1, 1000000},
                      "Transforms in a run, after one that is not timed");
  support::add_choice<bool>(
      line, "--planning", options.measure, {{"estimate", false}, {"measure", true}},
      "How FFTW plans: estimate, or measure, which needs a core for each rank");
  support::add_switch(
      line, "--verify", options.verify,
      "Compare every result with FFTW's in double precision on rank 0, which needs the "
      "memory for all points; if they differ, the exit status is 1");
}

}  // namespace

std::variant<Options, std::string> parse_options(int argc, const char* const* argv) {
  support::CommandLine line(
      text("Fourier transforms over MPI ranks with Rondo's exchanges and FFTW. "
           "--algorithm also accepts ",
           kFftwMpi, ", FFTW's own MPI transform."),
      "rondo-fft");
  Options options;
  add_size_options(line, options);
  add_transform_options(line, options);
  apps::add_common_options(line, options.common, {kFftwMpi});
  if (auto help = support::parse(line, argc, argv)) return *std::move(help);
  if (options.grid && !options.pencil)
    throw Error(ErrorClass::argument, "--grid requires --decomposition pencil (see --help)");
  if (options.pipeline != 0 && options.pencil)
    throw Error(
        ErrorClass::argument,
        "--pipeline: only slabs can be exchanged in parts; leave --decomposition pencil away");
  if (options.pipeline != 0) options.common.algorithms = with_pipelined(options.common.algorithms);
  return options;
}

}  // namespace rondo::fft
