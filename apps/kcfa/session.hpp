// One call of rondo-kcfa: a program analysed with each algorithm, and what is said about it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "communicator.hpp"
#include "kcfa/analysis.hpp"
#include "kcfa/options.hpp"
#include "kcfa/term.hpp"
#include "progress.hpp"
#include "relalg/rounds.hpp"
#include "support/output_file.hpp"
#include "support/report.hpp"

namespace rondo::kcfa {

/// All functions are collective, and throw on all ranks where they throw.
class Session {
 public:
  /// Reads or makes the program. `options` must outlive the session.
  Session(const Options& options, MPI_Comm world);

  void run();

 private:
  void read_program();
  void write_flow();
  apps::Run run_one(const std::string& algorithm);
  apps::Json about(std::span<const apps::Arm> arms) const;

  const Options& options_;
  bench::Communicator comm_;
  apps::ExchangeTimer timer_;
  Term term_;  // on rank 0; the others get what they need of it as facts
  std::string program_name_;
  std::optional<apps::OutputFile> output_;
  std::optional<bench::Progress> progress_;

  std::optional<Counts> counts_;  // of the first run
  relalg::Rounds rounds_;
  std::size_t iterations_ = 0;
  std::vector<std::string> flow_;
};

}  // namespace rondo::kcfa
