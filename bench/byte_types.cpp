#include "byte_types.hpp"

#include "communicator.hpp"

namespace rondo::bench {

ByteTypes::ByteTypes() {
  types_.fill(MPI_BYTE);
  for (std::size_t i = 1; i < types_.size(); ++i) {
    check_mpi(MPI_Type_contiguous(1 << i, MPI_BYTE, &types_[i]), "MPI_Type_contiguous");
    check_mpi(MPI_Type_commit(&types_[i]), "MPI_Type_commit");
  }
}

ByteTypes::~ByteTypes() {
  for (std::size_t i = 1; i < types_.size(); ++i) MPI_Type_free(&types_[i]);
}

ByteTypes::Choice ByteTypes::choose(std::size_t block_bytes, int variety) const {
  const std::size_t index = static_cast<std::size_t>(variety) % types_.size();
  const std::size_t bytes = std::size_t{1} << index;
  if (block_bytes % bytes != 0) return {types_.front(), 1};
  return {types_[index], bytes};
}

}  // namespace rondo::bench
