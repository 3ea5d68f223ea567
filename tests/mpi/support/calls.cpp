#include "support/calls.hpp"

namespace rondo::testing {

namespace {

int count_of(const Arguments& side) {
  return side.counts == nullptr ? 0 : side.counts[0];
}

MPI_Datatype type_of(const Arguments& side) {
  return side.types == nullptr ? MPI_DATATYPE_NULL : side.types[0];
}

#if MPI_VERSION >= 4
/// The arrays of the _c functions; null stays null.
struct Large {
  Large(const Arguments& side, MPI_Comm comm) {
    int ranks = 0;
    MPI_Comm_size(comm, &ranks);
    if (side.counts != nullptr) counts_.assign(side.counts, side.counts + ranks);
    if (side.displacements != nullptr)
      displacements_.assign(side.displacements, side.displacements + ranks);
  }
  const MPI_Count* counts() const { return counts_.empty() ? nullptr : counts_.data(); }
  const MPI_Aint* displacements() const {
    return displacements_.empty() ? nullptr : displacements_.data();
  }

 private:
  std::vector<MPI_Count> counts_;
  std::vector<MPI_Aint> displacements_;
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
  switch (collective) {
    case Collective::alltoall:
      return Rondo_Alltoall(send.buffer, count_of(send), type_of(send), receive.buffer,
                            count_of(receive), type_of(receive), comm);
    case Collective::alltoallv:
      return Rondo_Alltoallv(send.buffer, send.counts, send.displacements, type_of(send),
                             receive.buffer, receive.counts, receive.displacements,
                             type_of(receive), comm);
    case Collective::alltoallw:
      break;
  }
  return Rondo_Alltoallw(send.buffer, send.counts, send.displacements, send.types, receive.buffer,
                         receive.counts, receive.displacements, receive.types, comm);
}

#if MPI_VERSION >= 4
int exchange_large(Collective collective, const Arguments& send, const Arguments& receive,
                   MPI_Comm comm) {
  const Large from(send, comm);
  const Large to(receive, comm);
  switch (collective) {
    case Collective::alltoall:
      return Rondo_Alltoall_c(send.buffer, count_of(send), type_of(send), receive.buffer,
                              count_of(receive), type_of(receive), comm);
    case Collective::alltoallv:
      return Rondo_Alltoallv_c(send.buffer, from.counts(), from.displacements(), type_of(send),
                               receive.buffer, to.counts(), to.displacements(), type_of(receive),
                               comm);
    case Collective::alltoallw:
      break;
  }
  return Rondo_Alltoallw_c(send.buffer, from.counts(), from.displacements(), send.types,
                           receive.buffer, to.counts(), to.displacements(), receive.types, comm);
}
#else
int exchange_large(Collective, const Arguments&, const Arguments&, MPI_Comm) {
  return MPI_ERR_UNSUPPORTED_OPERATION;
}
#endif

int make_plan(Collective collective, const Arguments& send, const Arguments& receive, MPI_Comm comm,
              MPI_Info info, Rondo_Plan* plan) {
  switch (collective) {
    case Collective::alltoall:
      return Rondo_Alltoall_plan(send.buffer, count_of(send), type_of(send), receive.buffer,
                                 count_of(receive), type_of(receive), comm, info, plan);
    case Collective::alltoallv:
      return Rondo_Alltoallv_plan(send.buffer, send.counts, send.displacements, type_of(send),
                                  receive.buffer, receive.counts, receive.displacements,
                                  type_of(receive), comm, info, plan);
    case Collective::alltoallw:
      break;
  }
  return Rondo_Alltoallw_plan(send.buffer, send.counts, send.displacements, send.types,
                              receive.buffer, receive.counts, receive.displacements, receive.types,
                              comm, info, plan);
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
  switch (collective) {
    case Collective::alltoall:
      return MPI_Alltoall(send.buffer, count_of(send), type_of(send), receive.buffer,
                          count_of(receive), type_of(receive), comm);
    case Collective::alltoallv:
      return MPI_Alltoallv(send.buffer, send.counts, send.displacements, type_of(send),
                           receive.buffer, receive.counts, receive.displacements, type_of(receive),
                           comm);
    case Collective::alltoallw:
      break;
  }
  return MPI_Alltoallw(send.buffer, send.counts, send.displacements, send.types, receive.buffer,
                       receive.counts, receive.displacements, receive.types, comm);
}

}  // namespace rondo::testing
