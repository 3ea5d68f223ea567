#include "dropin/exec/elf.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace rondo::dropin {

namespace {

#if defined(__x86_64__)
constexpr int kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr int kMachine = EM_AARCH64;
#elif defined(__powerpc64__)
constexpr int kMachine = EM_PPC64;
#elif defined(__riscv)
constexpr int kMachine = EM_RISCV;
#endif

std::span<const std::byte> map_file(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  struct stat status {};
  void* start = MAP_FAILED;
  if (fstat(file, &status) == 0 && status.st_size > 0)
    start =
        mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (start == MAP_FAILED) return {};
  return {static_cast<const std::byte*>(start), static_cast<std::size_t>(status.st_size)};
}

}  // namespace

Elf::Elf(const std::string& path) : file_(map_file(path)) {}

Elf::~Elf() {
  if (!file_.empty()) munmap(const_cast<std::byte*>(file_.data()), file_.size());
}

/// Returns an empty span unless all entries are inside the file.
template <class Entry>
std::span<const Entry> Elf::entries(std::size_t offset, std::size_t count) const {
  const bool fits = offset <= file_.size() && count <= (file_.size() - offset) / sizeof(Entry);
  if (!fits || offset % alignof(Entry) != 0) return {};
  return {reinterpret_cast<const Entry*>(file_.data() + offset), count};
}

std::string_view Elf::text_at(std::size_t offset) const {
  const auto rest = entries<char>(offset, offset < file_.size() ? file_.size() - offset : 0);
  const auto end = std::ranges::find(rest, '\0');
  if (end == rest.end()) return {};
  return {rest.data(), static_cast<std::size_t>(end - rest.begin())};
}

bool Elf::is_elf() const {
  return file_.size() >= SELFMAG && std::memcmp(file_.data(), ELFMAG, SELFMAG) == 0;
}

bool Elf::is_for_this_machine() const {
  const auto header = entries<Elf64_Ehdr>(0, 1);
  return is_elf() && !header.empty() && header[0].e_ident[EI_CLASS] == ELFCLASS64 &&
         header[0].e_machine == kMachine;
}

std::string_view Elf::dynamic_linker() const {
  const auto header = entries<Elf64_Ehdr>(0, 1);
  if (header.empty()) return {};
  for (const Elf64_Phdr& segment : entries<Elf64_Phdr>(header[0].e_phoff, header[0].e_phnum))
    if (segment.p_type == PT_INTERP) return text_at(segment.p_offset);
  return {};
}

bool Elf::has_symbol(std::string_view name, bool is_defined) const {
  const auto header = entries<Elf64_Ehdr>(0, 1);
  if (header.empty()) return false;
  const auto sections = entries<Elf64_Shdr>(header[0].e_shoff, header[0].e_shnum);
  for (const Elf64_Shdr& section : sections) {
    const bool is_table = section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM;
    if (!is_table || section.sh_link >= sections.size()) continue;
    const std::size_t names = sections[section.sh_link].sh_offset;
    for (const Elf64_Sym& symbol :
         entries<Elf64_Sym>(section.sh_offset, section.sh_size / sizeof(Elf64_Sym)))
      if ((symbol.st_shndx != SHN_UNDEF) == is_defined && text_at(names + symbol.st_name) == name)
        return true;
  }
  return false;
}

}  // namespace rondo::dropin
