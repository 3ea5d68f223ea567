#include "dropin/exec/program.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "dropin/exec/elf.hpp"
#include "dropin/output.hpp"

extern char** environ;

namespace rondo::dropin {

namespace {

constexpr int kDeepestScript = 5;  // the kernel's own limit

bool is_program(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

/// Returns the words after #!, or nothing if the file is not a script.
std::vector<std::string> first_line_words(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char mark[2] = {};
  std::string line;
  if (!file.read(mark, sizeof mark) || mark[0] != '#' || mark[1] != '!') return {};
  std::getline(file, line);
  std::istringstream words(line);
  std::vector<std::string> out;
  for (std::string word; words >> word;) out.push_back(word);
  return out;
}

/// Returns the program that `env` starts in "#!/usr/bin/env -S NAME=value program": the first word
/// after `env` that is neither an option nor a variable.
std::string behind_env(const std::vector<std::string>& words) {
  for (std::size_t word = 1; word < words.size(); ++word)
    if (words[word].front() != '-' && words[word].find('=') == std::string::npos)
      return words[word];
  return words.front();
}

std::string find_file(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    if (access(name.c_str(), F_OK) != 0) throw CannotStart(name + ": no such file");
    if (!is_program(name)) throw CannotStart(name + ": not an executable file");
    return name;
  }
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/bin:/usr/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string file = (folder.empty() ? "." : folder) + "/" + name;
    if (is_program(file)) return file;
  }
  throw CannotStart(name + ": not found on PATH");
}

}  // namespace

std::string stem_of(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename();
  return name.substr(0, name.find('.'));
}

Program find_program(const std::string& name) {
  Program program{.path = find_file(name), .binary = {}};
  program.binary = program.path;
  for (int depth = 0; depth < kDeepestScript; ++depth) {
    const std::vector<std::string> words = first_line_words(program.binary);
    if (words.empty()) break;
    program.binary = find_file(stem_of(words.front()) == "env" ? behind_env(words) : words.front());
  }
  return program;
}

std::vector<Library> libraries_of(const std::string& binary) {
  // The environment of ldd would be answered by whatever the dynamic linker loads first. Under valgrind that is
  // not the program. The kernel follows links, which decides what $ORIGIN is.
  const std::string linker(Elf(binary).dynamic_linker());
  const std::string file = std::filesystem::canonical(binary);
  std::vector<Library> libraries;
  std::istringstream lines(output_of({linker, "--list", file}, environ, STDIN_FILENO).text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    Library library;
    std::string arrow;
    words >> library.soname >> arrow;
    if (arrow == "=>")
      words >> library.path;
    else if (library.soname.starts_with(
                 '/'))  // it is preloaded by its path, or is the linker itself
      library.path = library.soname;
    if (!library.path.empty()) libraries.push_back(library);
  }
  return libraries;
}

}  // namespace rondo::dropin
