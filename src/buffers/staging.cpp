#include "buffers/staging.hpp"

#include <algorithm>
#include <iterator>

namespace rondo::buffers {

namespace {

std::uintptr_t address_in(std::uintptr_t buffer, const Part& part) {
  return buffer + static_cast<std::uintptr_t>(part.offset);
}

/// Returns the address of the first byte of a part.
std::uintptr_t first_byte(std::uintptr_t address, const Part& part) {
  return part.type->is_contiguous
             ? address
             : address + static_cast<std::uintptr_t>(bounds_of(*part.type, part.count).low);
}

std::uintptr_t end_of(const DeviceCopy& copy) {
  return copy.device + copy.bytes;
}

}  // namespace

const Device* device_of(const Side& side, const void* buffer) {
  for (std::size_t rank = 0; rank < side.ranks(); ++rank) {
    const Part part = side.part(rank);
    if (part.bytes == 0) continue;
    return device_at(first_byte(address_in(reinterpret_cast<std::uintptr_t>(buffer), part), part));
  }
  return nullptr;
}

Staging::Staging(Scratch& scratch, MPI_Comm comm, const Device& device, const Side& side,
                 const void* buffer, std::byte* packed)
    : scratch_(scratch),
      comm_(comm),
      device_(device),
      side_(side),
      buffer_(reinterpret_cast<std::uintptr_t>(buffer)),
      packed_(packed) {
  const auto blocks = scratch.array<DeviceCopy>(Scratch::kDeviceBlocks, side.ranks());
  const auto images = scratch.array<DeviceCopy>(Scratch::kDeviceImages, side.ranks());
  blocks_ = blocks.first(0);
  images_ = images.first(0);
  for (std::size_t rank = 0; rank < side.ranks(); ++rank) {
    const Part part = side.part(rank);
    if (part.bytes == 0) continue;
    const std::uintptr_t address = address_in(buffer_, part);
    if (part.type->is_contiguous)
      add_block(address, packed, part.bytes);
    else
      add_region(address, part);
    packed += part.bytes;
  }
  make_images();
}

/// Merges adjacent blocks into one copy, except with MPI_BOTTOM, where they may belong to different
/// allocations that happen to touch.
void Staging::add_block(std::uintptr_t address, std::byte* packed, std::size_t bytes) {
  if (!blocks_.empty() && buffer_ != 0) {
    DeviceCopy& last = blocks_.back();
    if (end_of(last) == address && last.host + last.bytes == packed) {
      last.bytes += bytes;
      return;
    }
  }
  blocks_ = {blocks_.data(), blocks_.size() + 1};
  blocks_.back() = {address, packed, bytes};
}

void Staging::add_region(std::uintptr_t address, const Part& part) {
  const Bounds bounds = bounds_of(*part.type, part.count);
  images_ = {images_.data(), images_.size() + 1};
  images_.back() = {address + static_cast<std::uintptr_t>(bounds.low), nullptr,
                    static_cast<std::size_t>(bounds.high - bounds.low)};
}

/// Overlapping regions, such as the columns of a matrix, share one image. It is written back once,
/// after all blocks have been unpacked into it.
void Staging::make_images() {
  if (images_.empty()) return;
  std::ranges::sort(images_, {}, &DeviceCopy::device);
  std::size_t last = 0;
  for (const DeviceCopy& region : images_.subspan(1)) {
    DeviceCopy& before = images_[last];
    if (region.device < end_of(before))
      before.bytes = std::max(end_of(before), end_of(region)) - before.device;
    else
      images_[++last] = region;
  }
  images_ = images_.first(last + 1);
  std::size_t total = 0;
  for (const DeviceCopy& image : images_) total = checked_add(total, image.bytes);
  std::byte* host = scratch_.bytes(Scratch::kImages, total);
  for (DeviceCopy& image : images_) {
    image.host = host;
    host += image.bytes;
  }
}

/// Translates the address of a part into its image. With MPI_BOTTOM and a type that holds absolute
/// addresses, the result itself is not a valid host address; result plus type offsets is.
std::byte* Staging::in_image(std::uintptr_t address, const Part& part) const {
  const std::uintptr_t first = first_byte(address, part);
  const DeviceCopy& image =
      *std::prev(std::ranges::upper_bound(images_, first, {}, &DeviceCopy::device));
  return at_offset(image.host, static_cast<std::ptrdiff_t>(address - image.device));
}

/// Calls visit(part, address in the image, packed bytes) for each part with a non-contiguous type.
template <class Visit>
void Staging::for_each_scattered(Visit&& visit) const {
  if (images_.empty()) return;
  std::byte* packed = packed_;
  for (std::size_t rank = 0; rank < side_.ranks(); ++rank) {
    const Part part = side_.part(rank);
    if (part.bytes != 0 && !part.type->is_contiguous)
      visit(part, in_image(address_in(buffer_, part), part), packed);
    packed += part.bytes;
  }
}

void Staging::read() const {
  device_.read(images_);
  device_.read(blocks_);
  for_each_scattered([&](const Part& part, const std::byte* image, std::byte* packed) {
    pack(*part.type, image, part.count, packed, comm_);
  });
}

void Staging::write() const {
  device_.read(images_);
  for_each_scattered([&](const Part& part, std::byte* image, const std::byte* packed) {
    unpack(*part.type, packed, part.count, image, comm_);
  });
  device_.write(images_);
  device_.write(blocks_);  // last, because they may lie in the gaps of images
}

}  // namespace rondo::buffers
