#include "segment/ways.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "base/error.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace rondo::segment {

namespace {

/// Exchanges in which each way is tried before there is a choice. The first one finds memory untouched.
constexpr std::uint32_t kFirstTries = 3;

/// Exchanges between two choices.
constexpr std::uint32_t kSpan = 8;

/// A way that takes as long as the fastest is tried in one span of so many, and one that takes twice as long in one of
/// four times as many. So trying costs about one per cent.
constexpr float kSpansPerTry = 64;

/// A moving mean has that many samples.
constexpr std::uint32_t kMostWeight = 8;

/// A way that takes that many times as long is not tried again.
constexpr float kMostSlower = 64;

// The bounds of a time for a byte, in nanoseconds: clocks may jump or run backwards.
constexpr double kLeastTime = 1e-6;
constexpr double kMostTime = 1e6;

/// What goes through shared memory takes the place of other data in the caches. That costs whoever needs that data
/// next: a part of the copies themselves, and for each byte, on both sides or past the writer's caches on one, about
/// what a core takes to read it from its third-level cache. Measured on one machine, with 2 ranks and blocks of 1
/// MiB: the two copies took 64 to 95 microseconds, and the exchange 104 to 140; pulling took 79 of 104. Ranks that
/// share cores find short blocks there.
constexpr float kShared = 1.15F;
constexpr float kEvictedCopied = 0.02F;  // nanoseconds
constexpr float kEvictedStreamed = 0.01F;
constexpr std::size_t kFoundInCaches = std::size_t{256} << 10;

constexpr std::array<Way, kChosenWays> kWays = {Way::copied, Way::streamed, Way::pulled};
constexpr std::array<const char*, kChosenWays> kNames = {"copied", "streamed", "pulled"};

/// What this process has learned last.
Times g_learned{};

/// How many samples of copies to or from so many ranks do not count.
std::uint32_t left_out(std::uint32_t ranks) {
  return (kFirstTries - 1) * ranks;
}

std::size_t index(Way way) {
  return static_cast<std::size_t>(way);
}

/// Calls visit(part, distance, length_class) for everything that has a time.
template <class Visit>
void for_each_time(Visit&& visit) {
  for (std::size_t distance = 0; distance < Times::kDistances; ++distance)
    for (std::size_t length_class = 0; length_class < Times::kClasses; ++length_class)
      for (std::size_t part = 0; part < Times::kParts; ++part)
        visit(static_cast<Times::Part>(part), static_cast<Distance>(distance), length_class);
}

}  // namespace

#if defined(__SSE2__)

bool can_stream() {
  return true;
}

void stream(std::byte* to, const std::byte* from, std::size_t bytes) {
  constexpr std::size_t kLine = 64;
  const std::size_t to_line = -reinterpret_cast<std::uintptr_t>(to) % kLine;
  if (bytes < to_line + kLine) {
    std::memcpy(to, from, bytes);
    return;
  }
  std::memcpy(to, from, to_line);
  std::size_t at = to_line;
  for (; at + kLine <= bytes; at += kLine) {
    const auto* const source = reinterpret_cast<const __m128i*>(from + at);
    auto* const target = reinterpret_cast<__m128i*>(to + at);
    const __m128i words[] = {_mm_loadu_si128(source), _mm_loadu_si128(source + 1),
                             _mm_loadu_si128(source + 2), _mm_loadu_si128(source + 3)};
    for (int word = 0; word < 4; ++word) _mm_stream_si128(target + word, words[word]);
  }
  std::memcpy(to + at, from + at, bytes - at);
}

void end_stream() {
  _mm_sfence();
}

#else

bool can_stream() {
  return false;
}

void stream(std::byte* to, const std::byte* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}

/// An ordinary copy is complete for whoever acquires what this rank releases next.
void end_stream() {}

#endif

Ways::Ways(std::span<Times> times, int self, std::vector<Distance> distances,
           const Setting& setting)
    : times_(times),
      self_(static_cast<std::size_t>(self)),
      distances_(std::move(distances)),
      setting_(setting) {
  for (const Way way : kWays)
    if (is_open(way)) chosen_[open_++] = way;
  for (int other = 0; other < static_cast<int>(distances_.size()); ++other)
    if (other != self) ++group(other).ranks;
}

void Ways::recall() {
  for_each_time([&](Times::Part part, Distance distance, std::size_t length_class) {
    const float known = g_learned.of(part, distance, length_class);
    if (known == 0) return;
    const auto at = static_cast<std::size_t>(distance);
    times_[self_].set(part, distance, length_class, known);
    records_[at][length_class].samples[part] = kMostWeight;
    groups_[at].samples[part] = left_out(groups_[at].ranks);
  });
}

void Ways::remember() const {
  for_each_time([&](Times::Part part, Distance distance, std::size_t length_class) {
    const float known = times_[self_].of(part, distance, length_class);
    if (known != 0 && std::isfinite(known)) g_learned.set(part, distance, length_class, known);
  });
}

/// Without the samples of the first tries but one, whose copies find caches and tables of pages as other ways have left
/// them. A rank that loses its core meanwhile takes any time, so that no time counts for more than twice what is known.
void Ways::add(Times::Part part, int other, std::size_t block_bytes, double nanoseconds,
               std::size_t bytes) {
  const std::size_t length_class = Times::class_of(block_bytes);
  const float before = times_[self_].of(part, distance(other), length_class);
  if (std::isinf(before)) return;  // ruled out
  auto mean = static_cast<float>(
      std::clamp(nanoseconds / static_cast<double>(bytes), kLeastTime, kMostTime));
  std::uint32_t& samples = record(other, block_bytes).samples[part];
  if (samples != 0)
    mean = before + (std::min(mean, 2 * before) - before) /
                        static_cast<float>(std::min(samples + 1, kMostWeight));
  if (group(other).samples[part]++ >= left_out(group(other).ranks)) ++samples;
  times_[self_].set(part, distance(other), length_class, mean);
}

bool Ways::is_open(Way way) const {
  if (way == Way::pulled) return setting_.can_pull;
  return setting_.pipe_bytes != 0 && (way == Way::copied || can_stream());
}

/// Returns the nanoseconds of both ranks together, since each also does for another rank what the other does for
/// it; 0 if they are not known, and infinity if the reader cannot pull.
float Ways::price_of(Way way, int reader, std::size_t bytes) const {
  const std::size_t length_class = Times::class_of(bytes);
  const auto own = [&](Times::Part part) {
    return times_[self_].of(part, distance(reader), length_class);
  };
  const auto of_reader = [&](Times::Part part) {
    return times_[static_cast<std::size_t>(reader)].of(part, distance(reader), length_class);
  };
  const auto length = static_cast<float>(bytes);
  const auto sum = [&](float write, float read, float evicted) {
    if (write == 0 || read == 0) return 0.0F;
    const float fills = std::ceil(length / static_cast<float>(setting_.pipe_bytes));
    const bool is_found = setting_.shares_cores && bytes <= kFoundInCaches;
    const float copies = is_found ? write + read : (write + read) * kShared + evicted;
    return copies * length + (fills - 1) * setting_.wait_nanoseconds;
  };
  if (way == Way::copied)
    return sum(own(Times::write_copied), of_reader(Times::read_copied), kEvictedCopied);
  if (way == Way::streamed)
    return sum(own(Times::write_streamed), of_reader(Times::read_streamed), kEvictedStreamed);
  const float pull = of_reader(Times::pull);
  return pull == 0 ? 0 : pull * length + setting_.wait_nanoseconds;
}

Way Ways::choose(int reader, std::size_t bytes) {
  const auto among = candidates();
  if (among.size() < 2) return among.empty() ? Way::sent : among.front();
  Group& readers = group(reader);
  const std::uint32_t exchange = readers.blocks++ / readers.ranks;
  const auto tries = kFirstTries * static_cast<std::uint32_t>(among.size());
  Record& known = record(reader, bytes);
  if (!known.begin) known.begin = knows_all(reader, bytes) ? exchange - tries : exchange;
  const std::uint32_t since = exchange - *known.begin;
  if (since < tries) return among[since / kFirstTries];
  const std::uint32_t span = 1 + (since - tries) / kSpan;
  if (span != known.span) {
    known.span = span;
    known.way = pick(span, reader, bytes);
  }
  return known.way;
}

bool Ways::knows_all(int reader, std::size_t bytes) const {
  return std::ranges::all_of(candidates(),
                             [&](Way way) { return price_of(way, reader, bytes) != 0; });
}

/// Returns the way with the least price, or one that is due to be tried: one that is not known if there is any, as
/// where few blocks had such a length when all ways were tried.
Way Ways::pick(std::uint32_t span, int reader, std::size_t bytes) const {
  const auto price = [&](Way way) { return price_of(way, reader, bytes); };
  const Way best = *std::ranges::min_element(candidates(), {}, price);
  if (price(best) == 0) return best;
  for (const Way way : candidates()) {
    const float slower = price(way) / price(best);
    if (way == best || !(slower < kMostSlower)) continue;
    const auto period = static_cast<std::uint32_t>(kSpansPerTry * slower * slower);
    if (span % period == period / 2 + index(way)) return way;
  }
  return best;
}

std::string Ways::figures(int reader) const {
  std::string lines;
  for (std::size_t bytes = Times::kShortest, number = 0; number < Times::kClasses;
       bytes *= 2, ++number) {
    std::string line;
    for (const Way way : kWays) {
      const float price = is_open(way) ? price_of(way, reader, bytes) : 0;
      if (price > 0 && std::isfinite(price))
        line += text(line.empty() ? "" : ", ", kNames[index(way)], " ", std::lround(price));
    }
    if (!line.empty()) lines += text("  ", bytes / 1024, " KiB: ", line, " ns\n");
  }
  return lines;
}

}  // namespace rondo::segment
