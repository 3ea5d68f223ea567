// Rondo_Sparse_alltoallv, Rondo_Sparse_alltoallv_alloc and their large-count forms.

#include "api/entry.hpp"
#include "api/forward_dynamic.hpp"
#include "api/sparse_placing.hpp"
#include "communicator/attributes.hpp"

namespace rondo::api {

using namespace communicator;  // NOLINT: the entries use it throughout

namespace {

/// Counts and displacements by rank, for the MPI library.
template <class Count, class Displacement>
struct ByRank {
  ByRank(const SparseArguments<Count, Displacement>& arguments, std::size_t ranks,
         bool has_arguments)
      : send_counts(ranks),
        send_displacements(ranks),
        receive_counts(ranks),
        receive_displacements(ranks) {
    for (int i = 0; has_arguments && i < arguments.destination_count; ++i) {
      const auto rank = static_cast<std::size_t>(arguments.destinations[i]);
      send_counts[rank] = arguments.send_counts[i];
      send_displacements[rank] = arguments.send_displacements[i];
    }
  }

  std::vector<Count> send_counts;
  std::vector<Displacement> send_displacements;
  std::vector<Count> receive_counts;
  std::vector<Displacement> receive_displacements;
};

/// As a dynamic exchange of all ranks that is forwarded.
template <class Count, class Displacement>
void forward_sparse(State& state, const SparseArguments<Count, Displacement>& arguments) {
  SparsePlacing sources(arguments, state);
  auto failure = sources.bind();
  ByRank by_rank(arguments, static_cast<std::size_t>(state.ranks()), !failure);
  const DynamicArguments<Count, Displacement> dense{arguments.send_buffer,
                                                    by_rank.send_counts.data(),
                                                    by_rank.send_displacements.data(),
                                                    arguments.send_type,
                                                    arguments.target,
                                                    by_rank.receive_counts.data(),
                                                    by_rank.receive_displacements.data(),
                                                    arguments.receive_type,
                                                    arguments.comm};
  Placing placing(dense, state.kept);
  if (!failure) failure = bind_dynamic(state, dense, placing);
  const auto error = failure_of([&] { forward_bound(state, dense, placing, failure); });
  sources.list(by_rank.receive_counts, by_rank.receive_displacements);
  if (error) throw Error(*error);
}

template <class Count, class Displacement>
void exchange_sparse_once(State& state, const SparseArguments<Count, Displacement>& arguments) {
  if (state.must_forward()) return forward_sparse(state, arguments);
  state.begin_exchange();
  const choice::Choice& choice = state.choose_sparse();
  SparsePlacing placing(arguments, state);
  auto failure = placing.bind();
  execute_sparse({.state = state,
                  .choice = choice,
                  .send_buffer = arguments.send_buffer,
                  .destinations = arguments.destinations,
                  .receiver = placing,
                  .failure = std::move(failure)});
  placing.finish();
}

template <class Count, class Displacement>
int exchange_sparse(const SparseArguments<Count, Displacement>& arguments) {
  return guarded(arguments.comm, [&] {
    if (is_inter(arguments.comm))
      throw Error(ErrorClass::communicator,
                  "comm is an inter-communicator, on which there are no sparse exchanges");
    State* const recent = recent_state(arguments.comm);
    State& state = recent != nullptr ? *recent : *state_of(arguments.comm);
    state.kept.forget();
    const auto run = [&](auto&& body) {
      return [&]() -> int {
        body(state, arguments);
        return MPI_SUCCESS;
      };
    };
    const auto exchanged = run(exchange_sparse_once<Count, Displacement>);
    if (!state.awaits_set_up()) return exchanged();
    return state.start(buffers::Form::sparse_alltoallv, run(forward_sparse<Count, Displacement>),
                       exchanged);
  });
}

}  // namespace

}  // namespace rondo::api

using rondo::api::exchange_sparse;
using rondo::api::SparseArguments;

extern "C" {

int Rondo_Sparse_alltoallv(const void* sendbuf, int ndestinations, const int destinations[],
                           const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                           void* recvbuf, int recvcapacity, MPI_Datatype recvtype,
                           Rondo_Sources* sources, MPI_Comm comm) {
  return exchange_sparse(
      SparseArguments<int, int>{sendbuf, ndestinations, destinations, sendcounts, sdispls, sendtype,
                                rondo::api::given(recvbuf, recvcapacity), recvtype, sources, comm});
}

int Rondo_Sparse_alltoallv_alloc(const void* sendbuf, int ndestinations, const int destinations[],
                                 const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                                 Rondo_Allocate_function* allocate, void* extra, void* recvbuf,
                                 MPI_Datatype recvtype, Rondo_Sources* sources, MPI_Comm comm) {
  return exchange_sparse(SparseArguments<int, int>{
      sendbuf, ndestinations, destinations, sendcounts, sdispls, sendtype,
      rondo::api::allocated(allocate, extra, recvbuf), recvtype, sources, comm});
}

#if MPI_VERSION >= 4
int Rondo_Sparse_alltoallv_c(const void* sendbuf, int ndestinations, const int destinations[],
                             const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                             MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcapacity,
                             MPI_Datatype recvtype, Rondo_Sources_c* sources, MPI_Comm comm) {
  return exchange_sparse(SparseArguments<MPI_Count, MPI_Aint>{
      sendbuf, ndestinations, destinations, sendcounts, sdispls, sendtype,
      rondo::api::given(recvbuf, recvcapacity), recvtype, sources, comm});
}

int Rondo_Sparse_alltoallv_alloc_c(const void* sendbuf, int ndestinations, const int destinations[],
                                   const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                                   MPI_Datatype sendtype, Rondo_Allocate_function* allocate,
                                   void* extra, void* recvbuf, MPI_Datatype recvtype,
                                   Rondo_Sources_c* sources, MPI_Comm comm) {
  return exchange_sparse(SparseArguments<MPI_Count, MPI_Aint>{
      sendbuf, ndestinations, destinations, sendcounts, sdispls, sendtype,
      rondo::api::allocated(allocate, extra, recvbuf), recvtype, sources, comm});
}
#endif

}  // extern "C"
