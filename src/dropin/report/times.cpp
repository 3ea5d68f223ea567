#include "dropin/report/times.hpp"

#include <cstring>
#include <utility>

#include "base/error.hpp"

namespace rondo::dropin::ab {

namespace {

/// The first bytes of a record. They change whenever the fields change.
constexpr std::array<char, 16> kMark = {"rondo-ab 1"};

[[noreturn]] void refuse() {
  throw Error(ErrorClass::other, "not a record of times, or a record of another version");
}

struct Writer {
  void operator()(const auto&... fields) { (field(fields), ...); }

  void field(const auto& field) {
    const auto first = reinterpret_cast<const std::byte*>(&field);
    bytes.insert(bytes.end(), first, first + sizeof field);
  }

  void size(const auto& rows) { field(rows.size()); }

  std::vector<std::byte> bytes{};
};

struct Reader {
  void operator()(auto&... fields) { (field(fields), ...); }

  void field(auto& field) {
    if (left.size() < sizeof field) refuse();
    std::memcpy(static_cast<void*>(&field), left.data(), sizeof field);
    left = left.subspan(sizeof field);
  }

  void size(auto& rows) {
    std::size_t count = 0;
    field(count);
    if (count > left.size()) refuse();  // each row takes at least one byte
    rows.resize(count);
  }

  std::span<const std::byte> left;
};

/// Visits the fields of a record, for writing and for reading.
void visit(auto& archive, auto& run) {
  archive(run.rank, run.wall_seconds, run.exchange_seconds, run.set_up_seconds, run.shares_cores,
          run.seed, run.inside);
  archive.size(run.series);
  for (auto& series : run.series) {
    archive(series.order, series.calls, series.begin);
    archive.size(series.turns);
    for (auto& turn : series.turns) archive(turn);
  }
}

}  // namespace

std::vector<std::byte> to_bytes(const RunTimes& run) {
  Writer writer;
  writer(kMark);
  visit(writer, run);
  return std::move(writer.bytes);
}

RunTimes from_bytes(std::span<const std::byte> bytes) {
  Reader reader{bytes};
  auto mark = kMark;
  reader(mark);
  if (mark != kMark) refuse();
  RunTimes run;
  visit(reader, run);
  if (!reader.left.empty()) refuse();
  return run;
}

}  // namespace rondo::dropin::ab
