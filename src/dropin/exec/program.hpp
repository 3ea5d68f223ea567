// The program that rondo-exec starts: where it is, what executes it, and what can be preloaded into
// it.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace rondo::dropin {

/// The program cannot be started.
struct CannotStart : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The command line or a setting is wrong.
struct WrongUse : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Program {
  std::string path;    ///< the file to be executed
  std::string binary;  ///< what the kernel executes in the end; for a script, its interpreter
};

/// Finds a program as execvp does and follows the #! lines of scripts, including those that use
/// `env`. Throws CannotStart.
Program find_program(const std::string& name);

/// The name without folder and suffix: mpirun for /usr/bin/mpirun.openmpi.
std::string stem_of(const std::string& path);

struct Library {
  std::string soname;
  std::string path;
};

/// The libraries that the dynamic linker finds for a dynamically linked program of glibc, in the
/// order in which it searches them. The program itself is not run. None if the dynamic linker cannot be
/// asked.
std::vector<Library> libraries_of(const std::string& binary);

struct Preloads {
  std::vector<std::string> files;  ///< what is preloaded, in this order
  std::string reason;              ///< if there is nothing, why
  std::string
      mpi{};  ///< the file of the MPI library that the program is linked to; empty if it loads one
};

/// Returns what can be preloaded into a program. `folder` holds the preload libraries and the
/// parts. Throws CannotStart if preloading would be wrong and the user cannot have meant to start
/// the program without it.
Preloads preloads_for(const Program& program, const std::string& folder);

struct Component {
  std::string folder;  ///< which Open MPI has to search
  std::string reason;  ///< if there is none, why
};

/// Returns Open MPI's component for a program and its MPI library, which may be empty. `folder` is
/// that of preloads_for().
Component component_for(const Program& program, const std::string& mpi, const std::string& folder);

}  // namespace rondo::dropin
