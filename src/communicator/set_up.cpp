#include "communicator/set_up.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/system.hpp"
#include "buffers/datatype.hpp"
#include "communicator/auto.hpp"
#include "mpi/collectives.hpp"
#include "mpi/error.hpp"
#include "mpi/handles.hpp"
#include "mpi/progress.hpp"
#include "mpi/transport.hpp"

namespace rondo::communicator {

using mpi::check;

namespace {

/// What all ranks gather from each rank.
struct RankInfo {
  bool has_failed;
  bool packs_raw;
  bool has_progress_hook;
  std::uint64_t node;
  std::uint64_t last_exchange;
};

/// Keeps this call apart from others of MPI_Comm_create_group on the same communicator.
constexpr int kPrivateTag = 27181;

/// MPI_Comm_dup would run the copy callbacks of the user's attributes. Other functions hang in Open MPI 4.1 while
/// the program has an MPI_Comm_idup of the same communicator pending. There this one runs the callbacks, too.
void make_private(MPI_Comm comm, mpi::OwnedComm& own) {
  mpi::OwnedGroup all;
  check(PMPI_Comm_group(comm, &all.handle), "MPI_Comm_group");
  check(PMPI_Comm_create_group(comm, all.handle, kPrivateTag, &own.handle),
        "MPI_Comm_create_group");
  check(PMPI_Comm_set_errhandler(own.handle, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
}

const std::string& own_kernel() {
  static const std::string& kernel = *new std::string(kernel_id());
  return kernel;
}

std::unique_ptr<engines::Context> make_context(MPI_Comm comm, const std::vector<RankInfo>& all,
                                               const registry::Settings& settings) {
  const std::uint64_t last_exchange =
      std::ranges::max_element(all, {}, &RankInfo::last_exchange)->last_exchange;
  std::vector<std::uint64_t> nodes;
  for (const RankInfo& info : all) nodes.push_back(info.node);
  return std::make_unique<engines::Context>(std::make_shared<mpi::Transport>(comm),
                                            schedule::NodeMap(schedule::lowest_with_same(nodes)),
                                            engines::limits_of(settings), last_exchange);
}

/// See note_last_exchange().
std::atomic<std::uint64_t> g_last_exchange{0};

/// How many communicators this process has set up and not freed.
std::atomic<int> g_set_up{0};

/// Warns once in a process, since a program with too many communicators usually has far too many.
void warn_once(const char* why) {
  static std::atomic<bool> has_warned{false};
  if (has_warned.exchange(true)) return;
  std::fprintf(stderr,
               "rondo: cannot set up a communicator, so its exchanges are forwarded to the MPI "
               "library: %s\n",
               why);
}

class SetUp {
 public:
  explicit SetUp(MPI_Comm comm) : comm_(comm) {
    check(PMPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
    check(PMPI_Comm_size(comm_, &ranks_), "MPI_Comm_size");
  }

  std::optional<Abilities> run(
      const registry::Settings& settings,
      const std::function<void(std::unique_ptr<engines::Context>)>& begin) {
    gather_info();
    // From here on, all ranks may wait for each other in the MPI library without looking at what has been started:
    // either it goes on there, or all have come and nobody waits for it before that is over.
    if (any_has_failed()) return std::nullopt;
    failure_ = failure_of([&] {
      make_private(comm_, own_);
      begin(make_context(own_.handle, all_, settings));
    });
    if (!all_succeeded()) return std::nullopt;
    own_.release();
    ++g_set_up;
    return Abilities{
        .packs_raw = std::ranges::all_of(all_, &RankInfo::packs_raw),
        .has_progress_hook = std::ranges::all_of(all_, &RankInfo::has_progress_hook),
    };
  }

 private:
  void gather_info() {
    RankInfo own{.has_failed = false,
                 .packs_raw = true,
                 .has_progress_hook = mpi::has_progress_hook(),
                 .node = 0,
                 .last_exchange = g_last_exchange};
    failure_ = failure_of([&] {
      if (g_set_up >= kMostSetUp)
        throw Error(ErrorClass::other, text("Rondo has already set up ", kMostSetUp,
                                            " communicators, the most that it allows"));
      static const bool packs_raw = buffers::packs_raw_bytes(comm_);
      own.node = node_number();
      own.packs_raw = packs_raw;
    });
    own.has_failed = failure_.has_value();
    all_.resize(static_cast<std::size_t>(ranks_));
    mpi::gather_on(comm_, &own, all_.data(), sizeof own);
  }

  bool any_has_failed() const {
    const auto failed = std::ranges::find(all_, true, &RankInfo::has_failed);
    if (failed == all_.end()) return false;
    warn_on(static_cast<int>(failed - all_.begin()));
    return true;
  }

  bool all_succeeded() const {
    int first = failure_ ? rank_ : ranks_;
    mpi::reduce_on(comm_, &first, 1, MPI_INT, MPI_MIN);
    if (first != ranks_) warn_on(first);
    return first == ranks_;
  }

  void warn_on(int failed_rank) const {
    if (failed_rank == rank_) warn_once(failure_->what());
  }

  MPI_Comm comm_;
  int rank_ = 0;
  int ranks_ = 1;
  mpi::OwnedComm own_;
  std::vector<RankInfo> all_;
  std::optional<Error> failure_;
};

}  // namespace

std::uint64_t node_number() {
  const std::string& kernel = own_kernel();
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  check(PMPI_Get_processor_name(name.data(), &length), "MPI_Get_processor_name");
  return std::hash<std::string>{}(kernel +
                                  std::string(name.data(), static_cast<std::size_t>(length)));
}

void prepare_process() {
  // A launcher's variable may say anything, and each rank takes time to predict.
  constexpr int kMostPredicted = 1024;
  map_own_pages();
  own_kernel();
  Auto::predict_ahead(std::clamp(engines::Node::read_machine(), 1, kMostPredicted));
}

void note_last_exchange(std::uint64_t number) {
  std::uint64_t known = g_last_exchange;
  while (known < number && !g_last_exchange.compare_exchange_weak(known, number)) {
  }
}

void count_freed() {
  --g_set_up;
}

std::optional<Abilities> set_up(
    MPI_Comm comm, const registry::Settings& settings,
    const std::function<void(std::unique_ptr<engines::Context>)>& begin) {
  mpi::ErrorsReturned errors_returned(comm);
  const auto found = SetUp(comm).run(settings, begin);
  errors_returned.end();
  return found;
}

}  // namespace rondo::communicator
