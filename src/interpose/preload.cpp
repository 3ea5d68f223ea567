// The MPI symbols. Arguments pass through as machine words.

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "interpose/family.hpp"
#include "interpose/narrow.hpp"
#include "interpose/word.hpp"

namespace rondo::interpose {

namespace {

enum class Language { c, fortran };

/// One of our symbols and, after its first call, where that leads.
struct Symbol {
  const char* name;
  Call call;
  Language language;
  std::atomic<void (*)(Call)> passing = nullptr;  ///< to be told of each call
  std::atomic<Function> target = nullptr;         ///< set last

  void resolve(const void* caller);
};

int nothing() {
  return 0;
}

/// What is called where no library of the process has that function: programs look for it and find
/// ours. Where nothing can stand in, the process ends, as the dynamic linker would end it.
Function stand_in(const Symbol& symbol) {
  if (symbol.call == Call::Finalize) return reinterpret_cast<Function>(nothing);
  const Function narrow = symbol.language == Language::c ? narrow_form(symbol.call) : nullptr;
  if (narrow != nullptr) return narrow;
  std::fprintf(stderr, "rondo: %s is called, but no library of this process has it\n", symbol.name);
  std::abort();
}

/// The part, if it is to see this symbol's calls.
const Part* part_of(const Symbol& symbol) {
  const Part* part = find_part();
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

void Symbol::resolve(const void* caller) {
  const Part* part = part_of(*this);
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

template <class... Words>
int pass_on(Symbol& symbol, const void* caller, Words... words) {
  if (symbol.target.load(std::memory_order_acquire) == nullptr) symbol.resolve(caller);
  if (const auto passing = symbol.passing.load(std::memory_order_relaxed)) passing(symbol.call);
  const Function target = symbol.target.load(std::memory_order_relaxed);
  return reinterpret_cast<int (*)(Words...)>(target)(words...);
}

}  // namespace

}  // namespace rondo::interpose

#define RONDO_PARAMETERS_0
#define RONDO_PARAMETERS_1 Word a
#define RONDO_PARAMETERS_7 Word a, Word b, Word c, Word d, Word e, Word f, Word g
#define RONDO_PARAMETERS_8 RONDO_PARAMETERS_7, Word h
#define RONDO_PARAMETERS_9 RONDO_PARAMETERS_8, Word i
#define RONDO_PARAMETERS_10 RONDO_PARAMETERS_9, Word j
#define RONDO_PARAMETERS_11 RONDO_PARAMETERS_10, Word k
#define RONDO_PARAMETERS_12 RONDO_PARAMETERS_11, Word l
#define RONDO_WORDS_0
#define RONDO_WORDS_1 , a
#define RONDO_WORDS_7 , a, b, c, d, e, f, g
#define RONDO_WORDS_8 RONDO_WORDS_7, h
#define RONDO_WORDS_9 RONDO_WORDS_8, i
#define RONDO_WORDS_10 RONDO_WORDS_9, j
#define RONDO_WORDS_11 RONDO_WORDS_10, k
#define RONDO_WORDS_12 RONDO_WORDS_11, l

#define RONDO_DEFINE(symbol, Name, language, words)                             \
  __attribute__((visibility("default"))) int symbol(RONDO_PARAMETERS_##words) { \
    static constinit Symbol own{#symbol, Call::Name, Language::language};       \
    return pass_on(own, __builtin_return_address(0) RONDO_WORDS_##words);       \
  }

#define RONDO_C(Name, words) RONDO_DEFINE(MPI_##Name, Name, c, words)
#define RONDO_FORTRAN(Name, name, NAME, words)       \
  RONDO_DEFINE(mpi_##name, Name, fortran, words)     \
  RONDO_DEFINE(mpi_##name##_, Name, fortran, words)  \
  RONDO_DEFINE(mpi_##name##__, Name, fortran, words) \
  RONDO_DEFINE(MPI_##NAME, Name, fortran, words)     \
  RONDO_DEFINE(mpi_##name##_f08_, Name, fortran, words)

using namespace rondo::interpose;  // NOLINT: the MPI symbols stand outside the namespace

extern "C" {
#include "interpose/calls.def"
}
