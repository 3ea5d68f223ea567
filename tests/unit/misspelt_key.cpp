// A misspelt key must not compile. CMake compiles this file with and without the error.
#include "choice/choice.hpp"

int window_of(const rondo::choice::Choice& choice) {
#ifdef RONDO_MISSPELT
  return choice.value("windwo", 1);
#else
  return choice.value(rondo::registry::Key::window, 1);
#endif
}
