#include "contender.hpp"

#include <rondo/rondo.hpp>

#include "base/error.hpp"

namespace rondo::bench {

namespace {

constexpr int kTextLength = 256;

/// What runs on `comm` now, as "NAME:PARAMETER=VALUE...".
std::string running_algorithm(MPI_Comm comm, const char* collective) {
  char running[kTextLength] = "";
  if (Rondo_Comm_get_algorithm(comm, collective, running, kTextLength) != MPI_SUCCESS)
    throw Error(ErrorClass::argument, Rondo_Get_last_error());
  return running;
}

std::optional<int> count_rounds(Call call, const std::string& running,
                                const choice::Layout& layout) {
  if (running == kAuto || call == Call::sparse_alltoallv || is_on_edges(call)) return std::nullopt;
  const auto choice = choice::resolve(choice::parse(collective_of(call), running), layout);
  if (!registry::has_flat_schedule(*choice.algorithm)) return std::nullopt;
  return static_cast<int>(choice::schedule_of(choice, layout).rounds().size());
}

/// Drops the name if it only repeats what the user asked for.
std::string without_name(const std::string& running, const std::string& asked) {
  const std::string name = asked.substr(0, asked.find(':'));
  if (running == name) return "";
  return running.starts_with(name + ':') ? running.substr(name.size() + 1) : running;
}

}  // namespace

Contender::Contender(const Communicator& parent, const Asked& asked)
    : asked_(asked), comm_(parent.get()), library_(is_rondo() ? kRondo : kMpiLibrary) {
  if (makes_two_calls()) library_.dynamic = nullptr;
}

Contender Contender::unprepared(const Communicator& parent) {
  return {parent, {.text = std::string(kAuto)}};
}

Contender::Contender(const Communicator& parent, Call call, const Asked& asked,
                     const choice::Layout& layout)
    : Contender(parent, asked) {
  if (!asked.library.empty())
    support::collectively(parent, [&] { library_ = load_library(asked.library, call); });
  if (!is_rondo()) return;
  const std::string collective(chosen_for(call));
  const std::string algorithm = makes_two_calls() ? std::string(kAuto) : asked.text;
  if (Rondo_Comm_set_algorithm(comm_.get(), collective.c_str(), algorithm.c_str()) != MPI_SUCCESS)
    throw Error(ErrorClass::argument, Rondo_Get_last_error());
  const std::string running = running_algorithm(comm_.get(), collective.c_str());
  parameters_ = without_name(running, asked.text);
  rounds_ = count_rounds(call, running, layout);
}

std::string Contender::parameters(const std::string& planned) const {
  if (!planned.empty()) return without_name(planned, asked_.text);
  return is_auto() || makes_two_calls() ? last_run() : parameters_;
}

std::string Contender::last_run() const {
  char text[kTextLength] = "";
  const int code = Rondo_Comm_get_last_algorithm(comm_.get(), text, kTextLength);
  return code == MPI_SUCCESS ? text : "forwarded";
}

void Contender::check(int code) const {
  if (code == MPI_SUCCESS) return;
  if (!is_rondo()) check_mpi(code, asked_.text.c_str());
  throw support::MpiFailure(text(asked_.text, " failed: ", Rondo_Get_last_error()));
}

}  // namespace rondo::bench
