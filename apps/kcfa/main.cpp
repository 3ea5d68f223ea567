// rondo-kcfa: control-flow analysis of a lambda-calculus program, over the ranks of an MPI job.
#include <algorithm>
#include <cstdlib>
#include <optional>

#include "base/error.hpp"
#include "common/report.hpp"
#include "kcfa/analysis.hpp"
#include "kcfa/flow.hpp"
#include "kcfa/generate.hpp"
#include "relalg/options.hpp"
#include "relalg/rounds.hpp"
#include "support/command_line.hpp"
#include "support/file.hpp"
#include "support/program.hpp"

namespace rondo::kcfa {

namespace {

using apps::Json;

struct Options {
  apps::CommonOptions common;
  std::string file;      ///< empty if the program is generated
  std::string generate;  ///< a specification; empty if there is a file
  std::string output;    ///< the file for the flow, or empty
  int k = 1;
  relalg::Exchanges exchanges = relalg::Exchanges::mixed;
};

/// The answer to --print-program is the program's text.
std::variant<Options, std::string> parse_options(int argc, const char* const* argv) {
  Options options;
  bool print_program = false;
  support::CommandLine line(
      "k-call-sensitive control-flow analysis of a lambda-calculus program: which lambdas may be "
      "called where, over the ranks of an MPI job.",
      "rondo-kcfa");
  const support::Option file = support::add_text(
      line, "program", options.file, "FILE",
      "A program: NAME, (lambda (NAME ...) E), (E E ...) or (let ((NAME E) ...) E); ; begins a "
      "comment");
  const support::Option generate =
      support::add_text(line, "--generate", options.generate, "NAME",
                        "Generate a program: worst:N,K, which has 2^N environments from --k K on "
                        "(Van Horn and Mairson 2008), or random:SIZE,SEED")
          .excludes(file);
  support::add_number(line, "--k", options.k, {0, kMostCalls}, "The number of calls in a contour");
  support::add_text(
      line, "-o,--output", options.output, "FILE",
      "Write the flow to this file: for every parameter and contour, the lambdas that it may be "
      "bound to (bind); for every call site and contour, the lambdas called (call)");
  support::add_switch(line, "--print-program", print_program,
                      "Print the generated program and exit")
      .needs(generate);
  relalg::add_exchange_option(line, options.exchanges);
  apps::add_common_options(line, options.common);
  if (auto help = support::parse(line, argc, argv)) return *std::move(help);
  if (options.file.empty() && options.generate.empty())
    throw Error(ErrorClass::argument, "a FILE or --generate is needed (see --help)");
  if (print_program) return generate_program(options.generate).text;
  return options;
}

std::size_t call_sites(const Term& term) {
  return static_cast<std::size_t>(std::count_if(
      term.begin(), term.end(), [](const Expression& e) { return e.kind == Kind::application; }));
}

/// Analyses a program with each algorithm and reports on it. All functions are collective. If one
/// throws, it throws on all ranks.
class Session {
 public:
  /// Reads or generates the program. `options` must outlive the session.
  Session(const Options& options, MPI_Comm world);

  void run();

 private:
  void read_program();
  void write_flow();
  apps::Run run_one(const std::string& algorithm);
  apps::Json about(std::span<const apps::Arm> arms) const;

  const Options& options_;
  support::Communicator comm_;
  apps::ExchangeTimer timer_;
  Term term_;  // on rank 0; the other ranks get the parts that they need as facts
  std::string program_name_;
  std::optional<support::OutputFile> output_;

  std::optional<Counts> counts_;  // of the first run
  relalg::Rounds rounds_;
  std::size_t iterations_ = 0;
  std::vector<std::string> flow_;
};

Session::Session(const Options& options, MPI_Comm world)
    : options_(options), comm_(world), timer_(comm_, options.common.meet) {
  support::collectively(comm_, [&] {
    if (comm_.rank() == 0) read_program();
  });
}

void Session::read_program() {
  const Source source = options_.file.empty() ? generate_program(options_.generate)
                                              : Source{options_.file, read_file(options_.file)};
  program_name_ = source.name;
  term_ = read_term(source);
  if (options_.k > 0 && call_sites(term_) > kMostSites)
    throw Error(
        ErrorClass::argument,
        text(source.name, ": ", call_sites(term_), " call sites are more than the ", kMostSites,
             " that contours can distinguish; use --k 0, which has no contours"));
  if (!options_.output.empty()) output_.emplace(options_.output);
}

void Session::run() {
  const std::vector<apps::Arm> arms = apps::run_in_turn(
      comm_, options_.common, [this](const std::string& algorithm) { return run_one(algorithm); });
  support::collectively(comm_, [&] {
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
  apps::choose_algorithm(comm_.get(), algorithm);
  timer_.begin_run();
  Analysis analysis(comm_, timer_, {.k = options_.k, .exchanges = options_.exchanges});
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
    throw support::WrongResult(
        text("a run with ", algorithm, " found another result than the first run"));
  }
  return run;
}

Json Session::about(std::span<const apps::Arm> arms) const {
  return {{"program", program_name_},
          {"k", options_.k},
          {"exchange", relalg::to_string(options_.exchanges)},
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

}  // namespace

}  // namespace rondo::kcfa

int main(int argc, char** argv) {
  using namespace rondo::kcfa;
  return rondo::support::run_program<Options>(
      "rondo-kcfa", [&] { return parse_options(argc, argv); },
      [](const Options& options, int) {
        Session(options, MPI_COMM_WORLD).run();
        return EXIT_SUCCESS;
      });
}
