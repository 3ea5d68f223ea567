// A library that the program has loaded, and functions of it.
#pragma once

#include <dlfcn.h>

#include <initializer_list>

namespace rondo::buffers {

class LoadedLibrary {
 public:
  /// The first of these sonames that is loaded. It is not unloaded any more.
  explicit LoadedLibrary(std::initializer_list<const char*> sonames) {
    for (const char* soname : sonames)
      if (handle_ == nullptr) handle_ = dlopen(soname, RTLD_LAZY | RTLD_NOLOAD);
  }

  /// Set `function` to the one of that name; false if the library, or that function, is not there.
  template <class Function>
  bool find(Function& function, const char* name) const {
    if (handle_ == nullptr) return false;
    function = reinterpret_cast<Function>(dlsym(handle_, name));
    return function != nullptr;
  }

 private:
  void* handle_ = nullptr;
};

}  // namespace rondo::buffers
