#include "mpi/side.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace rondo::python {

namespace {

/// The first page of memory is never mapped.
constexpr int kFirstAddress = 4096;

/// No memory holds this many elements. Their products with an extent still fit in 128 bits.
constexpr __int128 kMostElements = __int128{1} << 62;

template <class Integer>
std::vector<Integer> narrowed(const std::vector<std::int64_t>& wide) {
  std::vector<Integer> values;
  for (const std::int64_t value : wide) {
    if (!std::in_range<Integer>(value))
      throw Failure(MPI_ERR_COUNT, std::to_string(value) + " is too large for this MPI library");
    values.push_back(static_cast<Integer>(value));
  }
  return values;
}

/// Where blocks begin that follow each other. What no number can say is outside any memory.
std::vector<std::int64_t> starts_of(const std::vector<std::int64_t>& counts) {
  std::vector<std::int64_t> starts;
  std::int64_t end = 0;
  for (const std::int64_t count : counts) {
    starts.push_back(end);
    if (__builtin_add_overflow(end, count, &end)) end = std::numeric_limits<std::int64_t>::max();
  }
  return starts;
}

void require_known(int code, const char* function) {
  if (code != MPI_SUCCESS) throw Failure(code, std::string(function) + " failed");
}

/// Sizes beyond any memory are not printed to the last digit.
std::string text_of(__int128 bytes) {
  constexpr std::int64_t kMost = std::int64_t{1} << 62;
  if (bytes > kMost) return "more than 2^62";
  if (bytes < -kMost) return "less than -2^62";
  return std::to_string(static_cast<std::int64_t>(bytes));
}

}  // namespace

Side::Side(const std::string& name, Layout layout, int ranks, std::vector<std::int64_t> counts,
           std::optional<std::vector<std::int64_t>> displacements,
           const std::vector<Address>& types, const Memory& memory)
    : name_(name),
      layout_(layout),
      ranks_(ranks),
      wide_counts_(std::move(counts)),
      wide_displacements_(displacements ? std::move(*displacements) : starts_of(wide_counts_)),
      bytes_(memory.bytes.value_or(0)) {
  for (const Address type : types) types_.push_back(handle_at<MPI_Datatype>(type));
  measure_types();
  buffer_ = place(memory);
  narrow();
}

/// A null type is left for the exchange to reject, with MPI's own message.
void Side::measure_types() {
  for (const MPI_Datatype type : types_) {
    Extents extents{};
    if (type != MPI_DATATYPE_NULL) {
      MPI_Aint lower = 0, true_extent = 0;
      require_known(MPI_Type_get_extent(type, &lower, &extents.extent), "MPI_Type_get_extent");
      require_known(MPI_Type_get_true_extent(type, &extents.true_lower, &true_extent),
                    "MPI_Type_get_true_extent");
      extents.true_upper = extents.true_lower + true_extent;
    }
    extents_.push_back(extents);
  }
}

/// Equal consecutive blocks count as one.
std::size_t Side::block_count() const {
  return layout_ == Layout::uniform ? 1 : wide_counts_.size();
}

bool Side::touches_memory(std::size_t block) const {
  const Extents& extents = extents_[has_type_per_block() ? block : 0];
  const bool is_there = layout_ != Layout::uniform || ranks_ > 0;
  return is_there && wide_counts_[block] > 0 && extents.true_upper > extents.true_lower;
}

Side::Span Side::span_of(std::size_t block) const {
  const Extents& extents = extents_[has_type_per_block() ? block : 0];
  const int repeated = layout_ == Layout::uniform ? ranks_ : 1;
  const __int128 elements = std::min(__int128{wide_counts_[block]} * repeated, kMostElements);
  const __int128 unit = has_type_per_block() ? 1 : extents.extent;
  const __int128 start = unit * wide_displacements_[block];
  const __int128 last = (elements - 1) * extents.extent;
  return {start + std::min<__int128>(last, 0) + extents.true_lower,
          start + std::max<__int128>(last, 0) + extents.true_upper};
}

void Side::narrow() {
  counts_ = narrowed<Count>(wide_counts_);
  if (layout_ == Layout::addressed)
    addresses_ = narrowed<MPI_Aint>(wide_displacements_);
  else if (layout_ != Layout::uniform)
    displacements_ = narrowed<Displacement>(wide_displacements_);
}

Address Side::place(const Memory& memory) const {
  const auto [buffer, bytes] = memory;
  Address start = buffer;
  for (std::size_t block = 0; block < block_count(); ++block) {
    if (!touches_memory(block)) continue;
    const Span span = span_of(block);
    if (!bytes && span.begin < kFirstAddress)
      throw std::invalid_argument(
          "message: the " + name_ + " buffer is MPI.BOTTOM or None, and " + describe(block, span) +
          ": with MPI.BOTTOM, datatypes or displacements are absolute addresses");
    if (bytes && (span.begin < 0 || span.end > __int128{*bytes}))
      throw std::invalid_argument("message: the " + name_ + " buffer has " +
                                  std::to_string(*bytes) + " bytes, but " + describe(block, span));
    if (layout_ == Layout::uniform)
      start += static_cast<Address>(extents_[0].extent * wide_displacements_[0]);
  }
  return start;
}

std::string Side::describe(std::size_t block, const Span& span) const {
  const std::string bytes = "bytes " + text_of(span.begin) + " to " + text_of(span.end);
  const std::string count = std::to_string(wide_counts_[block]);
  const std::string place = " at displacement " + std::to_string(wide_displacements_[block]);
  if (layout_ == Layout::uniform)
    return std::to_string(ranks_) + " blocks of " + count + " elements" + place + " are " + bytes;
  return "the block of rank " + std::to_string(block) + " (count " + count + place + ") is " +
         bytes;
}

}  // namespace rondo::python
