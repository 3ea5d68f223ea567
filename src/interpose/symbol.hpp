// The MPI symbols of a preload library. Arguments pass through as machine words.
#pragma once

#include <atomic>

#include "interpose/part.hpp"
#include "interpose/word.hpp"

namespace rondo::interpose {

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

/// What is called where no library of the process has that function, as this preload library says.
Function stand_in(const Symbol& symbol);

/// Where nothing can stand in: ends the process, as the dynamic linker would end it.
[[noreturn]] void end_process(const Symbol& symbol);

template <class... Words>
int pass_on(Symbol& symbol, const void* caller, Words... words) {
  if (symbol.target.load(std::memory_order_acquire) == nullptr) symbol.resolve(caller);
  if (const auto passing = symbol.passing.load(std::memory_order_relaxed)) passing(symbol.call);
  const Function target = symbol.target.load(std::memory_order_relaxed);
  return reinterpret_cast<int (*)(Words...)>(target)(words...);
}

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
