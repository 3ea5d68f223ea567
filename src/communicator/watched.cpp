#include "communicator/watched.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <mutex>
#include <numeric>
#include <utility>
#include <vector>

#include "base/mix.hpp"
#include "base/system.hpp"
#include "base/text.hpp"
#include "buffers/form.hpp"
#include "communicator/set_up.hpp"
#include "communicator/state.hpp"
#include "mpi/collectives.hpp"
#include "mpi/error.hpp"
#include "mpi/handles.hpp"
#include "watch/scene.hpp"

namespace rondo::communicator {

using mpi::check;

namespace {

/// What a rank tells the others of its communicator.
struct Member {
  std::uint64_t number;  ///< a random one; 0: it cannot tell anything
  std::uint64_t node;
  std::int64_t process;
  segment::Ticket board;
  bool has_line;  ///< for this communicator
};

/// The processes of the job that are known from agreements, by their ranks in it.
class Directory {
 public:
  static Directory& of_process() {
    static Directory& directory = *new Directory;
    return directory;
  }

  /// Not of another job, whose ranks have no number here.
  void add(int rank_of_job, const Member& member) {
    if (rank_of_job < 0 || member.number == 0) return;
    const std::lock_guard lock(mutex_);
    members_[rank_of_job] = member;
  }

  std::optional<Member> find(int rank_of_job) {
    const std::lock_guard lock(mutex_);
    const auto found = members_.find(rank_of_job);
    return found == members_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::mutex mutex_;
  std::map<int, Member> members_;
};

/// Ranks with other process numbers cannot be looked at.
std::uint64_t own_node() {
  std::array<char, 64> space{};
  const ssize_t length = readlink("/proc/self/ns/pid", space.data(), space.size());
  const std::string_view name(space.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
  return node_number() ^ std::hash<std::string_view>{}(name);
}

/// The ranks of a communicator in the job, MPI_UNDEFINED for those of another job.
std::vector<int> ranks_of_job(MPI_Comm comm, int ranks) {
  mpi::OwnedGroup own;
  mpi::OwnedGroup job;
  check(PMPI_Comm_group(comm, &own.handle), "MPI_Comm_group");
  check(PMPI_Comm_group(MPI_COMM_WORLD, &job.handle), "MPI_Comm_group");
  std::vector<int> all(static_cast<std::size_t>(ranks));
  std::iota(all.begin(), all.end(), 0);
  std::vector<int> found(all.size());
  check(PMPI_Group_translate_ranks(own.handle, ranks, all.data(), job.handle, found.data()),
        "MPI_Group_translate_ranks");
  return found;
}

bool has_world() {
  int is_initialized = 0;
  return PMPI_Initialized(&is_initialized) == MPI_SUCCESS && is_initialized != 0;
}

std::string name_of(MPI_Comm comm) {
  std::array<char, MPI_MAX_OBJECT_NAME> name{};
  int length = 0;
  check(PMPI_Comm_get_name(comm, name.data(), &length), "MPI_Comm_get_name");
  return std::string(name.data(), static_cast<std::size_t>(length));
}

std::string topology_of(MPI_Comm comm) {
  int kind = MPI_UNDEFINED;
  check(PMPI_Topo_test(comm, &kind), "MPI_Topo_test");
  if (kind == MPI_GRAPH || kind == MPI_DIST_GRAPH) return ", a graph";
  if (kind != MPI_CART) return "";
  int dimensions = 0;
  check(PMPI_Cartdim_get(comm, &dimensions), "MPI_Cartdim_get");
  const std::size_t length = static_cast<std::size_t>(dimensions);
  std::vector<int> sizes(length + 1), periods(length + 1), place(length + 1);
  check(PMPI_Cart_get(comm, dimensions, sizes.data(), periods.data(), place.data()),
        "MPI_Cart_get");
  std::string text = ", a Cartesian grid of ";
  for (std::size_t i = 0; i < length; ++i) text += (i == 0 ? "" : " x ") + std::to_string(sizes[i]);
  return text;
}

std::string members_text(MPI_Comm comm, const std::vector<int>& ranks) {
  int all = 0;
  check(PMPI_Comm_size(MPI_COMM_WORLD, &all), "MPI_Comm_size");
  const bool is_all = static_cast<int>(ranks.size()) == all && std::ranges::is_sorted(ranks);
  std::vector<int> own;
  std::ranges::copy_if(ranks, std::back_inserter(own), [](int rank) { return rank >= 0; });
  const std::size_t others = ranks.size() - own.size();
  return (is_all ? "all of the job" : "of the job these: " + watch::ranges_of(own)) +
         (others == 0 ? "" : text(", and ", others, " of another job")) + topology_of(comm);
}

std::string node_name() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  check(PMPI_Get_processor_name(name.data(), &length), "MPI_Get_processor_name");
  return std::string(name.data(), static_cast<std::size_t>(length));
}

watch::Subject::Algorithm algorithm_of(const State& state, const watch::Line& line) {
  const auto choice = line.has_chosen ? state.last_choice() : std::nullopt;
  if (!choice) return {.text = "", .is_in_library = state.life() == Life::forwarding};
  return {.text = choice->text(), .is_in_library = choice->algorithm->is_library()};
}

/// The library may have been initialized without threads, but nothing in it goes on any more.
void abort_job() {
  PMPI_Abort(MPI_COMM_WORLD, 1);
}

void begin(const std::string& patience, bool aborts) {
  watch::begin({.patience = *read_duration(patience),
                .forms = buffers::kFormNames,
                .abort = aborts ? abort_job : std::function<void()>(),
                .library = reinterpret_cast<const void*>(&PMPI_Init)});
}

/// What this process's own environment asks for.
struct Asked {
  std::string patience;  ///< empty if it does not ask
  bool aborts = false;
};

Asked read_environment() {
  const char* const patience = std::getenv("RONDO_WATCH");
  const char* const aborts = std::getenv("RONDO_WATCH_ABORT");
  if (patience == nullptr || !read_duration(patience)) return {};
  return {patience, aborts != nullptr && std::string_view(aborts) == "1"};
}

void warn(const Error& failure) {
  static std::atomic<bool> has_warned = false;
  if (!has_warned.exchange(true))
    std::fprintf(stderr, "rondo: this rank cannot tell others where it is: %s\n", failure.what());
}

}  // namespace

void watch_process() {
  const Asked asked = read_environment();
  if (!asked.patience.empty()) begin(asked.patience, asked.aborts);
}

std::unique_ptr<Watched> Watched::make(MPI_Comm comm, const State& state,
                                       const std::string& patience, bool aborts) {
  watch::Subject subject;
  auto members = ranks_of_job(comm, state.ranks());
  subject.rank = state.rank();
  subject.ranks = state.ranks();
  subject.node = node_name();
  subject.members = members_text(comm, members);
  std::string name = name_of(comm);
  if (name.empty()) name = "a communicator of " + std::to_string(state.ranks()) + " ranks";
  std::uint64_t hash = 0;
  for (const int rank : members) hash = mix(hash + kGoldenGamma + static_cast<std::uint64_t>(rank));
  subject.line = watch::Board::own().take(name, hash);
  if (subject.line == nullptr) return nullptr;
  subject.algorithm = [&state, line = subject.line] { return algorithm_of(state, *line); };
  std::unique_ptr<Watched> watched(new Watched(std::move(subject)));
  watched->ranks_of_job_ = std::move(members);
  watched->sort_ranks();
  begin(patience, aborts);
  watch::add(watched->subject_);
  return watched;
}

/// Says of each rank whether it is on this node, on another one, or not known.
void Watched::sort_ranks() {
  subject_.neighbours.clear();
  subject_.on_other_nodes.clear();
  subject_.unknown.clear();
  const std::uint64_t node = own_node();
  for (int rank = 0; rank < subject_.ranks; ++rank) {
    if (rank == subject_.rank) continue;
    const int rank_of_job = ranks_of_job_[static_cast<std::size_t>(rank)];
    const auto member = Directory::of_process().find(rank_of_job);
    const bool can_tell = has_line_.empty() || has_line_[static_cast<std::size_t>(rank)];
    if (!member || !can_tell)
      subject_.unknown.push_back(rank);
    else if (member->node != node)
      subject_.on_other_nodes.push_back(rank);
    else
      subject_.neighbours.push_back({rank, rank_of_job, member->process, member->board});
  }
}

std::unique_ptr<Watched> Watched::at_first_exchange(MPI_Comm comm, const State& state) {
  const Asked asked = read_environment();
  if (asked.patience.empty() || !has_world()) return nullptr;
  std::unique_ptr<Watched> watched;
  failure_of([&] {
    watched = make(comm, state, asked.patience, asked.aborts);
    if (watched) watched->line().begin(watch::Line::kUnknownForm);
  });
  return watched;
}

std::unique_ptr<Watched> Watched::agree(MPI_Comm comm, const State& state,
                                        std::unique_ptr<Watched> first) {
  const registry::Settings& settings = state.settings();
  if (settings.watch.empty()) return nullptr;
  std::unique_ptr<Watched> watched = std::move(first);
  Member own{};
  const auto failure = failure_of([&] {
    if (!watched && has_world())
      watched = make(comm, state, settings.watch, settings.watch_abort != 0);
    own = {random_number() | 1, own_node(), getpid(), watch::Board::own().ticket(),
           watched != nullptr};
  });
  if (failure) {
    warn(*failure);
    watched.reset();
  }
  std::vector<Member> all(static_cast<std::size_t>(state.ranks()));
  mpi::gather_on(comm, &own, all.data(), sizeof own);
  if (!watched) return nullptr;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    Directory::of_process().add(watched->ranks_of_job_[rank], all[rank]);
    watched->has_line_.push_back(all[rank].has_line);
  }
  watched->sort_ranks();
  watch::add(watched->subject_);
  // All ranks find the same one.
  watched->line().agree(std::ranges::find_if(all, &Member::has_line)->number);
  return watched;
}

void Watched::note_choice(const buffers::Side* sending) const {
  line().has_chosen.store(true, std::memory_order_relaxed);
  if (sending == nullptr) return;
  std::size_t longest = 0;
  for (std::size_t i = 0; i < sending->ranks(); ++i)
    longest = std::max(longest, sending->part(i).bytes);
  line().longest.store(longest, std::memory_order_relaxed);
  line().bytes.store(sending->total_bytes(), std::memory_order_relaxed);
}

Watched::~Watched() {
  watch::remove(*subject_.line);
  subject_.line->give_back();
}

}  // namespace rondo::communicator
