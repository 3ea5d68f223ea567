// One call of rondo-kcfa: a program analysed with each algorithm, and what is said about it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "communicator.hpp"
#include "kcfa/analysis.hpp"
#include "kcfa/options.hpp"
#include "kcfa/output_file.hpp"
#include "kcfa/term.hpp"
#include "progress.hpp"
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
  apps::Run run_one(const std::string& algorithm);
  apps::Json about() const;

  const Options& options_;
  bench::Communicator comm_;
  apps::ExchangeTimer timer_;
  Term term_;  // on rank 0; the others get what they need of it as facts
  std::string program_name_;
  std::optional<OutputFile> output_;
  std::optional<bench::Progress> progress_;

  std::optional<Counts> counts_;                                  // of the first run
  std::map<std::string, std::vector<relalg::Iteration>> rounds_;  // of an algorithm's last run
  std::vector<std::string> flow_;
};

}  // namespace rondo::kcfa
