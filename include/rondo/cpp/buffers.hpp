/// Part of rondo.hpp: what exchanges take, and what they throw.
#ifndef RONDO_CPP_BUFFERS_HPP
#define RONDO_CPP_BUFFERS_HPP

#include <rondo/rondo.h>

#include <complex>
#include <concepts>
#include <cstddef>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace rondo {

/// An error: its MPI error class, and a text that says what is wrong, with the numbers.
class Exception : public std::runtime_error {
 public:
  /// Made by Rondo.
  Exception(int error_class, const std::string& text)
      : std::runtime_error(text), error_class_(error_class) {}

  /// The class: MPI_ERR_COUNT, MPI_ERR_TRUNCATE, ...
  int error_class() const noexcept { return error_class_; }

 private:
  int error_class_;
};

/// The MPI datatype of T, as Datatype<T>::get() returns it. Specialise it for a trivially copyable type of your
/// own; get() must then return a committed datatype whose extent is sizeof(T).
template <class T>
struct Datatype;

template <std::integral T>
struct Datatype<T> {
  static MPI_Datatype get() {
    if constexpr (std::same_as<T, bool>) return MPI_CXX_BOOL;
    if constexpr (std::same_as<T, char>) return MPI_CHAR;
    if constexpr (std::signed_integral<T>) {
      return sizeof(T) == 1   ? MPI_INT8_T
             : sizeof(T) == 2 ? MPI_INT16_T
             : sizeof(T) == 4 ? MPI_INT32_T
                              : MPI_INT64_T;
    } else {
      return sizeof(T) == 1   ? MPI_UINT8_T
             : sizeof(T) == 2 ? MPI_UINT16_T
             : sizeof(T) == 4 ? MPI_UINT32_T
                              : MPI_UINT64_T;
    }
  }
};

template <>
struct Datatype<float> {
  static MPI_Datatype get() { return MPI_FLOAT; }
};
template <>
struct Datatype<double> {
  static MPI_Datatype get() { return MPI_DOUBLE; }
};
template <>
struct Datatype<long double> {
  static MPI_Datatype get() { return MPI_LONG_DOUBLE; }
};
template <>
struct Datatype<std::byte> {
  static MPI_Datatype get() { return MPI_BYTE; }
};
template <>
struct Datatype<std::complex<float>> {
  static MPI_Datatype get() { return MPI_CXX_FLOAT_COMPLEX; }
};
template <>
struct Datatype<std::complex<double>> {
  static MPI_Datatype get() { return MPI_CXX_DOUBLE_COMPLEX; }
};

/// A type that the elements of buffers may have.
template <class T>
concept Element = std::is_trivially_copyable_v<T> && requires {
  { Datatype<T>::get() } -> std::same_as<MPI_Datatype>;
};

/// A contiguous, sized range of elements, from which blocks are sent.
template <class R>
concept SendBuffer = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
    Element<std::ranges::range_value_t<R>>;

/// A contiguous, sized range of elements that are not const, into which blocks are received.
template <class R>
concept RecvBuffer =
    SendBuffer<R> && !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<R>>>;

/// The type of `in_place`.
struct InPlace {};

/// The first argument of an in-place exchange, in which received blocks replace the sent ones.
inline constexpr InPlace in_place{};

/// Counts and displacements, one for each rank or for each edge.
using Ints = std::span<const int>;

/// Datatypes, one for each rank or for each edge.
using Types = std::span<const MPI_Datatype>;

}  // namespace rondo

#endif
