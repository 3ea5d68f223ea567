// A group of ranks that exchange blocks without MPI, and its exchanges. No MPI.
#pragma once

#include <rondo/transport.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/blocks.hpp"
#include "base/scratch.hpp"
#include "engines/context.hpp"
#include "group/table.hpp"
#include "select/decisions.hpp"

namespace rondo::group {

/// The blocks of one side of an exchange, as the caller gives them: of one length, or described by two arrays.
struct Side {
  std::size_t bytes = 0;  ///< of each block, without `lengths`
  const std::size_t* lengths = nullptr;
  const std::size_t* displacements = nullptr;
};

/// Where the bytes of an exchange go whose receivers do not know the lengths.
struct Receiver {
  Rondo_Group_allocate_function* allocate;
  void* extra;
  void** buffer;
  std::size_t* lengths;
  std::size_t* displacements;
};

/// All exchanges are collective. Their algorithms return the errors of one rank on all ranks, and report the longest
/// block to all, by which the next algorithm is chosen.
class Group {
 public:
  /// Collective.
  explicit Group(const Rondo_Transport& transport);

  int rank() const { return context_->rank; }
  int ranks() const { return context_->ranks; }

  void alltoall(const void* from, void* to, std::size_t bytes);
  void alltoallv(const void* from, const Side& sending, void* to, const Side& receiving);
  void alltoallv_dynamic(const void* from, const Side& sending, const Receiver& receiver);

 private:
  struct Band {
    std::size_t up_to;
    choice::Choice choice;
  };

  void choose();
  const choice::Choice& choice() const;
  BlockList<ConstBlock> blocks_of(const void* buffer, const Side& side);
  BlockList<Block> blocks_of(void* buffer, const Side& side);
  BlockList<Block> place(std::span<const std::uint64_t> lengths, const Receiver& receiver,
                         std::optional<Error>& failure);
  void run(Blocks& blocks, const std::optional<Error>& failure,
           engines::Incoming* incoming = nullptr);

  std::shared_ptr<Table> table_;
  std::unique_ptr<engines::Context> context_;
  std::vector<Band> bands_;  ///< in ascending order; the last one has no end
  Buffer kept_;              ///< what was received without `allocate`
  bool is_broken_ = false;   ///< an error has interrupted an exchange
};

}  // namespace rondo::group
