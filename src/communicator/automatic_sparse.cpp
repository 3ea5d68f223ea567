#include "communicator/automatic_sparse.hpp"

#include <algorithm>

#include "communicator/turns.hpp"
#include "mpi/transport.hpp"
#include "select/decide.hpp"

namespace rondo::communicator {

using choice::Choice;

void AutomaticSparse::begin_learning(std::uint64_t calls_before) {
  counted_before_ = std::max(calls_before + 1, select::Learning::kFirstUnseen);
  first_calls_ = counted_before_ - calls_before;
}

const Choice& AutomaticSparse::first() {
  if (!first_) {
    const select::Decision decision = select::decide_sparse(
        {.layout = context_.layout(), .has_node = context_.node() != nullptr});
    first_ = decision.choice;
    if (settings_.verbose != 0 && context_.rank == 0)
      print_choice(registry::Collective::sparse_alltoallv, context_.layout(), std::nullopt,
                   first_->text(), decision.reason);
  }
  return *first_;
}

void AutomaticSparse::begin_turn() {
  if (!turns_.have_begun()) return turns_.begin(first(), first_calls_);
  if (!turns_.learner())
    turns_.learn_by(std::make_shared<Learner>(mpi::comm_of(context_.transport()),
                                              worth_trying(context_, settings_, first(), 0, false),
                                              context_.last_exchange(), counted_before_));
  timed_.begin(turns_.begin_learned(context_, settings_, std::nullopt));
}

}  // namespace rondo::communicator
