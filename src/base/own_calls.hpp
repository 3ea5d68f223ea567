// What librondo and the preload library of rondo-exec agree on: how Rondo's functions that a program itself calls get
// into the statistics. The preload library includes this file, so it uses neither MPI nor the C++ run-time library.
#pragma once

namespace rondo {

/// Notes a call of `function`, a literal, that has ended.
using NoteOwnCall = void (*)(const char* function, double seconds);

/// What the preload library exports. Returns null if no statistics are requested.
using FindNoteOwnCall = NoteOwnCall (*)();
inline constexpr const char* kFindNoteOwnCall = "rondo_find_note_own_call";

}  // namespace rondo
