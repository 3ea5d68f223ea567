#include "kcfa/options.hpp"

#include "command_line.hpp"
#include "kcfa/contour.hpp"
#include "kcfa/generate.hpp"

namespace rondo::kcfa {

std::variant<Options, bench::Answer> parse_options(int argc, const char* const* argv) {
  Options options;
  bool print_program = false;
  CLI::App app(
      "k-call-sensitive control-flow analysis of a lambda-calculus program: which lambdas may be "
      "called where, over the ranks of an MPI job.",
      "rondo-kcfa");
  CLI::Option* file = bench::add_text(
      app, "program", options.file, "FILE",
      "A program: NAME, (lambda (NAME ...) E), (E E ...) or (let ((NAME E) ...) E); ; begins a "
      "comment");
  CLI::Option* generate =
      bench::add_text(app, "--generate", options.generate, "NAME",
                      "A program that is made: worst:N,K, which has 2^N environments from --k K on "
                      "(Van Horn and Mairson 2008), or random:SIZE,SEED")
          ->excludes(file);
  bench::add_number(app, "--k", options.k, {0, kMostCalls}, "How many calls a contour holds");
  bench::add_text(
      app, "--output", options.output, "FILE",
      "Write the flow to this file: for every parameter and contour the lambdas it may be bound "
      "to (bind), for every call site and contour the lambdas called (call)");
  bench::add_switch(app, "--print-program", print_program,
                    "Print the program that was made, and end")
      ->needs(generate);
  apps::add_common_options(app, options.common);
  if (auto help = bench::parse(app, argc, argv)) return *std::move(help);
  if (options.file.empty() && options.generate.empty())
    throw Error(ErrorClass::argument, "a FILE or --generate is needed (--help tells more)");
  if (print_program) return bench::Answer{generate_program(options.generate).text};
  return options;
}

}  // namespace rondo::kcfa
