// The MPI symbols of the preload library. Each call goes to a part or to the MPI library.

#include "dropin/preload/preload.hpp"

#include <atomic>
#include <cstdio>

namespace rondo::dropin {

namespace {

enum class Language { c, fortran };

/// One of our symbols. After its first call it knows its target.
struct Symbol {
  const char* name;
  MpiCall call;
  Language language;
  std::atomic<void (*)(MpiCall)> before_forward = nullptr;  ///< if forwarded
  std::atomic<Function> target = nullptr;                   ///< set last

  void resolve(const void* caller);
};

/// Returns the function to call if no library of the process has it. If there is none, the process
/// ends, as it would with the dynamic linker's own error.
Function stand_in(const Symbol& symbol) {
  if (symbol.call == MpiCall::Finalize)
    return reinterpret_cast<Function>(static_cast<int (*)()>([] { return 0; }));
  // Programs check whether the large-count forms exist, and find ours.
  if (symbol.language == Language::c)
    if (const Function narrow = narrow_form(symbol.call)) return narrow;
  std::fprintf(stderr, "rondo: %s is called, but no library of this process has it\n", symbol.name);
  std::abort();
}

void Symbol::resolve(const void* caller) {
  const bool is_fortran = language == Language::fortran;
  const Part* part = find_part(caller);
  const bool is_seen_in_c = part != nullptr && part->fortran_reaches_c && is_fortran;
  if (is_seen_in_c && call != MpiCall::Finalize) part = nullptr;
  Function function = nullptr;
  if (part != nullptr) function = (is_fortran ? part->fortran : part->c)[index(call)];
  if (function != nullptr && is_fortran) part->fortran_scope(scope_of(caller));
  if (function == nullptr) {
    function = next_function(name, caller);
    if (function == nullptr)
      function = stand_in(*this);
    else if (part != nullptr)
      before_forward.store(part->before_forward, std::memory_order_relaxed);
  }
  target.store(function, std::memory_order_release);
}

template <class... Words>
int dispatch(Symbol& symbol, const void* caller, Words... words) {
  if (symbol.target.load(std::memory_order_acquire) == nullptr) symbol.resolve(caller);
  if (const auto before = symbol.before_forward.load(std::memory_order_relaxed))
    before(symbol.call);
  const Function target = symbol.target.load(std::memory_order_relaxed);
  return reinterpret_cast<int (*)(Words...)>(target)(words...);
}

}  // namespace

}  // namespace rondo::dropin

#define RONDO_PARAMETERS_0
#define RONDO_PARAMETERS_1 Word a
#define RONDO_PARAMETERS_7 Word a, Word b, Word c, Word d, Word e, Word f, Word g
#define RONDO_PARAMETERS_8 RONDO_PARAMETERS_7, Word h
#define RONDO_PARAMETERS_9 RONDO_PARAMETERS_8, Word i
#define RONDO_PARAMETERS_10 RONDO_PARAMETERS_9, Word j
#define RONDO_PARAMETERS_11 RONDO_PARAMETERS_10, Word k
#define RONDO_WORDS_0
#define RONDO_WORDS_1 , a
#define RONDO_WORDS_7 , a, b, c, d, e, f, g
#define RONDO_WORDS_8 RONDO_WORDS_7, h
#define RONDO_WORDS_9 RONDO_WORDS_8, i
#define RONDO_WORDS_10 RONDO_WORDS_9, j
#define RONDO_WORDS_11 RONDO_WORDS_10, k

#define RONDO_DEFINE(symbol, Name, language, words)                             \
  __attribute__((visibility("default"))) int symbol(RONDO_PARAMETERS_##words) { \
    static constinit Symbol own{#symbol, MpiCall::Name, Language::language};    \
    return dispatch(own, __builtin_return_address(0) RONDO_WORDS_##words);      \
  }

#define RONDO_C(Name, words) RONDO_DEFINE(MPI_##Name, Name, c, words)
#define RONDO_FORTRAN(Name, name, NAME, words)       \
  RONDO_DEFINE(mpi_##name, Name, fortran, words)     \
  RONDO_DEFINE(mpi_##name##_, Name, fortran, words)  \
  RONDO_DEFINE(mpi_##name##__, Name, fortran, words) \
  RONDO_DEFINE(MPI_##NAME, Name, fortran, words)     \
  RONDO_DEFINE(mpi_##name##_f08_, Name, fortran, words)

using namespace rondo::dropin;  // NOLINT: the MPI symbols stand outside the namespace

extern "C" {
#include "dropin/calls.def"

__attribute__((visibility("default"))) rondo::NoteOwnCall rondo_find_note_own_call() {
  if (!is_set("RONDO_STATS")) return nullptr;
  return [](const char* function, double seconds) {
    if (const Part* part = find_part(__builtin_return_address(0)))
      part->note_own_call(function, seconds);
  };
}
}
