#include "exchange/handles.hpp"

#include "exchange/messages.hpp"
#include "exchange/mpi_error.hpp"

namespace rondo::exchange {

namespace {

/// Makes a type of `bytes` consecutive bytes: pieces whose length fits in an int, then the rest.
MPI_Datatype make_consecutive(std::size_t bytes) {
  constexpr std::size_t kPiece = Messages::kLongestMessage;
  int lengths[] = {static_cast<int>(bytes / kPiece), static_cast<int>(bytes % kPiece)};
  MPI_Aint displacements[] = {0, static_cast<MPI_Aint>(bytes - bytes % kPiece)};
  MPI_Datatype piece = MPI_DATATYPE_NULL;
  check(PMPI_Type_contiguous(static_cast<int>(kPiece), MPI_BYTE, &piece), "MPI_Type_contiguous");
  MPI_Datatype types[] = {piece, MPI_BYTE};
  MPI_Datatype all = MPI_DATATYPE_NULL;
  const int code = PMPI_Type_create_struct(2, lengths, displacements, types, &all);
  check(PMPI_Type_free(&piece), "MPI_Type_free");
  check(code, "MPI_Type_create_struct");
  return all;
}

}  // namespace

Datatype::Datatype(std::size_t bytes, std::span<const MPI_Aint> displacements) {
  const int count = static_cast<int>(displacements.size());
  if (bytes <= Messages::kLongestMessage) {
    check(PMPI_Type_create_hindexed_block(count, static_cast<int>(bytes), displacements.data(),
                                          MPI_BYTE, &type_),
          "MPI_Type_create_hindexed_block");
  } else {
    MPI_Datatype block = make_consecutive(bytes);
    const int code = PMPI_Type_create_hindexed_block(count, 1, displacements.data(), block, &type_);
    check(PMPI_Type_free(&block), "MPI_Type_free");
    check(code, "MPI_Type_create_hindexed_block");
  }
  check(PMPI_Type_commit(&type_), "MPI_Type_commit");
}

Datatype::~Datatype() {
  if (type_ != MPI_DATATYPE_NULL) PMPI_Type_free(&type_);
}

}  // namespace rondo::exchange
