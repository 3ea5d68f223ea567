#include <algorithm>
#include <vector>

#include "support/statistics.hpp"
#include "tune/machine.hpp"

namespace rondo::bench {

namespace {

constexpr int kTag = 1;
constexpr int kShortBytes = 8;
constexpr int kLongBytes = 1 << 16;
constexpr int kBurst = 64;
constexpr int kTrials = 9;

/// The median of several trials, since other programs on the machine disturb them.
template <class Trial>
double median_of_trials(Trial&& trial) {
  double seconds[kTrials];
  for (double& one : seconds) one = trial();
  return support::median(seconds);
}

/// One of the two ranks that measure. The other one does the same.
class Partner {
 public:
  Partner(MPI_Comm comm, int rank, int other)
      : comm_(comm), is_first_(rank < other), other_(other) {}

  /// Half the time of a message there and back.
  double one_way_seconds(int bytes) {
    return median_of_trials([&] {
      const double start = MPI_Wtime();
      for (int turn = 0; turn < kBurst; ++turn) {
        if (is_first_) send(bytes);
        receive(bytes);
        if (!is_first_) send(bytes);
      }
      return (MPI_Wtime() - start) / (2 * kBurst);
    });
  }

  /// A burst of messages in flight together.
  struct Burst {
    double start_seconds;  ///< to start one
    double seconds;        ///< one of them, until all have arrived
  };
  Burst burst(int bytes) {
    Burst burst{};
    burst.seconds = median_of_trials([&] {
      receive_burst(bytes);
      meet();
      const double start = MPI_Wtime();
      for (int message = 0; message < kBurst; ++message) post_send(bytes, message);
      burst.start_seconds = (MPI_Wtime() - start) / kBurst;
      check_mpi(MPI_Waitall(2 * kBurst, requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
      meet();
      return (MPI_Wtime() - start) / kBurst;
    });
    return burst;
  }

 private:
  char* place(int bytes, int message) { return buffer_.data() + std::ptrdiff_t{bytes} * message; }
  void send(int bytes) {
    check_mpi(MPI_Send(buffer_.data(), bytes, MPI_BYTE, other_, kTag, comm_), "MPI_Send");
  }
  void receive(int bytes) {
    check_mpi(MPI_Recv(arrived_.data(), bytes, MPI_BYTE, other_, kTag, comm_, MPI_STATUS_IGNORE),
              "MPI_Recv");
  }
  void meet() {
    if (is_first_) send(0);
    receive(0);
    if (!is_first_) send(0);
  }
  void receive_burst(int bytes) {
    for (int message = 0; message < kBurst; ++message)
      check_mpi(MPI_Irecv(arrived_.data() + std::ptrdiff_t{bytes} * message, bytes, MPI_BYTE,
                          other_, kTag + 1, comm_, &requests_[index(message)]),
                "MPI_Irecv");
  }
  void post_send(int bytes, int message) {
    check_mpi(MPI_Isend(place(bytes, message), bytes, MPI_BYTE, other_, kTag + 1, comm_,
                        &requests_[index(kBurst + message)]),
              "MPI_Isend");
  }
  static std::size_t index(int number) { return static_cast<std::size_t>(number); }

  MPI_Comm comm_;
  bool is_first_;
  int other_;
  std::vector<char> buffer_ = std::vector<char>(std::size_t{kBurst} * kLongBytes);
  std::vector<char> arrived_ = std::vector<char>(std::size_t{kBurst} * kLongBytes);
  std::vector<MPI_Request> requests_ = std::vector<MPI_Request>(2 * kBurst);
};

model::Link link_of(Partner& partner) {
  const double alpha = partner.one_way_seconds(kShortBytes);
  const double alone = partner.one_way_seconds(kLongBytes);
  const Partner::Burst small = partner.burst(kShortBytes);
  const Partner::Burst large = partner.burst(kLongBytes);
  const double overhead = std::min(small.start_seconds, alpha / 2);
  return {.hockney = {.alpha_seconds = alpha,
                      .beta_seconds_per_byte = std::max(alone - alpha, 0.0) / kLongBytes},
          .loggp = {.latency_seconds = alpha - 2 * overhead,
                    .overhead_seconds = overhead,
                    .gap_seconds = std::min(small.seconds, alpha),
                    .gap_seconds_per_byte = large.seconds / kLongBytes}};
}

}  // namespace

model::Link measure_link(const Communicator& comm, int partner) {
  constexpr double kSeconds = 0.6;
  model::Link link{};
  measure_alone(comm, partner != MPI_PROC_NULL, kSeconds, [&] {
    Partner measuring(comm.get(), comm.rank(), partner);
    link = link_of(measuring);
  });
  support::broadcast(comm, link);
  return link;
}

double measure_adapter(const Communicator& comm, bool is_sender, int partner, int senders) {
  constexpr int kBytes = 1 << 20;
  constexpr double kSeconds = 0.05;
  std::vector<char> buffer(kBytes);
  double seconds = median_of_trials([&] {
    double taken = 0;
    measure_alone(comm, partner != MPI_PROC_NULL, kSeconds, [&] {
      const double start = MPI_Wtime();
      if (is_sender)
        check_mpi(MPI_Send(buffer.data(), kBytes, MPI_BYTE, partner, kTag, comm.get()), "MPI_Send");
      else
        check_mpi(
            MPI_Recv(buffer.data(), kBytes, MPI_BYTE, partner, kTag, comm.get(), MPI_STATUS_IGNORE),
            "MPI_Recv");
      taken = MPI_Wtime() - start;
    });
    return taken;
  });
  support::all_reduce(comm, {&seconds, 1}, MPI_MAX);
  return seconds / kBytes / senders;
}

}  // namespace rondo::bench
