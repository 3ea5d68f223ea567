// What an ELF file says of itself.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace rondo::dropin {

/// A 64-bit ELF file of this machine's byte order, mapped. Files may be cut short or hostile:
/// whatever they point to is looked for inside the file only.
class Elf {
 public:
  explicit Elf(const std::string& path);
  ~Elf();
  Elf(const Elf&) = delete;
  Elf& operator=(const Elf&) = delete;

  /// Whether the file is one.
  bool is_elf() const;

  /// Whether it is for the machine that this program is for.
  bool is_for_this_machine() const;

  /// The dynamic linker that it asks for; empty if it is statically linked.
  std::string_view dynamic_linker() const;

  /// Whether it has a function of that name in itself, if it is not stripped.
  bool defines(std::string_view name) const { return has_symbol(name, true); }

  /// Whether it wants a function of that name from elsewhere.
  bool imports(std::string_view name) const { return has_symbol(name, false); }

 private:
  template <class Entry>
  std::span<const Entry> entries(std::size_t offset, std::size_t count) const;
  std::string_view text_at(std::size_t offset) const;
  bool has_symbol(std::string_view name, bool is_defined) const;

  std::span<const std::byte> file_;
};

}  // namespace rondo::dropin
