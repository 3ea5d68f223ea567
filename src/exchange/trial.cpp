#include "exchange/trial.hpp"

#include <fmt/core.h>

#include <utility>

#include "communicator/agree.hpp"
#include "communicator/auto.hpp"
#include "mpi/error.hpp"

namespace rondo::exchange {

using choice::Choice;

namespace {

std::vector<PlannedChoice> planned(const std::vector<Choice>& choices) {
  std::vector<PlannedChoice> planned;
  for (const Choice& choice : choices) planned.push_back({.choice = choice, .learned = {}});
  return planned;
}

std::string microseconds(double seconds) {
  return fmt::format("{:.1f} us", seconds * 1e6);
}

}  // namespace

std::unique_ptr<Trial> Trial::make(communicator::State& state, const Choice& own,
                                   std::size_t longest) {
  const std::string names =
      communicator::announce_choices(state.context(), state.settings(), own, longest);
  std::unique_ptr<Trial> trial;
  const auto failure = failure_of([&] { trial.reset(new Trial(state, names, own, longest)); });
  communicator::agree_on_failure(state.context(), failure);
  return trial;
}

/// The exchange number is a seed that all ranks share.
Trial::Trial(communicator::State& state, const std::string& names, const Choice& own,
             std::size_t longest)
    : state_(state),
      longest_(longest),
      choices_(planned(
          communicator::choices_from(names, own.algorithm->collective, state.context().layout()))),
      trials_(choices_.size(), state.context().last_exchange()) {}

void Trial::begin_together(const std::optional<Error>& failure) {
  communicator::agree_on_failure(state_.context(), failure);
}

PlannedChoice Trial::settle() {
  const auto durations = trials_.durations();
  try {
    mpi::combine_all(state_.context().tagged_comm(), durations,
                     [](double one, double other) { return std::max(one, other); });
  } catch (const Error&) {
    state_.abandon(state_.own().context());
    throw;
  }
  const std::size_t winner = trials_.winner();
  if (state_.settings().verbose != 0 && state_.rank() == 0) print_result(winner);
  return std::move(choices_[winner]);
}

std::string Trial::text() const {
  std::string text;
  for (const PlannedChoice& planned : choices_)
    text.append(text.empty() ? "auto is still measuring: " : ", ").append(planned.choice.text());
  return text;
}

/// Prints nothing if there is no memory for the text. The other ranks go on, so this one must not
/// throw.
void Trial::print_result(std::size_t winner) const {
  failure_of([&] {
    std::string figures;
    for (std::size_t i = 0; i < choices_.size(); ++i)
      if (i != winner)
        figures.append(", ")
            .append(choices_[i].choice.text())
            .append(" ")
            .append(microseconds(trials_.seconds(i)));
    const Choice& choice = choices_[winner].choice;
    communicator::print_choice(choice.algorithm->collective, state_.context().layout(), longest_,
                               choice.text(),
                               "measured: " + microseconds(trials_.seconds(winner)) + figures);
  });
}

}  // namespace rondo::exchange
