#include "watch/board.hpp"

#include <algorithm>
#include <mutex>

namespace rondo::watch {

using segment::Segment;

/// It keeps its descriptor, by which others open it, so it is never sealed and never destroyed.
Board& Board::own() {
  static Board& board = *new Board(make());
  return board;
}

Board Board::make() {
  return Board(Segment::create(Segment::Kind::descriptor, kOffset + sizeof(Shared)));
}

Board Board::open(const segment::Ticket& ticket) {
  return Board(Segment::open(ticket));
}

Line* Board::take(std::string_view name, std::uint64_t members) {
  static std::mutex& mutex = *new std::mutex;
  const std::lock_guard lock(mutex);
  for (std::size_t number = 0; number < kLines; ++number) {
    Line& line = shared().lines[number];
    if (number < shared().used && line.is_taken) continue;
    line.communicator = line.begun = line.ended = line.told = line.told_of = 0;
    line.told_at = INT64_MIN / 2;
    line.form = Line::kUnknownForm;
    line.members = members;
    line.name.fill(0);
    name.copy(line.name.data(), line.name.size() - 1);
    line.is_taken = true;
    shared().used = std::max<std::size_t>(shared().used, number + 1);
    return &line;
  }
  return nullptr;
}

}  // namespace rondo::watch
