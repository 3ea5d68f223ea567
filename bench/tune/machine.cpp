#include "tune/machine.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace rondo::bench {

namespace {

/// The node of a rank, numbered in the order of the first ranks of nodes, and its place there.
struct Seat {
  int node;
  int place;

  bool operator==(const Seat&) const = default;
};

Seat find_seat(const Communicator& comm) {
  const Communicator node = comm.of_node();
  Seat seat{.node = 0, .place = node.rank()};
  const int leads = seat.place == 0 ? 1 : 0;
  check_mpi(MPI_Scan(&leads, &seat.node, 1, MPI_INT, MPI_SUM, comm.get()), "MPI_Scan");
  seat.node -= leads;  // the nodes whose first rank is lower
  support::broadcast(node, seat.node);
  return seat;
}

std::vector<Seat> all_seats(const Communicator& comm) {
  const Seat own = find_seat(comm);
  std::vector<Seat> seats(static_cast<std::size_t>(comm.ranks()));
  check_mpi(
      MPI_Allgather(&own, sizeof own, MPI_BYTE, seats.data(), sizeof own, MPI_BYTE, comm.get()),
      "MPI_Allgather");
  return seats;
}

/// The rank in a seat, or MPI_PROC_NULL.
int rank_in(std::span<const Seat> seats, const Seat& seat) {
  const auto at = std::ranges::find(seats, seat);
  return at == seats.end() ? MPI_PROC_NULL : static_cast<int>(at - seats.begin());
}

/// Returns the other of the two ranks, and MPI_PROC_NULL on all other ranks.
int partner_in(const Communicator& comm, int first, int second) {
  if (comm.rank() == first) return second;
  return comm.rank() == second ? first : MPI_PROC_NULL;
}

/// Every rank of the first node sends to one of the second.
double measure_adapter_of(const Communicator& comm, std::span<const Seat> seats) {
  const Seat own = seats[static_cast<std::size_t>(comm.rank())];
  const int partner =
      own.node < 2 ? rank_in(seats, {.node = 1 - own.node, .place = own.place}) : MPI_PROC_NULL;
  const auto size_of = [&](int node) { return std::ranges::count(seats, node, &Seat::node); };
  return measure_adapter(comm, own.node == 0, partner,
                         static_cast<int>(std::min(size_of(0), size_of(1))));
}

}  // namespace

model::Machine measure_machine(const Communicator& comm, const support::Cluster& cluster,
                               const model::Machine& known) {
  model::Machine machine = known;
  const std::vector<Seat> seats = all_seats(comm);
  const int neighbour = rank_in(seats, {.node = 0, .place = 1});
  const int remote = rank_in(seats, {.node = 1, .place = 0});
  const bool is_in_pair = comm.rank() == 0 || comm.rank() == neighbour;
  const Communicator pair = comm.split(is_in_pair ? 0 : MPI_UNDEFINED);
  machine.host = measure_host(comm, is_in_pair ? &pair : nullptr, known.host);
  if (neighbour != MPI_PROC_NULL)
    machine.inside = measure_link(comm, partner_in(comm, 0, neighbour));
  if (cluster.nodes == 1) return machine;
  machine.between = measure_link(comm, partner_in(comm, 0, remote));
  machine.host.adapter_seconds_per_byte = measure_adapter_of(comm, seats);
  return machine;
}

}  // namespace rondo::bench
