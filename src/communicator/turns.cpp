#include "communicator/turns.hpp"

#include <cstdio>
#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"
#include "buffers/device.hpp"
#include "communicator/profile.hpp"
#include "select/decide.hpp"
#include "select/variants.hpp"
#include "transport/agreement.hpp"

namespace rondo::communicator {

using choice::Choice;

namespace {

/// Collective. Whether the MPI library can carry out whatever Rondo can.
bool library_takes_all_memory(const engines::Context& context) {
  const bool is_known = !buffers::may_use_devices() || buffers::library_supports_devices();
  return transport::least_of_all(context.tagged(), is_known ? 1 : 0) != 0;
}

/// What rank 0 finds.
std::vector<Choice> found_by_rank_0(const engines::Context& context,
                                    const registry::Settings& settings, const Choice& own,
                                    const select::Place& place, std::size_t longest) {
  const std::string announced = transport::text_of_rank_0(context.tagged(), [&] {
    const auto profile = find_profile(settings.profile);
    std::string text;
    for (const Choice& choice :
         select::choices_to_try(own, place, select::machine_of(profile.get()), longest))
      text.append(choice.text()).append(" ");
    return text;
  });
  std::vector<Choice> choices;
  std::string_view names = announced;
  for (std::string_view name; !(name = take_word(names)).empty();)
    choices.push_back(
        choice::resolve(choice::parse(own.algorithm->collective, name), context.layout()));
  return choices;
}

}  // namespace

Learner* Turns::begin_learned(const engines::Context& context, const registry::Settings& settings,
                              std::optional<std::size_t> block_bytes) {
  const Learner::Turn turn = learner_->next();
  if (turn.has_learned) print_learned(context, settings, block_bytes, *learner_);
  place_ = static_cast<std::size_t>(&turn.choice - learner_->choices().data());
  begin(turn.choice, turn.calls);
  return turn.is_timed ? learner_.get() : nullptr;
}

bool can_share_memory(engines::Context& context) {
  return engines::Node::is_built() && context.layout().real_nodes() < context.ranks &&
         context.node() != nullptr;
}

std::vector<Choice> worth_trying(engines::Context& context, const registry::Settings& settings,
                                 const Choice& own, std::size_t longest, bool may_forward) {
  const bool has_node = can_share_memory(context);
  const select::Place place{.layout = context.layout(),
                            .has_node = has_node,
                            .copies_long = has_node && context.node()->copies_long(),
                            .may_forward = may_forward && library_takes_all_memory(context)};
  return found_by_rank_0(context, settings, own, place, longest);
}

void print_choice(registry::Collective collective, const choice::Layout& layout,
                  std::optional<std::size_t> block_bytes, const std::string& name,
                  const std::string& reason) {
  const auto counted = [](int count, const char* what) {
    return text(count, " ", what, count == 1 ? "" : "s");
  };
  const std::string place =
      text(registry::to_string(collective), " on ", counted(layout.ranks, "rank"), ", ",
           counted(layout.real_nodes(), "node"));
  const std::string length = block_bytes ? text(", S = ", *block_bytes) : std::string();
  std::fprintf(stderr, "rondo: %s%s: %s; %s\n", place.c_str(), length.c_str(), name.c_str(),
               reason.c_str());
}

void print_learned(const engines::Context& context, const registry::Settings& settings,
                   std::optional<std::size_t> block_bytes, const Learner& learner) {
  if (settings.verbose == 0 || context.rank != 0) return;
  failure_of([&] {
    const choice::Choice& best = learner.best();
    print_choice(best.algorithm->collective, context.layout(), block_bytes, best.text(),
                 learner.reason());
  });
}

}  // namespace rondo::communicator
