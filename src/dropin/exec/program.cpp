// The program that rondo-exec starts: where it is, what executes it, and its libraries.

#include <elf.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "dropin/exec/exec.hpp"
#include "dropin/output.hpp"

extern char** environ;

namespace rondo::dropin {

namespace {

constexpr int kDeepestScript = 5;  // the kernel's own limit

/// Returns the words after #!, or nothing if the file is not a script.
std::vector<std::string> first_line_words(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  std::getline(file, line);
  if (!line.starts_with("#!")) return {};
  std::istringstream words(line.substr(2));
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

/// The file that execvp would execute; empty if no folder on PATH has it.
std::string find_file(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/bin:/usr/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string file = (folder.empty() ? "." : folder) + "/" + name;
    std::error_code error;
    if (std::filesystem::is_regular_file(file, error) && access(file.c_str(), X_OK) == 0)
      return file;
  }
  return {};
}

}  // namespace

std::string stem_of(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename();
  return name.substr(0, name.find('.'));
}

Program find_program(const std::string& name) {
  Program program{.path = find_file(name), .binary = {}};
  if (access(program.path.c_str(), X_OK) != 0)
    throw std::system_error(errno, std::generic_category(), name + " cannot be started");
  program.binary = program.path;
  for (int depth = 0; depth < kDeepestScript; ++depth) {
    const std::vector<std::string> words = first_line_words(program.binary);
    if (words.empty()) break;
    program.binary = find_file(stem_of(words.front()) == "env" ? behind_env(words) : words.front());
  }
  return program;
}

std::string dynamic_linker_of(const std::string& binary) {
  std::ifstream file(binary, std::ios::binary);
  const auto read = [&file](auto& entry) {
    return bool(file.read(reinterpret_cast<char*>(&entry), sizeof entry));
  };
  Elf64_Ehdr header{};
  if (!read(header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return {};
  file.seekg(static_cast<std::streamoff>(header.e_phoff));
  Elf64_Phdr segment{};
  for (int left = header.e_phnum; left > 0 && read(segment); --left) {
    if (segment.p_type != PT_INTERP) continue;
    std::string linker;
    file.seekg(static_cast<std::streamoff>(segment.p_offset));
    std::getline(file, linker, '\0');
    return linker;
  }
  return {};
}

std::vector<Library> libraries_of(const std::string& binary) {
  // The environment of ldd would be answered by whatever the dynamic linker loads first. Under valgrind that is
  // not the program. The kernel follows links, which decides what $ORIGIN is.
  const std::string file = std::filesystem::canonical(binary);
  const std::vector<std::string> command = {dynamic_linker_of(binary), "--list", file};
  std::vector<Library> libraries;
  std::istringstream lines(output_of(command, environ, STDIN_FILENO).text);
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
