// A run from options to results.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "cluster.hpp"
#include "contender.hpp"
#include "measure.hpp"
#include "options.hpp"
#include "progress.hpp"
#include "report.hpp"

namespace rondo::bench {

class Session {
 public:
  /// Collective, as is run(). Throws Error on all ranks for what is wrong with the options here:
  /// too few ranks, a file that cannot be read or written, an algorithm that does not apply.
  Session(const Options& options, MPI_Comm world);

  /// Measure all sizes and write the results. Returns the wrong bytes found by --check.
  std::uint64_t run();

 private:
  void read_matrix_for_all();
  void enter_contenders();
  std::uint64_t run_size(std::size_t bytes);
  std::vector<Result> results_of(const Measurement& measurement, std::size_t bytes,
                                 int draws) const;
  /// What results share.
  Result common_result(std::size_t bytes) const;

  Options options_;
  Communicator comm_;
  Self self_;
  Cluster cluster_;
  Origin origin_;
  std::shared_ptr<const Matrix> matrix_;
  std::optional<Report> report_;  // rank 0 only
  std::vector<Contender> contenders_;
  std::optional<Progress> progress_;
};

}  // namespace rondo::bench
