// The program that rondo-exec is to start: where it is, what runs it, and what can be preloaded
// into it.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace rondo::dropin {

/// The program cannot be started.
struct CannotStart : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Program {
  std::string path;    ///< the file to be executed
  std::string binary;  ///< what the kernel executes in the end: the interpreter of a script
};

/// Look for a program as execvp does, and read the #! lines of scripts, with `env` in them too.
/// Throws CannotStart.
Program find_program(const std::string& name);

/// A name without folder and suffix, as in mpirun of /usr/bin/mpirun.openmpi.
std::string stem_of(const std::string& path);

struct Library {
  std::string soname;
  std::string path;
};

/// The libraries that the dynamic linker finds for a dynamically linked program of glibc, in the
/// order in which it searches them. The program itself is not run.
std::vector<Library> libraries_of(const std::string& binary);

struct Preloads {
  std::vector<std::string> files;  ///< names of preload libraries, the most general first
  std::string reason;              ///< if there are none, what the program is
};

/// What can be preloaded into a program. `folder` holds the preload libraries and the parts. Throws
/// CannotStart where preloading would be wrong and the user cannot mean to start the program
/// without it.
Preloads preloads_for(const Program& program, const std::string& folder);

}  // namespace rondo::dropin
