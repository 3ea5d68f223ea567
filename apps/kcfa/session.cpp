#include "kcfa/session.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "kcfa/flow.hpp"
#include "kcfa/generate.hpp"
#include "support/algorithm.hpp"

namespace rondo::kcfa {

namespace {

using apps::Json;

std::size_t call_sites(const Term& term) {
  return static_cast<std::size_t>(std::count_if(
      term.begin(), term.end(), [](const Expression& e) { return e.kind == Kind::application; }));
}

}  // namespace

Session::Session(const Options& options, MPI_Comm world)
    : options_(options), comm_(world), timer_(comm_, options.common.meet) {
  bench::collectively(comm_, [&] {
    if (comm_.rank() == 0) read_program();
  });
  const auto repeats = static_cast<std::size_t>(options.common.repeat);
  progress_.emplace(comm_.rank() == 0 && !options.common.quiet,
                    repeats * options.common.algorithms.size());
}

void Session::read_program() {
  const Source source =
      options_.file.empty() ? generate_program(options_.generate) : read_source(options_.file);
  program_name_ = source.name;
  term_ = read_term(source);
  if (options_.k > 0 && call_sites(term_) > kMostSites)
    throw Error(ErrorClass::argument,
                text(source.name, ": ", call_sites(term_), " call sites are more than the ",
                     kMostSites, " that contours tell apart; --k 0 has none"));
  if (!options_.output.empty()) output_.emplace(options_.output);
}

void Session::run() {
  const std::vector<apps::Arm> arms = apps::run_in_turn(
      options_.common, [this](const std::string& algorithm) { return run_one(algorithm); });
  progress_->clear();
  bench::collectively(comm_, [&] {
    if (comm_.rank() != 0) return;
    if (output_) write_flow();
    apps::print_report(options_.common, about(arms), arms);
  });
}

void Session::write_flow() {
  for (const std::string& line : flow_) output_->write(line + '\n');
  output_->close();
}

apps::Run Session::run_one(const std::string& algorithm) {
  progress_->step(algorithm);
  apps::choose_algorithm(comm_.get(), algorithm);
  timer_.begin_run();
  Analysis analysis(comm_, timer_, options_.k);
  if (comm_.rank() == 0) analysis.set_term(term_);
  const std::vector<relalg::Iteration> iterations = analysis.run();
  const apps::Run run = timer_.end_run();
  rounds_.add(algorithm, iterations);
  iterations_ = iterations.size();
  const Counts counts = analysis.counts();
  if (!counts_) {
    counts_ = counts;
    if (!options_.output.empty()) flow_ = flow_lines(comm_, analysis, term_);
  } else if (counts != *counts_) {
    throw Error(ErrorClass::other,
                text("a run with ", algorithm, " found something else than the first run"));
  }
  return run;
}

Json Session::about(std::span<const apps::Arm> arms) const {
  return {{"program", program_name_},
          {"k", options_.k},
          {"ranks", comm_.ranks()},
          {"expressions", term_.size()},
          {"call_sites", call_sites(term_)},
          {"points", counts_->points},
          {"returns", counts_->returns},
          {"bindings", counts_->bindings},
          {"environments", counts_->environments},
          {"calls", counts_->calls},
          {"iterations", iterations_},
          {"rounds", rounds_.to_json(arms)}};
}

}  // namespace rondo::kcfa
