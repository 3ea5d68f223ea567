#include "communicator/worth_trying.hpp"

#include <string>
#include <string_view>

#include "base/text.hpp"
#include "buffers/device.hpp"
#include "communicator/profile.hpp"
#include "select/decide.hpp"
#include "select/variants.hpp"

namespace rondo::communicator {

using choice::Choice;

bool can_share_memory(engines::Context& context) {
  return engines::Node::is_built() && context.layout().real_nodes() < context.ranks &&
         context.node() != nullptr;
}

namespace {

/// Collective. Whether the MPI library can carry out whatever Rondo can.
bool library_takes_all_memory(const engines::Context& context) {
  const bool is_known = !buffers::may_use_devices() || buffers::library_supports_devices();
  return mpi::least_of_all(context.tagged_comm(), is_known ? 1 : 0) != 0;
}

/// What rank 0 finds.
std::vector<Choice> found_by_rank_0(const engines::Context& context,
                                    const registry::Settings& settings, const Choice& own,
                                    const select::Place& place, std::size_t longest) {
  const std::string announced = mpi::text_of_rank_0(context.tagged_comm(), [&] {
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

std::vector<Choice> worth_trying(engines::Context& context, const registry::Settings& settings,
                                 const Choice& own, std::size_t longest, bool may_forward) {
  const bool has_node = can_share_memory(context);
  const select::Place place{.layout = context.layout(),
                            .has_node = has_node,
                            .copies_long = has_node && context.node()->copies_long(),
                            .may_forward = may_forward && library_takes_all_memory(context)};
  return found_by_rank_0(context, settings, own, place, longest);
}

}  // namespace rondo::communicator
