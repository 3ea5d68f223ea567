#include "watch/look.hpp"

#include <unistd.h>

#include <algorithm>

#include "base/error.hpp"

namespace rondo::watch {

namespace {

class Looking {
 public:
  Looking(const Subject& subject, std::uint64_t number, std::span<const char* const> forms)
      : subject_(subject), here_(*subject.line), number_(number), forms_(forms) {}

  Look look() {
    begin_scene();
    for (const Neighbour& neighbour : subject_.neighbours) {
      Other other{.rank = neighbour.rank,
                  .rank_of_job = neighbour.rank_of_job,
                  .process = neighbour.process,
                  .activity = activity_of(neighbour.process)};
      other.can_be_seen =
          other.activity != Activity::ended && !failure_of([&] { read(neighbour, other); });
      look_.scene.others.push_back(std::move(other));
    }
    look_.lets_others_tell = lets_others_tell();
    return std::move(look_);
  }

 private:
  void begin_scene() {
    const Subject::Algorithm algorithm = subject_.algorithm();
    Scene& scene = look_.scene;
    scene.rank = subject_.rank;
    scene.ranks = subject_.ranks;
    scene.process = getpid();
    scene.node = subject_.node;
    scene.members = subject_.members;
    scene.exchange = exchange_on(here_);
    scene.exchange.number = number_;
    scene.exchange.is_in_library = here_.is_forwarded || algorithm.is_in_library;
    scene.algorithm = algorithm.text;
    if (here_.bytes != Line::kUnknownBytes) scene.bytes = here_.bytes;
    scene.longest = here_.longest;
    scene.on_other_nodes = subject_.on_other_nodes;
    scene.unknown = subject_.unknown;
    scene.is_first = here_.communicator == 0;
  }

  bool lets_others_tell() const {
    const Exchange& here = look_.scene.exchange;
    int alike = 1;
    int otherwise = 0;
    for (const Other& other : look_.scene.others) {
      const bool is_alike = other.waits_in(here);
      if (is_alike && other.rank < subject_.rank) return true;
      const auto& its = other.exchange;
      if (is_alike)
        ++alike;
      else if (its && its->is_same_communicator && its->number == here.number)
        ++otherwise;
    }
    return otherwise > alike;
  }

  void read(const Neighbour& neighbour, Other& other) {
    const Board board = Board::open(neighbour.board);
    const std::span<Line> lines = board.lines();
    for (const Line& line : lines) {
      if (!line.is_taken || !is_here(line)) continue;
      other.has_passed = other.has_passed || line.ended >= number_ || line.begun > number_;
      look_.is_told = look_.is_told || line.told == number_;
      if (line.told_of == number_) look_.told_at = std::max(look_.told_at, line.told_at.load());
    }
    const auto is_busy = [](const Line& line) { return line.is_taken && line.is_busy(); };
    auto found = std::ranges::find_if(
        lines, [&](const Line& line) { return is_busy(line) && is_here(line); });
    if (found == lines.end()) found = std::ranges::find_if(lines, is_busy);
    if (found != lines.end()) other.exchange = exchange_on(*found);
  }

  Exchange exchange_on(const Line& line) const {
    const auto form = static_cast<std::size_t>(line.form.load());
    return {.number = line.begun,
            .form = form < forms_.size() ? forms_[form] : "",
            .is_in_library = line.is_forwarded || line.is_in_library,
            .communicator = line.name.data(),
            .is_same_communicator = is_here(line)};
  }

  /// Whether it is the line of this communicator. In the first exchange its ranks have not agreed on a number yet, and
  /// those that have are in their first on one that this rank does not know. It may also have freed one that others
  /// have not.
  bool is_here(const Line& line) const {
    if (line.members != here_.members) return false;
    if (line.communicator == here_.communicator) return true;
    if (line.communicator == 0 || here_.communicator != 0 || line.ended >= number_) return false;
    return std::ranges::none_of(Board::own().lines(), [&](const Line& own) {
      return own.is_taken && own.communicator == line.communicator;
    });
  }

  const Subject& subject_;
  const Line& here_;
  std::uint64_t number_;
  std::span<const char* const> forms_;
  Look look_;
};

}  // namespace

Look look(const Subject& subject, std::uint64_t number, std::span<const char* const> forms) {
  return Looking(subject, number, forms).look();
}

}  // namespace rondo::watch
