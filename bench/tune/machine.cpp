#include "tune/machine.hpp"

#include <optional>

#include "tune/host.hpp"
#include "tune/links.hpp"

namespace rondo::bench {

namespace {

/// A part of a communicator; nothing for the ranks that are not in it.
class Part {
 public:
  Part(const Communicator& comm, bool is_in) {
    check_mpi(MPI_Comm_split(comm.get(), is_in ? 0 : MPI_UNDEFINED, comm.rank(), &comm_),
              "MPI_Comm_split");
    if (comm_ != MPI_COMM_NULL) part_.emplace(comm_);
  }
  ~Part() {
    part_.reset();
    if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
  }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  bool has_this() const { return part_.has_value(); }
  const Communicator& get() const { return *part_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::optional<Communicator> part_;
};

/// Which node this rank is on, in the order of their first ranks, and its place there.
struct Seat {
  int node;
  int place;
};

Seat find_seat(const Communicator& comm) {
  MPI_Comm node = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(comm.get(), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node),
            "MPI_Comm_split_type");
  Seat seat{};
  check_mpi(MPI_Comm_rank(node, &seat.place), "MPI_Comm_rank");
  const int leads = seat.place == 0 ? 1 : 0;
  check_mpi(MPI_Scan(&leads, &seat.node, 1, MPI_INT, MPI_SUM, comm.get()), "MPI_Scan");
  seat.node -= leads;  // the nodes that were led before this one
  check_mpi(MPI_Bcast(&seat.node, 1, MPI_INT, 0, node), "MPI_Bcast");
  check_mpi(MPI_Comm_free(&node), "MPI_Comm_free");
  return seat;
}

/// What `measure` finds on the ranks of a part, told to all; rank 0 of `comm` is in every part.
template <class Result, class Measure>
Result measure_on(const Communicator& comm, bool is_in, Result result, Measure&& measure) {
  const Part part(comm, is_in);
  if (part.has_this()) result = measure(part.get());
  meet_asleep(comm);
  check_mpi(MPI_Bcast(&result, sizeof result, MPI_BYTE, 0, comm.get()), "MPI_Bcast");
  return result;
}

/// Every rank of the first node sends to one of the second.
double measure_adapter_of(const Communicator& comm, const Seat& seat) {
  std::vector<Seat> seats(static_cast<std::size_t>(comm.ranks()));
  check_mpi(
      MPI_Allgather(&seat, sizeof seat, MPI_BYTE, seats.data(), sizeof seat, MPI_BYTE, comm.get()),
      "MPI_Allgather");
  int partner = MPI_PROC_NULL;
  int pairs = 0;
  for (int rank = 0; rank < comm.ranks(); ++rank) {
    const Seat& other = seats[static_cast<std::size_t>(rank)];
    if (seat.node + other.node == 1 && other.place == seat.place) partner = rank;
    if (other.node == 1) ++pairs;
  }
  return measure_adapter(comm, seat.node == 0, partner, pairs);
}

}  // namespace

model::Machine measure_machine(const Communicator& comm, const Cluster& cluster,
                               const model::Machine& known) {
  model::Machine machine = known;
  const Seat seat = find_seat(comm);
  const bool is_first_node = seat.node == 0;
  machine.host = measure_on(comm, is_first_node, known.host, [&](const Communicator& node) {
    return measure_host(node, known.host);
  });
  if (cluster.largest_node > 1)
    machine.inside = measure_on(comm, is_first_node, known.inside, [&](const Communicator& node) {
      return node.ranks() > 1 ? measure_link(node) : known.inside;
    });
  if (cluster.nodes == 1) return machine;
  machine.between = measure_on(comm, seat.place == 0, known.between,
                               [](const Communicator& leaders) { return measure_link(leaders); });
  machine.host.adapter_seconds_per_byte = measure_adapter_of(comm, seat);
  return machine;
}

}  // namespace rondo::bench
