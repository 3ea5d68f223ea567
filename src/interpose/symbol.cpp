#include "interpose/symbol.hpp"

#include <cstdio>
#include <cstdlib>

#include "interpose/family.hpp"

namespace rondo::interpose {

namespace {

/// The part, if it is to see this symbol's calls.
const Part* part_of(const Symbol& symbol, const void* caller) {
  const Part* part = find_part(caller);
  const bool is_seen_in_c =
      part != nullptr && part->fortran_reaches_c && symbol.language == Language::fortran;
  return is_seen_in_c && symbol.call != Call::Finalize ? nullptr : part;
}

/// What the part has for this symbol, or null.
Function exchange_of(const Symbol& symbol, const Part& part, const void* caller) {
  if (symbol.language == Language::c) return part.c[index(symbol.call)];
  const Function function = part.fortran[index(symbol.call)];
  if (function != nullptr) part.fortran_scope(scope_of(caller));
  return function;
}

}  // namespace

void Symbol::resolve(const void* caller) {
  const Part* part = part_of(*this, caller);
  Function function = part == nullptr ? nullptr : exchange_of(*this, *part, caller);
  if (function == nullptr) {
    function = next_function(name, caller);
    if (function == nullptr)
      function = stand_in(*this);
    else if (part != nullptr)
      passing.store(part->passing, std::memory_order_relaxed);
  }
  target.store(function, std::memory_order_release);
}

void end_process(const Symbol& symbol) {
  std::fprintf(stderr, "rondo: %s is called, but no library of this process has it\n", symbol.name);
  std::abort();
}

}  // namespace rondo::interpose
