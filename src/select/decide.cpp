#include "select/decide.hpp"

namespace rondo::select {

Decisions decide(const Place& place, const Profile* profile) {
  if (profile == nullptr) return predicted(place, model::typical_cluster());
  // What was measured went through the memory of the nodes.
  if (place.has_node)
    if (const Measured* measured = profile->find(place.layout)) return measured->decisions;
  return predicted(place, profile->machine);
}

}  // namespace rondo::select
