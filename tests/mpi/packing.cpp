// Packing in pieces, as MPI_Pack counts in int: here of a few bytes instead of 1 GiB. Elements that are
// too long for MPI_Pack go another way. The functions lie below the C interface, which has no such limits.
#include <cstring>
#include <numeric>

#include "buffers/datatype.hpp"
#include "support/added_test.hpp"
#include "support/small.hpp"
#include "support/types.hpp"

namespace packing_test {

using namespace rondo::testing;
namespace buffers = rondo::buffers;

/// `count` elements, `lead` bytes into a buffer that has no two equal bytes side by side.
class Elements : NonCopyable {
 public:
  Elements(const ElementType& type, bool is_absolute, std::ptrdiff_t count)
      : type_(type),
        count_(count),
        lead_(-std::min<std::ptrdiff_t>(type.low(), 0)),
        bytes_(static_cast<std::size_t>(lead_ + type.high(count)) + kGuard),
        handle_(type.make(is_absolute ? address_of(at(0)) : 0)),
        start_(is_absolute ? nullptr : at(0)) {
    for (std::size_t i = 0; i < bytes_.size(); ++i) bytes_[i] = static_cast<std::byte>(i % 251);
  }
  ~Elements() { free_type(handle_); }

  MPI_Datatype handle() const { return handle_; }
  std::byte* start() const { return start_; }  ///< as MPI is given it
  const std::vector<std::byte>& bytes() const { return bytes_; }
  void clear() { std::ranges::fill(bytes_, std::byte{0xee}); }

  /// Calls visit(bytes in the buffer, how many) in the order of the type map.
  template <class Visit>
  void for_each_run(Visit&& visit) {
    for (std::ptrdiff_t element = 0; element < count_; ++element)
      for (const Run& run : type_.runs) visit(at(element * type_.extent + run.offset), run.bytes);
  }

 private:
  static constexpr std::size_t kGuard = 16;

  static MPI_Aint address_of(const void* place) {
    MPI_Aint address = 0;
    must(MPI_Get_address(place, &address));
    return address;
  }
  std::byte* at(std::ptrdiff_t offset) { return bytes_.data() + lead_ + offset; }

  const ElementType& type_;
  std::ptrdiff_t count_;
  std::ptrdiff_t lead_;
  std::vector<std::byte> bytes_;
  MPI_Datatype handle_;
  std::byte* start_;
};

struct PackingRow {
  const ElementType& type;
  bool is_absolute;
  std::ptrdiff_t count;
  buffers::PackingLimits limits;

  std::string name() const {
    return rondo::text(count, " elements, ", type.name, ", in pieces of ", limits.piece_bytes,
                       limits.element_bytes == 0 ? ", sent" : ", packed");
  }
};

void run_packing(const PackingRow& packing, Row& row) {
  Elements elements(packing.type, packing.is_absolute, packing.count);
  const buffers::TypeInfo type = buffers::describe(elements.handle());
  const auto count = static_cast<std::size_t>(packing.count);
  std::vector<std::byte> expected;
  elements.for_each_run([&](const std::byte* run, std::size_t bytes) {
    expected.insert(expected.end(), run, run + bytes);
  });
  std::vector<std::byte> packed(expected.size());
  buffers::pack(type, elements.start(), count, packed.data(), MPI_COMM_WORLD, packing.limits);
  row.expect(packed == expected, "packed wrong bytes");

  elements.clear();
  const std::byte* next = expected.data();
  elements.for_each_run([&](std::byte* run, std::size_t bytes) {
    std::memcpy(run, next, bytes);
    next += bytes;
  });
  const std::vector<std::byte> unpacked = elements.bytes();
  elements.clear();
  buffers::unpack(type, expected.data(), count, elements.start(), MPI_COMM_WORLD, packing.limits);
  row.expect(elements.bytes() == unpacked, "unpacked wrong bytes");
}

void run_test(Runner& runner) {
  const buffers::PackingLimits real;
  for (const TypeRow& types : type_rows()) {
    const std::size_t size = types.receive->size();
    if (size == 0) continue;  // nobody packs nothing
    const buffers::PackingLimits limits[] = {{.piece_bytes = 3 * size},
                                             {.piece_bytes = 3 * size + 1},
                                             {.piece_bytes = 1},
                                             {.piece_bytes = 1, .element_bytes = 0},
                                             real};
    for (const buffers::PackingLimits& limit : limits)
      // Less than a piece of three elements, one, one and a part, and several.
      for (const std::ptrdiff_t count : {1, 3, 4, 6, 10}) {
        const PackingRow packing{*types.receive, types.absolute, count, limit};
        runner.run(packing.name(), run_packing, packing);
      }
  }
}

const AddedTest added({.name = "packing", .run = run_test});

}  // namespace packing_test
