#include "api/own_call.hpp"

#include <dlfcn.h>

namespace rondo::api {

namespace {

NoteOwnCall find_note() {
  const auto find = reinterpret_cast<FindNoteOwnCall>(dlsym(RTLD_DEFAULT, kFindNoteOwnCall));
  return find == nullptr ? nullptr : find();
}

}  // namespace

const NoteOwnCall g_note_own_call = find_note();

}  // namespace rondo::api
