// Rondo_Comm_prepare, Rondo_Comm_set_algorithm, Rondo_Comm_get_algorithm.

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "communicator/announcement.hpp"
#include "communicator/attributes.hpp"
#include "exchange/execute.hpp"
#include "exchange/guard.hpp"
#include "mpi/collectives.hpp"
#include "rondo/rondo.h"
#include "transport/agreement.hpp"

namespace rondo::exchange {

using namespace buffers;       // NOLINT: the entries use both
using namespace communicator;  // NOLINT

namespace {

/// Throws Error(argument) on all ranks unless all make the same request.
void require_same(engines::Context& context, Form form, const std::string& request) {
  const auto hash = static_cast<long>(std::hash<std::string>{}(request) >> 8);
  std::array extremes = {hash, -hash, static_cast<long>(form), -static_cast<long>(form)};
  transport::combine_all(context.tagged(), std::span<long>(extremes),
                         [](long one, long other) { return std::max(one, other); });
  if (extremes[0] != -extremes[1] || extremes[2] != -extremes[3])
    throw Error(ErrorClass::argument,
                rondo::text("Rondo_Comm_set_algorithm: the ranks request different algorithms; "
                            "rank ",
                            context.rank, " requests ", request));
}

void prepare(MPI_Comm comm, MPI_Info info) {
  if (is_inter(comm)) return;
  State& state = *state_of(comm);
  if (state.life() == Life::given_up) state.context();  // throws
  if (state.life() != Life::counting) return;
  const auto hints = hints_of_rank_0(comm, info).algorithms;
  std::array<ChoiceOrAuto, kFormNames.size()> requests;
  const auto failure = failure_of([&] {
    for (std::size_t form = 0; form < hints.size(); ++form)
      if (hints[form]) requests[form] = parse_choice(static_cast<Form>(form), hints[form]->c_str());
  });
  if (std::ranges::any_of(hints, [](const auto& hint) { return hint.has_value(); }))
    mpi::fail_together_on(comm, failure);
  state.prepare();
  for (std::size_t form = 0; form < hints.size(); ++form)
    if (hints[form]) state.set_choice(static_cast<Form>(form), std::move(requests[form]));
}

void set_algorithm(MPI_Comm comm, const char* collective, const char* algorithm) {
  require_intra(comm);
  State& state = *state_of(comm);
  state.prepare();
  Form form{};
  ChoiceOrAuto request;
  std::string name;
  const auto failure = failure_of([&] {
    form = buffers::parse_form(collective);
    request = parse_choice(form, algorithm);
    name = request ? request->text() : "auto";
  });
  try {
    transport::fail_together(state.context().tagged(), failure);
    require_same(state.context(), form, name);
    state.set_choice(form, std::move(request));
  } catch (const Error& error) {
    // What an error of MPI has interrupted is still on its way, and other ranks may wait for it.
    if (error.mpi_class() != 0) state.give_up();
    throw;
  }
}

State& prepared_state(MPI_Comm comm) {
  require_intra(comm);
  State* state = find_state(comm);
  if (state == nullptr || !state->own().has_context())
    throw Error(ErrorClass::argument,
                "Rondo has not been set up on this communicator; call Rondo_Comm_prepare first");
  return *state;
}

void get_algorithm(MPI_Comm comm, const char* collective, char* text, int length) {
  const Form form = buffers::parse_form(collective);
  State& state = prepared_state(comm);
  const std::string name =
      state.choice_or_auto(form) ? state.own().choose(form, std::nullopt).text() : "auto";
  write_text(name, "Rondo_Comm_get_algorithm", text, length);
}

void get_last_algorithm(MPI_Comm comm, char* text, int length) {
  const auto choice = prepared_state(comm).last_choice();
  write_text(choice ? choice->text() : "mpi", "Rondo_Comm_get_last_algorithm", text, length);
}

}  // namespace

}  // namespace rondo::exchange

using namespace rondo::exchange;  // NOLINT: the C interface is outside the namespace

extern "C" {

int Rondo_Comm_prepare(MPI_Comm comm, MPI_Info info) {
  return guarded(comm, [&] { prepare(comm, info); });
}

int Rondo_Comm_set_algorithm(MPI_Comm comm, const char* collective, const char* algorithm) {
  return guarded(comm, [&] { set_algorithm(comm, collective, algorithm); });
}

int Rondo_Comm_get_algorithm(MPI_Comm comm, const char* collective, char* text, int length) {
  return guarded(comm, [&] { get_algorithm(comm, collective, text, length); });
}

int Rondo_Comm_get_last_algorithm(MPI_Comm comm, char* text, int length) {
  return guarded(comm, [&] { get_last_algorithm(comm, text, length); });
}

}  // extern "C"
