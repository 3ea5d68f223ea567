// A group of librondo_core, and the exchanges of numpy's arrays and of tensors' rows on it.
#pragma once

#include <rondo/transport.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "group/side.hpp"
#include "group/transport.hpp"
#include "objects/arrays.hpp"

namespace rondo::python {

/// The error of a function of librondo_core. It becomes rondo.GroupError.
struct GroupFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Group {
 public:
  Group(int rank, int size, nb::object allgather, nb::object messages,
        std::optional<std::string> node, double timeout_seconds);
  ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  void free();

  /// By which it reaches other ranks: None on one node, and after end().
  nb::handle messages() const { return transport_.messages(); }
  /// Frees it, and what it refers to, when nothing refers to it but that.
  void end();

  /// The exchanges. If an argument is wrong, the others do not wait, but get an error, too.
  void alltoall(nb::handle send, nb::handle recv);
  void alltoallv(nb::handle send, nb::handle recv);
  Received alltoallv_dynamic(nb::handle send);

  /// What came of rows: nothing if they were not exchanged, else the bytes from each rank, or an empty list if they are
  /// what was expected.
  using Came = std::optional<std::vector<std::int64_t>>;
  Came exchange_rows(nb::handle sizes, std::int64_t rows, std::int64_t row_bytes, Address from,
                     nb::handle arriving, std::int64_t rows_to, std::int64_t row_bytes_to,
                     Address to);

  void take_part();

 private:
  /// Calls a function of librondo_core without Python's lock. Raises its error.
  template <class Function, class... Arguments>
  void call(Function function, Arguments... arguments);
  /// Returns what `body` returns, which reads the arguments. If it raises an error, this rank takes part first.
  template <class Body>
  auto checked(Body&& body);

  Transport transport_;
  int rank_;
  int size_;
  Rondo_Group group_ = nullptr;
  bool is_in_use_ = false;  ///< by a thread that has released Python's lock
};

}  // namespace rondo::python
