// Sample sort with regular samples (Shi and Schaeffer, "Parallel sorting by regular sampling",
// 1992). Every rank sorts its edges and selects samples at equal distances. All samples together
// give the borders between the ranks, so that one exchange brings every edge to its rank.
#include "closure/distributed.hpp"

#include <algorithm>
#include <climits>
#include <rondo/rondo.hpp>
#include <utility>

#include "base/error.hpp"

namespace rondo::closure {

namespace {

using support::check_mpi;
using support::Communicator;

constexpr std::uint64_t kSamplesPerRank = 32;
constexpr int kWords = 2;  // per edge

/// All ranks' samples. A rank contributes in proportion to its share of all edges.
std::vector<Edge> gather_samples(const Communicator& comm, const std::vector<Edge>& sorted) {
  const auto ranks = static_cast<std::size_t>(comm.ranks());
  std::uint64_t total = sorted.size();
  support::all_reduce(comm, {&total, 1}, MPI_SUM);
  const std::size_t distance = total / (kSamplesPerRank * ranks) + 1;
  std::vector<Edge> samples;
  for (std::size_t i = distance / 2; i < sorted.size(); i += distance) samples.push_back(sorted[i]);

  const int words = static_cast<int>(samples.size()) * kWords;
  std::vector<int> counts(ranks);
  std::vector<int> displs(ranks);
  check_mpi(MPI_Allgather(&words, 1, MPI_INT, counts.data(), 1, MPI_INT, comm.get()),
            "MPI_Allgather");
  for (std::size_t i = 1; i < ranks; ++i) displs[i] = displs[i - 1] + counts[i - 1];
  std::vector<Edge> all(static_cast<std::size_t>(displs.back() + counts.back()) / kWords);
  check_mpi(MPI_Allgatherv(samples.data(), words, MPI_UINT64_T, all.data(), counts.data(),
                           displs.data(), MPI_UINT64_T, comm.get()),
            "MPI_Allgatherv");
  return all;
}

/// How many of the sorted edges go to each rank.
std::vector<std::size_t> divide(const std::vector<Edge>& sorted, std::vector<Edge> samples,
                                std::size_t ranks) {
  std::sort(samples.begin(), samples.end());
  std::vector<std::size_t> shares;
  auto begin = sorted.begin();
  for (std::size_t i = 1; i < ranks; ++i) {
    auto end = begin;
    if (!samples.empty())
      end = std::lower_bound(begin, sorted.end(), samples[samples.size() * i / ranks]);
    shares.push_back(static_cast<std::size_t>(end - begin));
    begin = end;
  }
  shares.push_back(static_cast<std::size_t>(sorted.end() - begin));
  return shares;
}

/// The number of words in each block, as MPI counts them. Throws on all ranks if any rank has too
/// many.
std::vector<int> words_of(const Communicator& comm, const std::vector<std::size_t>& edges) {
  std::vector<int> counts;
  support::collectively(comm, [&] {
    std::size_t words = 0;
    for (const std::size_t block : edges) words += block * kWords;
    if (words > INT_MAX)
      throw Error(ErrorClass::count, text("rank ", comm.rank(), " has ", words / kWords,
                                          " paths to sort, more than MPI's int can count; "
                                          "use more ranks"));
    for (const std::size_t block : edges) counts.push_back(static_cast<int>(block) * kWords);
  });
  return counts;
}

std::span<const std::uint64_t> words_in(const std::vector<Edge>& edges) {
  return {reinterpret_cast<const std::uint64_t*>(edges.data()), edges.size() * kWords};
}

std::span<std::uint64_t> words_in(std::vector<Edge>& edges) {
  return {reinterpret_cast<std::uint64_t*>(edges.data()), edges.size() * kWords};
}

}  // namespace

std::vector<Edge> sort_over_ranks(const Communicator& comm, std::vector<Edge> edges) {
  static_assert(sizeof(Edge) == kWords * sizeof(std::uint64_t));
  const auto ranks = static_cast<std::size_t>(comm.ranks());
  std::sort(edges.begin(), edges.end());
  const std::vector<std::size_t> leaving = divide(edges, gather_samples(comm, edges), ranks);
  std::vector<std::uint64_t> lengths(leaving.begin(), leaving.end());
  rondo::alltoall(std::vector<std::uint64_t>(lengths), lengths, comm.get());
  const std::vector<std::size_t> arriving(lengths.begin(), lengths.end());

  const std::vector<int> sendcounts = words_of(comm, leaving);
  const std::vector<int> recvcounts = words_of(comm, arriving);
  std::size_t total = 0;
  for (const std::size_t block : arriving) total += block;
  std::vector<Edge> received(total);
  rondo::alltoallv(words_in(std::as_const(edges)), sendcounts, words_in(received), recvcounts,
                   comm.get());
  std::sort(received.begin(), received.end());
  return received;
}

}  // namespace rondo::closure
