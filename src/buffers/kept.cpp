#include "buffers/kept.hpp"

#include <memory>

namespace rondo::buffers {

std::byte* Kept::reserve(const TypeInfo& type, std::size_t count) {
  is_kept_ = false;
  bounds_ = count == 0 ? Bounds{} : bounds_of(type, count);
  std::byte* const memory = memory_.reserve(static_cast<std::size_t>(bounds_.high - bounds_.low));
  type_ = type;
  count_ = count;
  first_ = at_offset(memory, -bounds_.low);
  return first_;
}

void Kept::copy_to(void* buffer, std::int64_t capacity, MPI_Datatype type, MPI_Comm comm) const {
  if (!is_kept_)
    throw Error(ErrorClass::argument, "no data of a dynamic exchange is kept on this communicator");
  if (type == MPI_DATATYPE_NULL) throw Error(ErrorClass::type, "recvtype is MPI_DATATYPE_NULL");
  const TypeInfo given = describe(type);
  // With other bounds the type would reach beyond the memory that is kept.
  if (given.size != type_.size || given.extent != type_.extent ||
      (count_ != 0 && bounds_of(given, count_) != bounds_))
    throw Error(ErrorClass::type, "recvtype is not the type with which the data was received");
  check_capacity(capacity, count_);
  const std::size_t bytes = count_ * type_.size;
  if (bytes == 0) return;
  if (given.is_contiguous) {
    if (buffer == nullptr)
      throw Error(ErrorClass::buffer,
                  text("recvbuf is a null pointer, but ", bytes, " bytes are kept"));
    return copy_bytes(static_cast<std::byte*>(buffer), first_, bytes);
  }
  const auto packed = std::make_unique_for_overwrite<std::byte[]>(bytes);
  pack(given, first_, count_, packed.get(), comm);
  unpack(given, packed.get(), count_, static_cast<std::byte*>(buffer), comm);
}

void check_capacity(std::int64_t capacity, std::size_t count) {
  if (capacity >= 0 && static_cast<std::uint64_t>(capacity) >= count) return;
  throw Error(ErrorClass::truncate,
              text(count, " elements have arrived, but recvbuf has room for ", capacity,
                   "; Rondo keeps them until the next dynamic exchange on this communicator, for "
                   "Rondo_Alltoallv_dynamic_take"));
}

}  // namespace rondo::buffers
