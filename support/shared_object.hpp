// Memory that the ranks of a node share.
#pragma once

#include <memory>
#include <new>

#include "support/communicator.hpp"

namespace rondo::support {

/// One object for all ranks of a node, in the memory of the first rank.
template <class Object>
class SharedObject {
 public:
  /// Collective over the ranks of one node.
  explicit SharedObject(const Communicator& node) {
    const bool is_first = node.rank() == 0;
    void* memory = nullptr;
    const MPI_Aint own = is_first ? static_cast<MPI_Aint>(sizeof(Object) + alignof(Object)) : 0;
    check_mpi(MPI_Win_allocate_shared(own, 1, MPI_INFO_NULL, node.get(), &memory, &window_),
              "MPI_Win_allocate_shared");
    MPI_Aint bytes = 0;
    int unit = 0;
    check_mpi(MPI_Win_shared_query(window_, 0, &bytes, &unit, &memory), "MPI_Win_shared_query");
    auto room = static_cast<std::size_t>(bytes);
    memory = std::align(alignof(Object), sizeof(Object), memory, room);
    object_ = is_first ? new (memory) Object : std::launder(static_cast<Object*>(memory));
    check_mpi(MPI_Barrier(node.get()), "MPI_Barrier");
  }
  ~SharedObject() {
    // Freeing is collective. A rank that fails alone unwinds without the others, so it must not
    // free.
    if (std::uncaught_exceptions() == 0) MPI_Win_free(&window_);
  }
  SharedObject(const SharedObject&) = delete;
  SharedObject& operator=(const SharedObject&) = delete;

  Object* operator->() const { return object_; }

 private:
  MPI_Win window_ = MPI_WIN_NULL;
  Object* object_ = nullptr;
};

}  // namespace rondo::support
