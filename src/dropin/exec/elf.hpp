// What an ELF file says about itself.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace rondo::dropin {

/// A mapped 64-bit ELF file of this machine's byte order. The file may be truncated or malicious,
/// so no address in it is followed out of the file.
class Elf {
 public:
  explicit Elf(const std::string& path);
  ~Elf();
  Elf(const Elf&) = delete;
  Elf& operator=(const Elf&) = delete;

  /// Whether the file is such an ELF file.
  bool is_elf() const;

  /// Whether the file is for the machine that this program was built for.
  bool is_for_this_machine() const;

  /// The dynamic linker that the file requests; empty if the program is statically linked.
  std::string_view dynamic_linker() const;

  /// Whether the file defines a function of that name. A stripped file shows only its exported
  /// ones.
  bool defines(std::string_view name) const { return has_symbol(name, true); }

  /// Whether the file imports a function of that name.
  bool imports(std::string_view name) const { return has_symbol(name, false); }

 private:
  template <class Entry>
  std::span<const Entry> entries(std::size_t offset, std::size_t count) const;
  std::string_view text_at(std::size_t offset) const;
  bool has_symbol(std::string_view name, bool is_defined) const;

  std::span<const std::byte> file_;
};

}  // namespace rondo::dropin
