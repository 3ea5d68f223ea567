#include "communicator/channel.hpp"

namespace rondo::communicator {

void Channel::prepare(const ChoicesOrAuto& choices) {
  auto_->prepare();
  for (const auto form : buffers::kStartedForms) resolve(form, choices[index(form)]);
  is_prepared_ = true;
}

const choice::Choice& Channel::instead_of_library(const choice::Choice& choice) {
  if (choice.algorithm->shape != registry::Shape::library) return choice;
  const registry::Collective collective = choice.algorithm->collective;
  auto& instead = instead_[static_cast<std::size_t>(collective)];
  if (!instead) instead = context_->defaults(collective, "spread_out");
  return *instead;
}

}  // namespace rondo::communicator
