#include "select/decide.hpp"

namespace rondo::select {

model::Machine machine_of(const Profile* profile) {
  return profile == nullptr ? model::typical_cluster() : profile->machine;
}

const Measured* measured_at(const Place& place, const Profile* profile) {
  // What was measured went through the memory of the nodes.
  return profile == nullptr || !place.has_node ? nullptr : profile->find(place.layout);
}

Decisions decide(const Place& place, const Profile* profile) {
  const Measured* const measured = measured_at(place, profile);
  return measured != nullptr ? measured->decisions : predicted(place, machine_of(profile));
}

}  // namespace rondo::select
