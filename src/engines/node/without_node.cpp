// Replaces node.cpp and opening.cpp of this folder in a build without shared memory (RONDO_NODE=OFF).
#include "engines/node/node.hpp"
#include "transport/agreement.hpp"

namespace rondo::engines {

bool Node::is_built() {
  return false;
}

int Node::read_machine() {
  return 0;
}

bool Node::has_core_for_each(int) {
  return false;
}

std::unique_ptr<Node> Node::make(const transport::Tagged&, const schedule::NodeMap&, const Memory&,
                                 std::string& why) {
  why = "this library was built without shared memory (RONDO_NODE=OFF)";
  return nullptr;
}

// The algorithms refer to these functions, but there is no Node to call them on.
Node::~Node() = default;
void Node::pause() {}
void Node::pause_for_cell(int) {}
void Node::wait_for_landing(int) {}
bool Node::pull(int, std::uint64_t, const Block&, std::size_t) {
  return false;
}
std::byte* Node::pipe(int, int, std::uint64_t, std::size_t) {
  return nullptr;
}

}  // namespace rondo::engines
