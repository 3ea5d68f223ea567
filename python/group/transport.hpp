// How ranks reach each other: functions in Python that librondo_core calls.
#pragma once

#include <rondo/transport.h>

#include <cstddef>
#include <optional>
#include <string>

#include "objects/view.hpp"

namespace rondo::python {

/// The transport of a group. What its functions raise is kept until they are back in Python.
class Transport {
 public:
  /// Without a node's name the ranks of a node are found out. Seconds: 0 for no limit.
  Transport(int rank, int size, nb::object allgather, nb::object messages,
            std::optional<std::string> node, double timeout_seconds);
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  /// The functions, which use this object.
  Rondo_Transport functions();

  /// A group gathers only while it is made. Then nothing need live for that.
  void forget_allgather() { allgather_.reset(); }

  nb::handle messages() const { return messages_; }
  /// When there is no group any more.
  void forget_messages() { messages_.reset(); }

  /// Raises what a function has raised, if one has.
  void rethrow();

 private:
  template <class Body>
  int guarded(Body&& body) noexcept;

  static int gather(void* context, const void* own, void* all, std::size_t bytes);
  static int send(void* context, const void* data, std::size_t bytes, int destination, int tag,
                  void** request);
  static int receive(void* context, void* data, std::size_t bytes, int source, int tag,
                     void** request);
  static int test(void* context, void* request, int* is_complete);
  static void cancel(void* context, void* request);
  static int interrupted(void* context);

  int rank_;
  int size_;
  nb::object allgather_;
  nb::object messages_;
  std::optional<std::string> node_;
  double timeout_seconds_;
  std::optional<nb::python_error> raised_;  ///< the first one
};

}  // namespace rondo::python
