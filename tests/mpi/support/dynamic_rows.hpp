// The rows that dynamic exchanges of both kinds have.
#pragma once

#include <string>
#include <vector>

#include "support/dynamic.hpp"
#include "support/runner.hpp"

namespace rondo::testing {

using Names = std::vector<std::string>;

void set_algorithm(MPI_Comm comm, Kind kind, const std::string& algorithm, Row& row);

/// What this rank chooses for an exchange.
DynamicExchange::Types drawn_types(MPI_Comm comm, std::uint64_t seed);
Place drawn_place(MPI_Comm comm, std::uint64_t seed);

/// Each rank receives in a place, and has types, of its own choice.
void exchange_one(Kind kind, MPI_Comm comm, const Traffic& traffic, std::uint64_t seed, Row& row);

/// Every traffic twice, so that both parities of a segment, or of counters, are used.
void run_algorithm(Kind kind, const std::string& algorithm, MPI_Comm comm, std::uint64_t seed,
                   Row& row);

class DynamicRows {
 public:
  DynamicRows(Kind kind, Runner& runner) : kind_(kind), runner_(runner) {}

  /// On all nodes, or by default on some that the seed chooses. Many ranks run some of the algorithms.
  void run_algorithms(const Names& algorithms);

  /// The calls before set-up and those after it.
  void run_forwarded();

  /// One rank receives in a type of two ints what the others send as three.
  void run_whole_elements(const Names& algorithms);

  void run_kept();
  void run_refused_comms();

  /// One after another, without anything that would hold ranks together, on a communicator of all ranks,
  /// in reverse order, and on halves of it. Exchanges of the other kind are among them. Many ranks make
  /// fewer.
  void run_sequences(const Names& algorithms, int most);

  /// Every thread has a communicator of its own, with one of the algorithms.
  void run_threads(const Names& algorithms);

 private:
  Kind kind_;
  Runner& runner_;
};

}  // namespace rondo::testing
