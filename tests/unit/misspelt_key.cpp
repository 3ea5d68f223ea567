// Must not compile: a misspelt key is no parameter. CMake compiles it with and without the error.
#include "registry/choice.hpp"

int window_of(const rondo::registry::Choice& choice) {
#ifdef RONDO_MISSPELT
  return choice.value("windwo", 1);
#else
  return choice.value(rondo::registry::Key::window, 1);
#endif
}
