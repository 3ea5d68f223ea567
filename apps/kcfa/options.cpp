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
      "called where, over the ranks of an MPI job.");
  CLI::Option* file = app.add_option("FILE", options.file,
                                     "A program: NAME, (lambda (NAME ...) E), (E E ...) or (let "
                                     "((NAME E) ...) E); ; begins a comment");
  CLI::Option* generate =
      app.add_option("--generate", options.generate,
                     "A program that is made: worst:N,K, which has 2^N environments from --k K on "
                     "(Van Horn and Mairson 2008), or random:SIZE,SEED")
          ->excludes(file);
  app.add_option("--k", options.k, "How many calls a contour holds")
      ->check(CLI::Range(0, kMostCalls))
      ->capture_default_str();
  app.add_option(
      "--output", options.output,
      "Write the flow to this file: for every parameter and contour the lambdas it may be "
      "bound to (bind), for every call site and contour the lambdas called (call)");
  app.add_flag("--print-program", print_program, "Print the program that was made, and end")
      ->needs(generate);
  apps::add_common_options(app, options.common);
  if (auto help = bench::parse(app, argc, argv)) return *std::move(help);
  if (options.file.empty() && options.generate.empty())
    throw Error(ErrorClass::argument, "a FILE or --generate is needed (--help tells more)");
  if (print_program) return bench::Answer{generate_program(options.generate).text};
  return options;
}

}  // namespace rondo::kcfa
