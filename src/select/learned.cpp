#include "select/learned.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <locale>
#include <sstream>
#include <tuple>
#include <utility>

namespace rondo::select {

namespace {

Bands with_one(const Bands& decided, const LearnedBand& one) {
  Bands bands;
  std::size_t from = 0;
  for (const Band& band : decided) {
    if (from < one.from) {
      bands.push_back(band);
      bands.back().up_to = std::min(band.up_to, one.from - 1);
    }
    if (from <= one.from && one.from <= band.up_to) bands.push_back(one.band);
    if (band.up_to > one.band.up_to) bands.push_back(band);
    from = band.up_to + 1;
  }
  return bands;
}

auto key_of(const Move& move) {
  return std::tie(move.exchange, move.ranks, move.from, move.up_to, move.before, move.after);
}

std::string lengths_text(const Move& move) {
  if (move.from == 0 && move.up_to == kNoEnd) return "";
  if (move.from == 0) return fmt::format(", blocks of up to {} bytes", move.up_to);
  if (move.up_to == kNoEnd) return fmt::format(", blocks of {} bytes or more", move.from);
  return fmt::format(", blocks of {} to {} bytes", move.from, move.up_to);
}

}  // namespace

Bands with_learned(Bands decided, std::span<const LearnedBand> learned,
                   const choice::Layout& layout) {
  for (const LearnedBand& one : learned) decided = with_one(decided, one);
  Bands merged;
  for (Band& band : decided) {
    const bool is_same = !merged.empty() && choice::resolve(merged.back().choice, layout) ==
                                                choice::resolve(band.choice, layout);
    if (is_same)
      merged.back().up_to = band.up_to;
    else
      merged.push_back(std::move(band));
  }
  return merged;
}

void Moves::add(Move move) {
  const auto known =
      std::ranges::find_if(all_, [&](const Move& other) { return key_of(other) == key_of(move); });
  if (known == all_.end()) {
    all_.push_back(std::move(move));
    return;
  }
  known->calls = std::max(known->calls, move.calls);
  known->saved_nanoseconds += move.saved_nanoseconds;
}

std::string to_text(const std::vector<Move>& moves) {
  std::string out;
  for (const Move& move : moves)
    fmt::format_to(std::back_inserter(out), "{} {} {} {} {} {} {} {}\n", move.exchange, move.ranks,
                   move.from, move.up_to, move.before, move.after, move.calls,
                   move.saved_nanoseconds);
  return out;
}

std::vector<Move> moves_from(const std::string& text) {
  std::istringstream in(text);
  in.imbue(std::locale::classic());  // the program's own locale may group digits
  std::vector<Move> moves;
  for (Move move; in >> move.exchange >> move.ranks >> move.from >> move.up_to >> move.before >>
                  move.after >> move.calls >> move.saved_nanoseconds;)
    moves.push_back(move);
  return moves;
}

std::string report_line(const Move& move, int ranks) {
  constexpr double kSecond = 1e9;
  return fmt::format(
      "learned: {} on {} ranks{}: from {} to {} after {} calls, {:.6f} s saved per rank",
      move.exchange, move.ranks, lengths_text(move), move.before, move.after, move.calls,
      move.saved_nanoseconds / kSecond / ranks);
}

}  // namespace rondo::select
