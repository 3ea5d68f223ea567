#include "buffers/arguments.hpp"

#include "exchange/mpi_error.hpp"

namespace rondo::buffers {

Keep::~Keep() {
  int is_finalized = 0;
  if (PMPI_Finalized(&is_finalized) != MPI_SUCCESS || is_finalized) return;
  for (MPI_Datatype type : types_) PMPI_Type_free(&type);
}

MPI_Datatype Keep::type(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL) return type;
  // Not a dup: that would run the copy callbacks of the user's attributes.
  MPI_Datatype same = MPI_DATATYPE_NULL;
  exchange::check(PMPI_Type_contiguous(1, type, &same), "MPI_Type_contiguous");
  types_.push_back(same);
  exchange::check(PMPI_Type_commit(&types_.back()), "MPI_Type_commit");
  return same;
}

const MPI_Datatype* Keep::types(const MPI_Datatype* types, int count) {
  if (types == nullptr) return nullptr;
  std::vector<MPI_Datatype> kept;
  for (int i = 0; i < count; ++i) kept.push_back(type(types[i]));
  return numbers(kept.data(), count);
}

}  // namespace rondo::buffers
