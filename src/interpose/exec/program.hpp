// The program that rondo-exec is to start: where it is, and what runs it.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace rondo::interpose {

/// It cannot be started.
struct CannotStart : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Program {
  std::string path;    ///< the file to be executed
  std::string binary;  ///< what the kernel executes in the end: the interpreter of a script
};

/// Look for a program as execvp does, and read the #! lines of scripts; of `env` in such a line too.
/// Throws CannotStart.
Program find_program(const std::string& name);

/// The names without folder and suffix, as in mpirun of /usr/bin/mpirun.openmpi.
std::string stem_of(const std::string& path);

/// The libraries that the dynamic linker finds for a dynamically linked program of glibc, by
/// soname, or by path where they are found. The program itself is not run.
struct Library {
  std::string soname;
  std::string path;
};
std::vector<Library> libraries_of(const std::string& binary);

}  // namespace rondo::interpose
