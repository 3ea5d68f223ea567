#include "support/memory_faults.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string_view>
#include <vector>

namespace rondo::testing::memory_faults {

namespace {

Faults faults;
std::vector<std::string> names;
bool is_populating_watched = false;
bool has_populated_outside = false;

bool is_memfd(std::string_view path) {
  return path.starts_with("/memfd:rondo");
}
bool is_name(std::string_view path) {
  return path.starts_with("/dev/shm/rondo-");
}

bool is_segment(int descriptor) {
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  std::array<char, 256> path{};
  if (readlink(link.c_str(), path.data(), path.size() - 1) < 0) return false;
  return is_memfd(path.data()) || is_name(path.data());
}

/// Another process's memfd.
bool is_descriptor(std::string_view path) {
  return path.starts_with("/proc/") && path.find("/fd/") != path.npos &&
         !path.starts_with("/proc/self/");
}

/// Call visit(path, begin, bytes) for every mapped segment.
template <class Visit>
void for_each_mapped(Visit&& visit) {
  std::ifstream lines("/proc/self/maps");
  for (std::string line; std::getline(lines, line);) {
    const std::size_t slash = line.find('/');
    if (slash == line.npos) continue;
    const std::string path = line.substr(slash);
    if (!is_memfd(path) && !is_name(path)) continue;
    std::istringstream range(line);
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    char dash = 0;
    range >> std::hex >> begin >> dash >> end;
    visit(path, begin, end - begin);
  }
}

/// Whether these pages are of one segment.
bool is_in_segment(std::uintptr_t address, std::size_t bytes) {
  const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t last = (address + bytes + page_bytes - 1) / page_bytes * page_bytes;
  bool is_inside = false;
  for_each_mapped([&](const std::string&, std::uintptr_t begin, std::size_t mapped_bytes) {
    is_inside |= begin <= address && last <= begin + mapped_bytes;
  });
  return is_inside;
}

template <class Pointer>
Pointer next(const char* name) {
  return reinterpret_cast<Pointer>(dlsym(RTLD_NEXT, name));
}

int fail(int error) {
  errno = error;
  return -1;
}

}  // namespace

void set(const Faults& wanted) {
  faults = wanted;
}

std::string kind_mapped() {
  std::string kind;
  for_each_mapped([&](const std::string& path, std::uintptr_t, std::size_t) {
    kind = is_memfd(path) ? "memfd" : "name";
  });
  return kind;
}

Mapped mapped() {
  Mapped sum;
  for_each_mapped([&](const std::string&, std::uintptr_t, std::size_t bytes) {
    sum.bytes += bytes;
    ++sum.count;
  });
  return sum;
}

PopulatingWatched::PopulatingWatched() {
  is_populating_watched = true;
  has_populated_outside = false;
}
PopulatingWatched::~PopulatingWatched() {
  is_populating_watched = false;
}
bool any_populated_outside() {
  return has_populated_outside;
}

bool any_name_left() {
  return std::ranges::any_of(names, [](const std::string& name) {
    return access(("/dev/shm" + name).c_str(), F_OK) == 0;
  });
}

}  // namespace rondo::testing::memory_faults

namespace {
using namespace rondo::testing::memory_faults;
}

extern "C" {
int memfd_create(const char* name, unsigned flags) noexcept {
  static const auto real = next<int (*)(const char*, unsigned)>("memfd_create");
  if (faults.memfd_create != 0 && std::string_view(name) == "rondo")
    return fail(faults.memfd_create);
  return real(name, flags);
}

int shm_open(const char* name, int flags, mode_t mode) {
  static const auto real = next<int (*)(const char*, int, mode_t)>("shm_open");
  if (!std::string_view(name).starts_with("/rondo-")) return real(name, flags, mode);
  if (faults.shm_open != 0) return fail(faults.shm_open);
  names.emplace_back(name);
  return real(name, flags, mode);
}

int open(const char* path, int flags, ...) {
  static const auto real = next<int (*)(const char*, int, ...)>("open");
  std::va_list arguments;
  va_start(arguments, flags);
  const auto mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, unsigned) : 0U;
  va_end(arguments);
  if (faults.open_descriptor != 0 && is_descriptor(path)) return fail(faults.open_descriptor);
  return real(path, flags, mode);
}

int ftruncate(int descriptor, off_t bytes) noexcept {
  static const auto real = next<int (*)(int, off_t)>("ftruncate");
  if (faults.ftruncate != 0 && is_segment(descriptor)) return fail(faults.ftruncate);
  return real(descriptor, bytes);
}

#ifdef MADV_POPULATE_WRITE
int madvise(void* address, std::size_t bytes, int advice) noexcept {
  static const auto real = next<int (*)(void*, std::size_t, int)>("madvise");
  const bool populates = advice == MADV_POPULATE_READ || advice == MADV_POPULATE_WRITE;
  has_populated_outside |= is_populating_watched && populates &&
                           !is_in_segment(reinterpret_cast<std::uintptr_t>(address), bytes);
  return real(address, bytes, advice);
}
#endif

int posix_fallocate(int descriptor, off_t offset, off_t bytes) {
  static const auto real = next<int (*)(int, off_t, off_t)>("posix_fallocate");
  if (faults.posix_fallocate != 0 && is_segment(descriptor) && faults.fallocates_before-- <= 0)
    return faults.posix_fallocate;
  return real(descriptor, offset, bytes);
}
}
