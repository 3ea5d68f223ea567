#include "exchange/agreement.hpp"

namespace rondo::exchange {

namespace {

/// A binomial tree: the parent of a rank is the rank without its lowest bit.
void broadcast_by_messages(const Circle& circle, std::byte* data, std::size_t bytes) {
  Messages messages(circle.comm);
  const int lowest = circle.rank & -circle.rank;
  if (circle.rank != 0) {
    messages.receive(data, bytes, circle.rank - lowest, circle.tag);
    messages.wait();
  }
  for (int bit = 1; circle.rank + bit < circle.ranks && (circle.rank == 0 || bit < lowest);
       bit *= 2)
    messages.send(data, bytes, circle.rank + bit, circle.tag);
  messages.wait();
}

}  // namespace

void broadcast(const Circle& circle, std::byte* data, std::size_t bytes) {
  if (Fiber::is_running()) return broadcast_by_messages(circle, data, bytes);
  complete_outstanding();
  check(PMPI_Bcast(data, static_cast<int>(bytes), MPI_BYTE, 0, circle.comm), "MPI_Bcast");
}

}  // namespace rondo::exchange
