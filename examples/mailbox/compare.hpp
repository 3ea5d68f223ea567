// Runs a program's two versions in turn, and prints how fast they are.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace compare {

/// Numbers that look random and differ from each other for different arguments.
inline std::uint64_t mix(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

/// Ends the program on all ranks unless `holds` on all.
inline void require(bool holds, const char* otherwise) {
  int all = holds ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (all != 0) return;
  std::fprintf(stderr, "%s\n", otherwise);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/// The time of the slowest rank.
template <class Body>
double seconds(Body&& body) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  body();
  double taken = MPI_Wtime() - begin;
  MPI_Allreduce(MPI_IN_PLACE, &taken, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return taken;
}

/// `items` is how many all ranks send together. Each version is run `runs` times, after one that does
/// not count.
template <class Mailbox, class ByHand>
void print(const char* what, double items, int runs, Mailbox&& mailbox, ByHand&& by_hand) {
  std::array<std::vector<double>, 2> times;
  for (int run = -1; run < runs; ++run) {
    const std::array now = {seconds(mailbox), seconds(by_hand)};
    for (std::size_t version = 0; run >= 0 && version < now.size(); ++version)
      times[version].push_back(now[version]);
  }
  for (auto& list : times) std::ranges::nth_element(list, list.begin() + runs / 2);
  const double ours = times[0][static_cast<std::size_t>(runs / 2)];
  const double theirs = times[1][static_cast<std::size_t>(runs / 2)];
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    std::printf("%s: mailbox %.1f, by hand %.1f million items a second (%.2f)\n", what,
                items / ours / 1e6, items / theirs / 1e6, theirs / ours);
}

/// An argument of the command line, or a default.
inline long argument(int argc, char** argv, int index, long otherwise) {
  return argc > index ? std::strtol(argv[index], nullptr, 10) : otherwise;
}

}  // namespace compare
