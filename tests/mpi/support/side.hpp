// The arguments of one side of an exchange, in memory that the library can only read.
#pragma once

#include <map>

#include "support/calls.hpp"
#include "support/pages.hpp"
#include "support/runner.hpp"

namespace rondo::testing {

/// The datatype handles of one side, by peer.
class Handles : NonCopyable {
 public:
  Handles(const Layout& layout, MPI_Aint address) {
    for (const Placed& block : layout.blocks) {
      const auto [at, is_new] = made_.try_emplace(block.type, MPI_DATATYPE_NULL);
      if (is_new) at->second = block.type->make(address);
      by_peer_.push_back(at->second);
    }
  }
  ~Handles() { release(); }

  const std::vector<MPI_Datatype>& by_peer() const { return by_peer_; }

  void release() {
    for (auto& [type, handle] : made_) free_type(handle);
  }

 private:
  std::map<const ElementType*, MPI_Datatype> made_;
  std::vector<MPI_Datatype> by_peer_;
};

/// Where a buffer is; with absolute types MPI_BOTTOM is passed and the types hold the address.
struct Place {
  std::byte* address;
  bool is_absolute = false;
};

/// One side's arguments in read-only memory.
class Side {
 public:
  Side(Collective collective, const Layout& layout, Place place)
      : buffer_(place.is_absolute ? MPI_BOTTOM : place.address),
        handles_(layout, place.is_absolute ? address_of(place.address) : 0),
        counts_(layout.counts()),
        displacements_(layout.displacements(collective)),
        types_(handles_.by_peer()) {}

  Arguments arguments() const {
    return {buffer_, counts_.data(), displacements_.data(), types_.data()};
  }

  /// After a plan is made, none of this may matter.
  void invalidate() {
    counts_.scramble();
    displacements_.scramble();
    types_.scramble();
    handles_.release();
  }

 private:
  static MPI_Aint address_of(std::byte* memory) {
    MPI_Aint address = 0;
    must(MPI_Get_address(memory, &address));
    return address;
  }

  void* buffer_;
  Handles handles_;
  ReadOnly<int> counts_;
  ReadOnly<int> displacements_;
  ReadOnly<MPI_Datatype> types_;
};

}  // namespace rondo::testing
