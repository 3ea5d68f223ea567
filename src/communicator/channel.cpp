#include "communicator/channel.hpp"

namespace rondo::communicator {

void Channel::prepare(const RequestsOrAuto& requests) {
  auto_->prepare();
  for (const auto form : buffers::kStartedForms) resolve(form, requests[index(form)]);
  is_prepared_ = true;
}

}  // namespace rondo::communicator
