#include "dropin/report/times.hpp"

#include <cstring>
#include <type_traits>

#include "base/error.hpp"

namespace rondo::dropin::ab {

namespace {

/// The first bytes of a record. They change with every change of the fields.
constexpr std::array<char, 16> kMark = {"rondo-ab 1"};

class Writer {
 public:
  template <class Field>
  void field(const Field& value) {
    static_assert(std::is_trivially_copyable_v<Field>, "fields travel as bytes");
    const auto first = reinterpret_cast<const std::byte*>(&value);
    bytes.insert(bytes.end(), first, first + sizeof value);
  }

  template <class Row>
  void size(const std::vector<Row>& rows) {
    field(rows.size());
  }

  std::vector<std::byte> bytes;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : left_(bytes) {}

  template <class Field>
  void field(Field& value) {
    if (left_.size() < sizeof value) fail();
    std::memcpy(static_cast<void*>(&value), left_.data(), sizeof value);
    left_ = left_.subspan(sizeof value);
  }

  /// Each row has a byte at least.
  template <class Row>
  void size(std::vector<Row>& rows) {
    std::size_t count = 0;
    field(count);
    if (count > left_.size()) fail();
    rows.resize(count);
  }

  void end() const {
    if (!left_.empty()) fail();
  }

  [[noreturn]] static void fail() {
    throw Error(ErrorClass::other, "this is no record of times, or another version's");
  }

 private:
  std::span<const std::byte> left_;
};

/// The one list of what is in a record, for writing and for reading.
template <class Archive, class Run>
void visit(Archive& archive, Run& run) {
  archive.field(run.rank);
  archive.field(run.wall_seconds);
  archive.field(run.exchange_seconds);
  archive.field(run.set_up_seconds);
  archive.field(run.shares_cores);
  archive.field(run.seed);
  archive.field(run.inside);
  archive.size(run.series);
  for (auto& series : run.series) {
    archive.field(series.order);
    archive.field(series.calls);
    archive.field(series.begin);
    archive.size(series.blocks);
    for (auto& block : series.blocks) archive.field(block);
  }
}

}  // namespace

std::vector<std::byte> to_bytes(const RunTimes& run) {
  Writer writer;
  writer.field(kMark);
  visit(writer, run);
  return std::move(writer.bytes);
}

RunTimes from_bytes(std::span<const std::byte> bytes) {
  Reader reader(bytes);
  std::remove_const_t<decltype(kMark)> mark{};
  reader.field(mark);
  if (mark != kMark) Reader::fail();
  RunTimes run;
  visit(reader, run);
  reader.end();
  return run;
}

}  // namespace rondo::dropin::ab
