#include "communicator/automatic_sparse.hpp"

#include <algorithm>

#include "communicator/verbose.hpp"
#include "communicator/worth_trying.hpp"
#include "select/sparse.hpp"

namespace rondo::communicator {

using choice::Choice;

void AutomaticSparse::begin_learning(std::uint64_t calls_before) {
  counted_before_ = std::max(calls_before + 1, select::Learning::kFirstUnseen);
  first_calls_ = counted_before_ - calls_before;
}

const Choice& AutomaticSparse::first() {
  if (!first_) {
    first_ = select::decide_sparse(
        {.layout = context_.layout(), .has_node = context_.node() != nullptr});
    if (settings_.verbose != 0 && context_.rank == 0)
      print_choice(registry::Collective::sparse_alltoallv, context_.layout(), std::nullopt,
                   first_->text(), "by the layout");
  }
  return *first_;
}

void AutomaticSparse::begin_turn() {
  if (!turns_.have_begun()) return turns_.begin(first(), first_calls_);
  if (!turns_.learner())
    turns_.learn_by(std::make_shared<Learner>(context_.comm, choices_to_try(),
                                              context_.last_exchange(), counted_before_));
  timed_.begin(turns_.begin_learned(context_, settings_, std::nullopt));
}

/// The first one, and the others that `auto` considers on any layout. All of them report failures to all ranks, and none
/// calls the MPI library's collectives.
std::vector<Choice> AutomaticSparse::choices_to_try() {
  std::vector<Choice> choices = {first()};
  const bool has_node = can_share_memory(context_);
  for (const registry::Algorithm& row : registry::sparse_algorithms()) {
    if (row.chooser != registry::Chooser::automatic) continue;
    if (row.shape == registry::Shape::node && !has_node) continue;
    const Choice choice = choice::resolve({.algorithm = &row}, context_.layout());
    if (!(choice == first())) choices.push_back(choice);
  }
  return choices;
}

}  // namespace rondo::communicator
