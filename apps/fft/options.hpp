// The command line of rondo-fft.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "common/options.hpp"
#include "fft/layout.hpp"

namespace rondo::fft {

enum class Precision { float32, float64 };
enum class Direction { forward, backward, both };

struct Options {
  apps::CommonOptions common;
  std::int64_t blocks = 1;  ///< m, of N = P^2 m points, if neither of the next two is there
  std::optional<std::int64_t> points;  ///< of a 1-D transform
  std::optional<Size> size;            ///< of a 3-D transform
  bool pencil = false;                 ///< else slabs; of a 3-D transform
  std::optional<Shape> grid;           ///< of pencils
  Precision precision = Precision::float64;
  Direction direction = Direction::forward;
  int iterations = 1;    ///< of a run; each goes in the direction, or there and back
  bool measure = false;  ///< FFTW times plans before it takes one
  bool verify = false;
};

/// What --compare calls FFTW's own MPI transform.
inline constexpr const char* kFftwMpi = "fftw-mpi";

/// Throws Error(argument) in one sentence.
std::variant<Options, std::string> parse_options(int argc, const char* const* argv);

}  // namespace rondo::fft
