#include "fft/options.hpp"

#include <charconv>
#include <map>
#include <string_view>

#include "command_line.hpp"

namespace rondo::fft {

namespace {

/// So many points that no product of lengths overflows.
constexpr std::int64_t kMostPoints = std::int64_t{1} << 60;

/// As many positive numbers as `numbers` has, with an x between. Their product is limited.
template <std::size_t Count>
bool read_product(std::string_view text, std::array<std::int64_t, Count>& numbers) {
  std::int64_t room = kMostPoints;
  const char* next = text.data();
  const char* const end = text.data() + text.size();
  for (std::size_t i = 0; i < Count; ++i) {
    if (i > 0 && (next == end || *next++ != 'x')) return false;
    const auto [stop, error] = std::from_chars(next, end, numbers[i]);
    if (error != std::errc{} || numbers[i] < 1 || numbers[i] > room) return false;
    room /= numbers[i];
    next = stop;
  }
  return next == end;
}

Size read_size(const std::string& given) {
  Size size{};
  if (!read_product(given, size))
    throw Error(ErrorClass::argument,
                text("--size: '", given,
                     "' is not three positive numbers as in 64x48x50, with at "
                     "most 2^60 points (--help tells more)"));
  return size;
}

Shape read_grid(const std::string& given) {
  std::array<std::int64_t, 2> sides{};
  if (!read_product(given, sides))
    throw Error(ErrorClass::argument, text("--grid: '", given,
                                           "' is not two positive numbers as in 2x3 (--help tells "
                                           "more)"));
  return {sides[0], sides[1]};
}

void add_size_options(CLI::App& app, Options& options) {
  const CLI::Range range(std::int64_t{1}, kMostPoints);
  CLI::Option* blocks =
      app.add_option("--blocks", options.blocks,
                     "1-D transform of P^2 M points on P ranks: every exchange has blocks of M")
          ->check(range)
          ->capture_default_str();
  CLI::Option* points = app.add_option("--points", options.points, "1-D transform of any length")
                            ->check(range)
                            ->excludes(blocks);
  CLI::Option* size =
      app.add_option_function<std::string>(
             "--size", [&options](const std::string& given) { options.size = read_size(given); },
             "3-D transform, as in 64x48x50")
          ->excludes(blocks)
          ->excludes(points);
  CLI::Option* decomposition =
      app.add_option("--decomposition", options.pencil,
                     "slab (one dimension dealt out) or pencil (two); with --size")
          ->transform(CLI::CheckedTransformer(
              std::map<std::string, bool>{{"slab", false}, {"pencil", true}}))
          ->default_str("slab")
          ->needs(size);
  app.add_option_function<std::string>(
         "--grid", [&options](const std::string& given) { options.grid = read_grid(given); },
         "Rows x columns of ranks for pencils; nearly square if not given")
      ->needs(decomposition);
}

void add_transform_options(CLI::App& app, Options& options) {
  app.add_option("--precision", options.precision, "double or single")
      ->transform(CLI::CheckedTransformer(std::map<std::string, Precision>{
          {"double", Precision::float64}, {"single", Precision::float32}}))
      ->default_str("double");
  app.add_option("--direction", options.direction, "forward, backward or both, one after the other")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, Direction>{{"forward", Direction::forward},
                                           {"backward", Direction::backward},
                                           {"both", Direction::both}}))
      ->default_str("forward");
  app.add_option("--iterations", options.iterations, "Transforms in a run, after one untimed")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  app.add_option("--planning", options.measure,
                 "How FFTW plans: estimate, or measure, which is for ranks with a core each")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, bool>{{"estimate", false}, {"measure", true}}))
      ->default_str("estimate");
  app.add_flag("--verify", options.verify,
               "Compare every result with FFTW's in double on rank 0, which must have the memory "
               "for it; status 1 if they differ");
}

}  // namespace

std::variant<Options, bench::Answer> parse_options(int argc, const char* const* argv) {
  CLI::App app(
      text("Fourier transforms over MPI ranks with Rondo's exchanges and FFTW. --compare "
           "also knows ",
           kFftwMpi, ", FFTW's own MPI transform."));
  Options options;
  add_size_options(app, options);
  add_transform_options(app, options);
  apps::add_common_options(app, options.common);
  if (auto help = bench::parse(app, argc, argv)) return *std::move(help);
  if (options.grid && !options.pencil)
    throw Error(ErrorClass::argument, "--grid is for --decomposition pencil (--help tells more)");
  return options;
}

}  // namespace rondo::fft
