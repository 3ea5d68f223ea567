#include "support/file.hpp"

#include <array>
#include <cerrno>
#include <cstring>

#include "base/error.hpp"

namespace rondo::support {

namespace {

[[noreturn]] void refuse(const std::string& name) {
  throw Error(ErrorClass::argument, text(name, ": ", std::strerror(errno)));
}

}  // namespace

void CloseFile::operator()(std::FILE* file) const {
  if (file != stdout) std::fclose(file);
}

std::string read_file(const std::string& path) {
  const File file(std::fopen(path.c_str(), "rbe"));
  if (!file) refuse(path);
  std::string content;
  std::array<char, 65536> piece;
  while (const std::size_t bytes = std::fread(piece.data(), 1, piece.size(), file.get()))
    content.append(piece.data(), bytes);
  if (std::ferror(file.get()) != 0) refuse(path);
  return content;
}

OutputFile::OutputFile(const std::string& path)
    : name_(path.empty() ? "standard output" : path),
      file_(path.empty() ? stdout : std::fopen(path.c_str(), "we")) {
  check(file_ != nullptr);
}

void OutputFile::write(std::string_view text) {
  check(std::fwrite(text.data(), 1, text.size(), file_.get()) == text.size());
}

void OutputFile::flush() {
  check(std::fflush(file_.get()) == 0);
}

void OutputFile::close() {
  flush();
  std::FILE* const file = file_.release();
  check(file == stdout || std::fclose(file) == 0);
}

void OutputFile::check(bool good) const {
  if (!good) refuse(name_);
}

}  // namespace rondo::support
