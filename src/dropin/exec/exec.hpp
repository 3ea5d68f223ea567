// What the files of rondo-exec share.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace rondo::dropin {

/// The command line is wrong.
struct WrongUse : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Why a program runs without Rondo.
struct WithoutRondo : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Options {
  std::vector<std::pair<const char*, std::string>>
      variables{};                ///< to set in the program's environment
  bool is_via_component = false;  ///< whether Open MPI loads Rondo; otherwise it is preloaded
  char** program = nullptr;       ///< with its arguments; null if there is an answer
  const char* answer = nullptr;   ///< what --help or --version prints; null otherwise
};

/// Parses `words`, which end with a null pointer. Throws WrongUse if they are wrong.
Options parse_options(char** words);

struct Program {
  std::string path;    ///< the file to be executed
  std::string binary;  ///< what the kernel executes in the end; for a script, its interpreter
};

/// Finds a program as execvp does and follows the #! lines of scripts, including those that use
/// `env`. Throws std::system_error.
Program find_program(const std::string& name);

/// The name without folder and suffix: mpirun for /usr/bin/mpirun.openmpi.
std::string stem_of(const std::string& path);

/// The dynamic linker that a 64-bit ELF program requests; empty if it is statically linked or something else.
std::string dynamic_linker_of(const std::string& binary);

struct Library {
  std::string soname;
  std::string path;
};

/// The libraries that the dynamic linker finds for a program, in the order in which it searches them. The program
/// itself is not run.
std::vector<Library> libraries_of(const std::string& binary);

/// What a program must have for Rondo.
struct Needs {
  std::vector<std::string> preloads;  ///< what is preloaded, in this order
  std::string mpi;                    ///< the MPI library's file; empty if it is loaded at run time
};

/// `folder` holds the preload library and the parts. Throws WithoutRondo, and another exception if the user cannot
/// have meant to start the program without Rondo.
Needs needs_of(const Program& program, const std::string& folder);

/// Returns the folder in which Open MPI finds its component. `mpi` is Needs::mpi. Throws WithoutRondo.
std::string component_for(const std::string& mpi, const std::string& folder);

}  // namespace rondo::dropin
