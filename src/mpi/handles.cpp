#include "mpi/handles.hpp"

#include "mpi/error.hpp"
#include "mpi/messages.hpp"

namespace rondo::mpi {

namespace {

/// Makes a type of `bytes` consecutive bytes: pieces whose length fits in an int, then the rest.
void make_consecutive(std::size_t bytes, OwnedType& all) {
  constexpr std::size_t kPiece = Messages::kLongestMessage;
  int lengths[] = {static_cast<int>(bytes / kPiece), static_cast<int>(bytes % kPiece)};
  MPI_Aint displacements[] = {0, static_cast<MPI_Aint>(bytes - bytes % kPiece)};
  OwnedType piece;
  check(PMPI_Type_contiguous(static_cast<int>(kPiece), MPI_BYTE, &piece.handle),
        "MPI_Type_contiguous");
  MPI_Datatype types[] = {piece.handle, MPI_BYTE};
  check(PMPI_Type_create_struct(2, lengths, displacements, types, &all.handle),
        "MPI_Type_create_struct");
}

}  // namespace

Datatype::Datatype(std::size_t bytes, std::span<const MPI_Aint> displacements) {
  const int count = static_cast<int>(displacements.size());
  if (bytes <= Messages::kLongestMessage) {
    check(PMPI_Type_create_hindexed_block(count, static_cast<int>(bytes), displacements.data(),
                                          MPI_BYTE, &type_.handle),
          "MPI_Type_create_hindexed_block");
  } else {
    OwnedType block;
    make_consecutive(bytes, block);
    check(PMPI_Type_create_hindexed_block(count, 1, displacements.data(), block.handle,
                                          &type_.handle),
          "MPI_Type_create_hindexed_block");
  }
  check(PMPI_Type_commit(&type_.handle), "MPI_Type_commit");
}

}  // namespace rondo::mpi
