// Where a started exchange binds its arguments.
#pragma once

#include <memory>

#include "communicator/channel.hpp"

namespace rondo::exchange {

/// The binding of the channel, or one of the exchange's own if those before it may still use the channel's.
template <class Binding>
class BindingAtStart {
 public:
  BindingAtStart(const communicator::Channel& channel, Binding& of_channel)
      : own_(channel.is_idle() ? nullptr : std::make_unique<Binding>()),
        binding_(own_ ? *own_ : of_channel) {}

  Binding& operator*() const { return binding_; }
  Binding* operator->() const { return &binding_; }

  /// Whether the exchange begins after its start has returned.
  bool begins_later() const { return own_ != nullptr; }

 private:
  std::unique_ptr<Binding> own_;
  Binding& binding_;
};

}  // namespace rondo::exchange
