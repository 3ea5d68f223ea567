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
  std::int64_t blocks = 1;  ///< m, of N = P^2 m points, unless `points` or `size` is given
  std::optional<std::int64_t> points;  ///< of a 1-D transform
  std::optional<Size> size;            ///< of a 3-D transform
  bool pencil = false;                 ///< of a 3-D transform; slabs otherwise
  std::optional<Shape> grid;           ///< of pencils
  int pipeline = 0;                    ///< parts of a slab; 0: slabs are exchanged whole only
  Precision precision = Precision::float64;
  Direction direction = Direction::forward;
  int iterations = 1;    ///< of a run; each is forward, backward or both
  bool measure = false;  ///< FFTW measures plans before it chooses one
  bool verify = false;
};

/// The name of FFTW's own MPI transform in --algorithm.
inline constexpr const char* kFftwMpi = "fftw-mpi";

/// What follows the name of an algorithm that exchanges slabs in parts.
inline constexpr const char* kPipelined = "+pipeline";

/// Throws Error(argument) in one sentence.
std::variant<Options, std::string> parse_options(int argc, const char* const* argv);

}  // namespace rondo::fft
