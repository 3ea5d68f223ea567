#include "support/image.hpp"

#include <cstring>

#include "base/error.hpp"

namespace rondo::testing {

Image::Image(const Layout& layout, const Home& home)
    : lead_((-layout.low + 15) / 16 * 16 + static_cast<std::ptrdiff_t>(kGuard)),
      pages_(static_cast<std::size_t>(lead_ + layout.high) + kGuard, home) {}

void Image::fill(std::byte value) const {
  std::memset(pages_.data(), static_cast<int>(value), pages_.bytes());
}

std::ptrdiff_t Image::first_difference(const Image& other) const {
  if (std::memcmp(pages_.data(), other.pages_.data(), pages_.bytes()) == 0) return none;
  std::size_t at = 0;
  while (pages_.data()[at] == other.pages_.data()[at]) ++at;
  return static_cast<std::ptrdiff_t>(at) - lead_;
}

std::string locate(const Layout& layout, std::ptrdiff_t offset) {
  if (offset < layout.low || offset >= layout.high) return "a guard";
  for (std::size_t peer = 0; peer < layout.blocks.size(); ++peer) {
    const std::ptrdiff_t inside = offset - layout.blocks[peer].origin;
    std::size_t index = 0;
    std::string found;
    for_each_run(layout.blocks[peer], [&](std::ptrdiff_t run, std::size_t bytes) {
      if (inside >= run && inside < run + static_cast<std::ptrdiff_t>(bytes))
        found =
            rondo::text("block ", peer, ", byte ", index + static_cast<std::size_t>(inside - run));
      index += bytes;
    });
    if (!found.empty()) return rondo::text(found, " of ", index);
  }
  return "a gap";
}

}  // namespace rondo::testing
