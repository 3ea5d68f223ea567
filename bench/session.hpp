// A run of rondo-bench, from options to results.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "contender.hpp"
#include "measure_overlap.hpp"
#include "neighborhood.hpp"
#include "options.hpp"
#include "support/cluster.hpp"
#include "support/disturbance.hpp"
#include "support/progress.hpp"

namespace rondo::bench {

inline constexpr const char* kProgram = "rondo-bench";

/// A size, and what happened on the machine meanwhile.
struct Measured {
  OverlapMeasurement found;
  RoundTrips trips;
  std::string disturbed{};  ///< by what; known to rank 0
};

class Session {
 public:
  /// Collective, as is run(). Throws Error on all ranks for what is wrong with the options here:
  /// too few ranks, a file that cannot be read or written, an algorithm that does not apply.
  Session(const Options& options, MPI_Comm world);

  /// Measure all sizes and write the results. Returns the wrong bytes found by --check.
  std::uint64_t run();

 private:
  void read_matrix_for_all();
  void connect_neighbours();
  std::shared_ptr<const Matrix> lengths_of(std::size_t bytes) const;
  void enter_contenders();
  std::vector<const Contender*> contenders() const;
  std::uint64_t run_size(std::size_t bytes);
  const Communicator& parent() const { return graph_ ? *graph_ : comm_; }
  std::optional<FirstCalls> begin_size(Exchange& exchange);
  std::string disturbed_by(const RoundTrips& trips);
  Measured measure_once(Exchange& exchange, std::size_t bytes);
  Measured measure_calmly(Exchange& exchange, std::size_t bytes);
  void make_plans(Exchange& exchange) const;
  void tell_mistakes(const Measurement& measurement, std::size_t bytes) const;
  std::optional<double> round_trip() const;
  std::vector<Result> results_of(const OverlapMeasurement& measured, const Exchange& exchange,
                                 const Result& common) const;
  /// What results share.
  Result common_result(std::size_t bytes) const;

  Options options_;
  Communicator comm_;
  Self self_;
  support::Cluster cluster_;
  Origin origin_;
  std::shared_ptr<const Matrix> matrix_;
  Edges edges_;                        // of a neighbourhood exchange
  std::optional<Communicator> graph_;  // with these edges
  std::optional<Report> report_;       // rank 0 only
  support::Disturbance disturbance_;
  std::vector<std::unique_ptr<Contender>> contenders_;  // null: `auto`, made anew for each size
  std::optional<support::Progress> progress_;
};

}  // namespace rondo::bench
