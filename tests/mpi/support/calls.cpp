#include "support/calls.hpp"

namespace rondo::testing {

namespace {

/// By one of three functions, which take the sides as MPI spells them, and then all of `more`. Of a
/// side that is null, as in place, nothing is looked at.
template <class Side, class Uniform, class Variable, class Mixed, class... More>
int call(Collective collective, const Side& from, const Side& to, Uniform uniform,
         Variable variable, Mixed mixed, More... more) {
  const auto count = [](const Side& side) { return side.counts == nullptr ? 0 : side.counts[0]; };
  const auto type = [](const Side& side) {
    return side.types == nullptr ? MPI_DATATYPE_NULL : side.types[0];
  };
  switch (collective) {
    case Collective::alltoall:
      return uniform(from.buffer, count(from), type(from), to.buffer, count(to), type(to), more...);
    case Collective::alltoallv:
      return variable(from.buffer, from.counts, from.displacements, type(from), to.buffer,
                      to.counts, to.displacements, type(to), more...);
    case Collective::alltoallw:
      break;
  }
  return mixed(from.buffer, from.counts, from.displacements, from.types, to.buffer, to.counts,
               to.displacements, to.types, more...);
}

#if MPI_VERSION >= 4
/// The same side with the arrays of the _c functions; null stays null.
struct Large : NonCopyable {
  Large(const Arguments& side, MPI_Comm comm) : buffer(side.buffer), types(side.types) {
    const int ranks = ranks_of(comm);
    if (side.counts != nullptr) all_counts.assign(side.counts, side.counts + ranks);
    if (side.displacements != nullptr)
      all_displacements.assign(side.displacements, side.displacements + ranks);
    if (!all_counts.empty()) counts = all_counts.data();
    if (!all_displacements.empty()) displacements = all_displacements.data();
  }

  void* buffer;
  const MPI_Count* counts = nullptr;
  const MPI_Aint* displacements = nullptr;
  const MPI_Datatype* types;
  std::vector<MPI_Count> all_counts;
  std::vector<MPI_Aint> all_displacements;
};
#endif

}  // namespace

const char* name_of(Form form) {
  constexpr const char* kNames[] = {"direct", "plan", "large"};
  return kNames[static_cast<int>(form)];
}

std::vector<Form> forms() {
#if MPI_VERSION >= 4
  return {Form::direct, Form::plan, Form::large};
#else
  return {Form::direct, Form::plan};
#endif
}

Arguments in_place() {
  return {.buffer = MPI_IN_PLACE};
}

int exchange(Collective collective, const Arguments& send, const Arguments& receive,
             MPI_Comm comm) {
  return call(collective, send, receive, Rondo_Alltoall, Rondo_Alltoallv, Rondo_Alltoallw, comm);
}

#if MPI_VERSION >= 4
int exchange_large(Collective collective, const Arguments& send, const Arguments& receive,
                   MPI_Comm comm) {
  return call(collective, Large(send, comm), Large(receive, comm), Rondo_Alltoall_c,
              Rondo_Alltoallv_c, Rondo_Alltoallw_c, comm);
}
#else
int exchange_large(Collective, const Arguments&, const Arguments&, MPI_Comm) {
  return MPI_ERR_UNSUPPORTED_OPERATION;
}
#endif

int make_plan(Collective collective, const Arguments& send, const Arguments& receive, MPI_Comm comm,
              MPI_Info info, Rondo_Plan* plan) {
  return call(collective, send, receive, Rondo_Alltoall_plan, Rondo_Alltoallv_plan,
              Rondo_Alltoallw_plan, comm, info, plan);
}

void set_algorithm(MPI_Comm comm, const char* collective, const char* algorithm, Row& row) {
  row.expect_success(Rondo_Comm_set_algorithm(comm, collective, algorithm),
                     "Rondo_Comm_set_algorithm");
}
void set_algorithm(MPI_Comm comm, Collective collective, const std::string& algorithm, Row& row) {
  set_algorithm(comm, name_of(collective), algorithm.c_str(), row);
}
void set_algorithms(MPI_Comm comm, const std::string& algorithm, Row& row) {
  for (const Collective collective : kCollectives) set_algorithm(comm, collective, algorithm, row);
}

int exchange_mpi(Collective collective, const Arguments& send, const Arguments& receive,
                 MPI_Comm comm) {
  return call(collective, send, receive, MPI_Alltoall, MPI_Alltoallv, MPI_Alltoallw, comm);
}

}  // namespace rondo::testing
