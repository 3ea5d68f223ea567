// What all programs share: they parse before MPI_Init, print an error once, and end together.
#pragma once

#include <fmt/format.h>
#include <mpi.h>

#include <string>
#include <variant>

#include "base/error.hpp"
#include "base/exit_status.hpp"

namespace rondo::support {

/// A check has found a wrong result. All ranks throw it.
struct WrongResult : Error {
  explicit WrongResult(const std::string& text) : Error(ErrorClass::other, text) {}
};

/// The status of a program that an error of all ranks ends.
ExitStatus status_of(const Error& error);

/// Whether the usual variables of a launcher are there: other processes may have started with this one.
bool is_launched();

/// Prints `answer` instead of a run. If a launcher started several processes, only the first
/// prints.
int print_answer(const std::string& program, const std::string& answer);

/// Starts MPI, with the threads that RONDO_PROGRESS=thread needs.
void start_mpi();

void complain(const std::string& program, const std::string& sentence);

/// Errors that all ranks share are printed by rank 0, and every rank exits normally. An error of
/// this rank alone aborts the program, because the other ranks would wait for it.
template <class Body>
int run_guarded(const std::string& program, Body&& body) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    return body(rank);
  } catch (const Error& error) {
    if (rank == 0) complain(program, error.what());
    return status_of(error);
  } catch (const std::exception& error) {
    complain(program, fmt::format("rank {}: {}", rank, error.what()));
    MPI_Abort(MPI_COMM_WORLD, kRunFailed);
  }
  return kRunFailed;
}

/// parse() returns Options or the text to print instead of a run, or throws Error. body(options,
/// rank) runs between MPI_Init and MPI_Finalize.
///
/// What parse() throws is said before MPI_Init by a process that no launcher has started: MPI_Init is
/// slow there, and fails where programs may only run under a launcher. Under a launcher it is said
/// after MPI_Init, because the launcher ends rank 0, perhaps before it has said anything, as soon as
/// another rank exits with a status other than 0.
template <class Options, class Parse, class Body>
int run_program(const std::string& program, Parse&& parse, Body&& body) {
  std::string wrong_use;
  std::variant<Options, std::string> parsed;
  try {
    parsed = parse();
  } catch (const Error& error) {
    wrong_use = error.what();
  }
  if (const auto* said = std::get_if<std::string>(&parsed)) return print_answer(program, *said);

  if (!wrong_use.empty() && !is_launched()) {
    complain(program, wrong_use);
    return kWrongUse;
  }

  start_mpi();
  const int status = run_guarded(program, [&](int rank) {
    if (!wrong_use.empty()) throw Error(ErrorClass::argument, wrong_use);
    return body(std::get<Options>(parsed), rank);
  });
  MPI_Finalize();
  return status;
}

}  // namespace rondo::support
