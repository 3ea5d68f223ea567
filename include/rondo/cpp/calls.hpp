/// Part of rondo.hpp: the exchanges as calls.
#ifndef RONDO_CPP_CALLS_HPP
#define RONDO_CPP_CALLS_HPP

#include <rondo/cpp/arguments.hpp>

#include <concepts>
#include <vector>

namespace rondo {

// ---- alltoall: the buffers hold P blocks of equal size, in the order of the ranks.

/// As Rondo_Alltoall.
inline void alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                     int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  detail::call(Rondo_Alltoall, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

/// Sends the q-th block of `send` to every rank q, and receives the q-th block of `recv` from it.
template <SendBuffer Send, RecvBuffer Recv>
void alltoall(const Send& send, Recv&& recv, MPI_Comm comm) {
  detail::equal_blocks(Rondo_Alltoall, detail::ranks_of(comm), send, recv, comm);
}

/// In place: the q-th block of `recv` goes to rank q, and the block from rank q replaces it.
template <RecvBuffer Recv>
void alltoall(InPlace, Recv&& recv, MPI_Comm comm) {
  detail::equal_blocks(Rondo_Alltoall, detail::ranks_of(comm), in_place, recv, comm);
}

// ---- alltoallv: blocks may differ in length. The block to or from rank q has counts[q] elements, from
// displs[q] on. Counts and displacements are those of elements.

/// As Rondo_Alltoallv. With MPI_IN_PLACE as sendbuf, sendcounts and sdispls may be empty.
inline void alltoallv(const void* sendbuf, Ints sendcounts, Ints sdispls, MPI_Datatype sendtype,
                      void* recvbuf, Ints recvcounts, Ints rdispls, MPI_Datatype recvtype,
                      MPI_Comm comm) {
  detail::blocks_at(Rondo_Alltoallv, detail::ranks_of(comm), sendbuf, sendcounts, sdispls, sendtype,
                    recvbuf, recvcounts, rdispls, recvtype, comm);
}

/// Sends a block of `send` to every rank, and receives a block in `recv` from it.
template <SendBuffer Send, RecvBuffer Recv>
void alltoallv(const Send& send, Ints sendcounts, Ints sdispls, Recv&& recv, Ints recvcounts,
               Ints rdispls, MPI_Comm comm) {
  detail::blocks_at(Rondo_Alltoallv, detail::ranks_of(comm), send, sendcounts, sdispls, recv,
                    recvcounts, rdispls, comm);
}

/// Without displacements: the blocks lie one after another in `send` and in `recv`.
template <SendBuffer Send, RecvBuffer Recv>
void alltoallv(const Send& send, Ints sendcounts, Recv&& recv, Ints recvcounts, MPI_Comm comm) {
  alltoallv(send, sendcounts, detail::packed("sendcounts", sendcounts), recv, recvcounts,
            detail::packed("recvcounts", recvcounts), comm);
}

/// In place: the block from rank q replaces the block to rank q. Both have counts[q] elements.
template <RecvBuffer Recv>
void alltoallv(InPlace, Recv&& recv, Ints counts, Ints displs, MPI_Comm comm) {
  detail::blocks_at(Rondo_Alltoallv, detail::ranks_of(comm), in_place, recv, counts, displs, comm);
}

/// In place, without displacements: the blocks lie one after another in `recv`.
template <RecvBuffer Recv>
void alltoallv(InPlace, Recv&& recv, Ints counts, MPI_Comm comm) {
  alltoallv(in_place, recv, counts, detail::packed("counts", counts), comm);
}

// ---- Dynamic alltoallv: the ranks do not know how much they receive.

/// What has arrived: the block from rank q has counts[q] elements, from displs[q] on. The blocks lie
/// one after another.
template <Element T>
requires(!std::same_as<T, bool>)  // a std::vector<bool> has no memory of its elements
    struct Received {
  std::vector<T> data;
  std::vector<int> counts;
  std::vector<int> displs;

  /// The block from a rank.
  std::span<const T> from(std::size_t rank) const {
    return {data.data() + displs[rank], static_cast<std::size_t>(counts[rank])};
  }
};

/// Local. Copies what Rondo keeps of this rank's last dynamic exchange on `comm` to `recvbuf`.
inline void dynamic_take(void* recvbuf, MPI_Count recvcapacity, MPI_Datatype recvtype,
                         MPI_Comm comm) {
  detail::call(Rondo_Alltoallv_dynamic_take, recvbuf, recvcapacity, recvtype, comm);
}

namespace detail {

/// A dynamic exchange into a buffer of the caller.
template <class Result = void, class Function>
Result dynamic(Function* function, const void* sendbuf, Ints sendcounts, Ints sdispls,
               MPI_Datatype sendtype, void* recvbuf, int recvcapacity, std::span<int> recvcounts,
               std::span<int> rdispls, MPI_Datatype recvtype, MPI_Comm comm) {
  const std::size_t ranks = peers(comm);
  check_lengths({{"sendcounts", sendcounts.size()}, {"sdispls", sdispls.size()}}, ranks);
  check_lengths({{"recvcounts", recvcounts.size()}, {"rdispls", rdispls.size()}}, ranks);
  return pass<Result>(function, sendbuf, sendcounts.data(), sdispls.data(), sendtype, recvbuf,
                      recvcapacity, recvcounts.data(), rdispls.data(), recvtype, comm);
}

/// A dynamic exchange that receives in `received`.
template <class Result = void, class Function, SendBuffer Send>
Result dynamic_alloc(Function* function, const Send& send, Ints sendcounts, Ints sdispls,
                     Received<ElementOf<Send>>& received, MPI_Comm comm) {
  const std::size_t ranks = peers(comm);
  check_lengths({{"sendcounts", sendcounts.size()}, {"sdispls", sdispls.size()}}, ranks);
  check_blocks("send", std::ranges::size(send), sendcounts, sdispls);
  received.counts.resize(ranks);
  received.displs.resize(ranks);
  const MPI_Datatype type = datatype_of<Send>();
  return pass<Result>(function, std::ranges::data(send), sendcounts.data(), sdispls.data(), type,
                      resize_vector<ElementOf<Send>>, &received.data, nullptr,
                      received.counts.data(), received.displs.data(), type, comm);
}

}  // namespace detail

/// As Rondo_Alltoallv_dynamic. Throws MPI_ERR_TRUNCATE on this rank if more than `recvcapacity`
/// elements arrive. recvcounts and rdispls are right then too, and dynamic_take() has the elements.
inline void alltoallv_dynamic(const void* sendbuf, Ints sendcounts, Ints sdispls,
                              MPI_Datatype sendtype, void* recvbuf, int recvcapacity,
                              std::span<int> recvcounts, std::span<int> rdispls,
                              MPI_Datatype recvtype, MPI_Comm comm) {
  detail::dynamic(Rondo_Alltoallv_dynamic, sendbuf, sendcounts, sdispls, sendtype, recvbuf,
                  recvcapacity, recvcounts, rdispls, recvtype, comm);
}

/// Sends a block of `send` to every rank, and receives in `received`, whose vectors are resized. Memory that they
/// have is used again if it suffices. After an error their contents are undefined.
template <SendBuffer Send>
void alltoallv_dynamic(const Send& send, Ints sendcounts, Ints sdispls,
                       Received<detail::ElementOf<Send>>& received, MPI_Comm comm) {
  detail::dynamic_alloc(Rondo_Alltoallv_dynamic_alloc, send, sendcounts, sdispls, received, comm);
}

/// Returns what has arrived, as Received<T>.
template <SendBuffer Send>
auto alltoallv_dynamic(const Send& send, Ints sendcounts, Ints sdispls, MPI_Comm comm) {
  Received<detail::ElementOf<Send>> received;
  alltoallv_dynamic(send, sendcounts, sdispls, received, comm);
  return received;
}

/// Without displacements: the blocks lie one after another in `send`. Returns what has arrived, as Received<T>.
template <SendBuffer Send>
auto alltoallv_dynamic(const Send& send, Ints sendcounts, MPI_Comm comm) {
  return alltoallv_dynamic(send, sendcounts, detail::packed("sendcounts", sendcounts), comm);
}

/// alltoallv() without a receive buffer and receive counts: returns what has arrived, as Received<T>. This is
/// alltoallv_dynamic(), so all ranks must leave the receive counts out, or none.
template <SendBuffer Send>
[[nodiscard]] auto alltoallv(const Send& send, Ints sendcounts, Ints sdispls, MPI_Comm comm) {
  return alltoallv_dynamic(send, sendcounts, sdispls, comm);
}

/// Without displacements and receive counts: the blocks lie one after another in `send`. Returns what has arrived,
/// as Received<T>.
template <SendBuffer Send>
[[nodiscard]] auto alltoallv(const Send& send, Ints sendcounts, MPI_Comm comm) {
  return alltoallv_dynamic(send, sendcounts, comm);
}

// ---- Sparse alltoallv: a rank names only the ranks to which it sends. The i-th block of `send` goes to rank
// destinations[i].

/// What has arrived: the i-th block is from rank sources[i] and has counts[i] elements, from displs[i]
/// on. The blocks lie one after another in the order of their sources.
template <Element T>
requires(!std::same_as<T, bool>) struct SparseReceived {
  std::vector<T> data;
  std::vector<int> sources;
  std::vector<int> counts;
  std::vector<int> displs;

  /// The i-th block, which is from rank sources[i].
  std::span<const T> block(std::size_t i) const {
    return {data.data() + displs[i], static_cast<std::size_t>(counts[i])};
  }
};

/// As Rondo_Sparse_alltoallv. Throws MPI_ERR_TRUNCATE on this rank if more than `recvcapacity`
/// elements arrive. `sources` is right then too, and dynamic_take() has the elements.
inline void sparse_alltoallv(const void* sendbuf, Ints destinations, Ints sendcounts, Ints sdispls,
                             MPI_Datatype sendtype, void* recvbuf, int recvcapacity,
                             MPI_Datatype recvtype, Rondo_Sources& sources, MPI_Comm comm) {
  detail::check_lengths({{"sendcounts", sendcounts.size()}, {"sdispls", sdispls.size()}},
                        destinations.size());
  detail::call(Rondo_Sparse_alltoallv, sendbuf, static_cast<int>(destinations.size()),
               destinations.data(), sendcounts.data(), sdispls.data(), sendtype, recvbuf,
               recvcapacity, recvtype, &sources, comm);
}

/// Sends a block of `send` to every destination, and receives in `received`, whose vectors are resized. Memory that
/// they have is used again if it suffices. After an error their contents are undefined.
template <SendBuffer Send>
void sparse_alltoallv(const Send& send, Ints destinations, Ints sendcounts, Ints sdispls,
                      SparseReceived<detail::ElementOf<Send>>& received, MPI_Comm comm) {
  detail::check_lengths({{"sendcounts", sendcounts.size()}, {"sdispls", sdispls.size()}},
                        destinations.size());
  detail::check_blocks("send", std::ranges::size(send), sendcounts, sdispls);
  const MPI_Datatype type = detail::datatype_of<Send>();
  constexpr auto kResize = detail::resize_vector<detail::ElementOf<Send>>;
  Rondo_Sources sources;
  detail::call(Rondo_Sparse_alltoallv_alloc, std::ranges::data(send),
               static_cast<int>(destinations.size()), destinations.data(), sendcounts.data(),
               sdispls.data(), type, kResize, &received.data, nullptr, type, &sources, comm);
  received.sources.assign(sources.ranks, sources.ranks + sources.count);
  received.counts.assign(sources.counts, sources.counts + sources.count);
  received.displs.assign(sources.displs, sources.displs + sources.count);
}

/// Returns what has arrived, as SparseReceived<T>.
template <SendBuffer Send>
auto sparse_alltoallv(const Send& send, Ints destinations, Ints sendcounts, Ints sdispls,
                      MPI_Comm comm) {
  SparseReceived<detail::ElementOf<Send>> received;
  sparse_alltoallv(send, destinations, sendcounts, sdispls, received, comm);
  return received;
}

/// Without displacements: the blocks lie one after another in `send`. Returns what has arrived, as
/// SparseReceived<T>.
template <SendBuffer Send>
auto sparse_alltoallv(const Send& send, Ints destinations, Ints sendcounts, MPI_Comm comm) {
  return sparse_alltoallv(send, destinations, sendcounts, detail::packed("sendcounts", sendcounts),
                          comm);
}

// ---- alltoallw: a datatype for every rank, displacements in bytes.

/// As Rondo_Alltoallw. With MPI_IN_PLACE as sendbuf, sendcounts, sdispls and sendtypes may be empty.
inline void alltoallw(const void* sendbuf, Ints sendcounts, Ints sdispls, Types sendtypes,
                      void* recvbuf, Ints recvcounts, Ints rdispls, Types recvtypes,
                      MPI_Comm comm) {
  detail::typed_blocks(Rondo_Alltoallw, detail::ranks_of(comm), sendbuf, sendcounts, sdispls,
                       sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm);
}

// ---- Neighbourhood exchanges: a block for every edge of the communicator's topology, in the order in
// which MPI numbers the edges.

/// How many edges of a topology lead from a rank and to it.
struct Degrees {
  std::size_t to = 0;
  std::size_t from = 0;
};

/// Local. Returns how many edges lead from this rank and to it. Throws MPI_ERR_TOPOLOGY if `comm` has no topology.
inline Degrees degrees(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) throw Exception(MPI_ERR_COMM, "the communicator is MPI_COMM_NULL");
  int kind = MPI_UNDEFINED;
  int inter = 0;
  int to = 0;
  int from = 0;
  detail::check(MPI_Comm_test_inter(comm, &inter));
  if (inter == 0) detail::check(MPI_Topo_test(comm, &kind));
  if (kind == MPI_CART) {
    detail::check(MPI_Cartdim_get(comm, &to));
    from = to *= 2;
  } else if (kind == MPI_GRAPH) {
    int rank = 0;
    detail::check(MPI_Comm_rank(comm, &rank));
    detail::check(MPI_Graph_neighbors_count(comm, rank, &to));
    from = to;
  } else if (kind == MPI_DIST_GRAPH) {
    int weighted = 0;
    detail::check(MPI_Dist_graph_neighbors_count(comm, &from, &to, &weighted));
  } else {
    throw Exception(MPI_ERR_TOPOLOGY, "the communicator has no topology");
  }
  return {static_cast<std::size_t>(to), static_cast<std::size_t>(from)};
}

namespace detail {

inline Blocks edges_of(MPI_Comm comm) {
  const Degrees edges = degrees(comm);
  return {edges.to, edges.from, "edges"};
}

}  // namespace detail

/// As Rondo_Neighbor_alltoall.
inline void neighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                              void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  detail::call(Rondo_Neighbor_alltoall, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
               comm);
}

/// Sends the i-th block of `send` along the i-th edge from this rank, and receives the i-th block of `recv` along
/// the i-th edge to it. The edges share the elements of each buffer evenly.
template <SendBuffer Send, RecvBuffer Recv>
void neighbor_alltoall(const Send& send, Recv&& recv, MPI_Comm comm) {
  detail::equal_blocks(Rondo_Neighbor_alltoall, detail::edges_of(comm), send, recv, comm);
}

/// As Rondo_Neighbor_alltoallv.
inline void neighbor_alltoallv(const void* sendbuf, Ints sendcounts, Ints sdispls,
                               MPI_Datatype sendtype, void* recvbuf, Ints recvcounts, Ints rdispls,
                               MPI_Datatype recvtype, MPI_Comm comm) {
  detail::blocks_at(Rondo_Neighbor_alltoallv, detail::edges_of(comm), sendbuf, sendcounts, sdispls,
                    sendtype, recvbuf, recvcounts, rdispls, recvtype, comm);
}

/// Sends a block of `send` along every edge from this rank, and receives a block in `recv` along every edge to it.
template <SendBuffer Send, RecvBuffer Recv>
void neighbor_alltoallv(const Send& send, Ints sendcounts, Ints sdispls, Recv&& recv,
                        Ints recvcounts, Ints rdispls, MPI_Comm comm) {
  detail::blocks_at(Rondo_Neighbor_alltoallv, detail::edges_of(comm), send, sendcounts, sdispls,
                    recv, recvcounts, rdispls, comm);
}

/// Without displacements: the blocks lie one after another in `send` and in `recv`.
template <SendBuffer Send, RecvBuffer Recv>
void neighbor_alltoallv(const Send& send, Ints sendcounts, Recv&& recv, Ints recvcounts,
                        MPI_Comm comm) {
  neighbor_alltoallv(send, sendcounts, detail::packed("sendcounts", sendcounts), recv, recvcounts,
                     detail::packed("recvcounts", recvcounts), comm);
}

/// As Rondo_Neighbor_alltoallw: a datatype for every edge, displacements in bytes.
inline void neighbor_alltoallw(const void* sendbuf, Ints sendcounts,
                               std::span<const MPI_Aint> sdispls, Types sendtypes, void* recvbuf,
                               Ints recvcounts, std::span<const MPI_Aint> rdispls, Types recvtypes,
                               MPI_Comm comm) {
  detail::typed_blocks(Rondo_Neighbor_alltoallw, detail::edges_of(comm), sendbuf, sendcounts,
                       sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm);
}

}  // namespace rondo

#endif
