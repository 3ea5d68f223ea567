#include "kcfa/source.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "base/error.hpp"

namespace rondo::kcfa {

namespace {

struct Closing {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

[[noreturn]] void refuse_file(const std::string& file, int error) {
  throw Error(ErrorClass::argument, text(file, ": ", std::strerror(error)));
}

}  // namespace

Source read_source(const std::string& file) {
  const std::unique_ptr<std::FILE, Closing> in(std::fopen(file.c_str(), "rb"));
  if (!in) refuse_file(file, errno);
  Source source{file, {}};
  std::array<char, 65536> piece;
  while (const std::size_t bytes = std::fread(piece.data(), 1, piece.size(), in.get()))
    source.text.append(piece.data(), bytes);
  if (std::ferror(in.get()) != 0) refuse_file(file, errno);
  return source;
}

void refuse(const Source& source, std::size_t line, const std::string& reason) {
  throw Error(ErrorClass::argument, text(source.name, ":", line, ": ", reason));
}

std::string quoted(std::string_view word) {
  constexpr std::size_t kLongest = 40;
  std::string shown = "'";
  for (const char letter : word.substr(0, kLongest)) {
    const bool printable = static_cast<unsigned char>(letter) >= ' ' && letter != '\x7f';
    shown += printable ? letter : '?';
  }
  return shown + (word.size() > kLongest ? "...'" : "'");
}

}  // namespace rondo::kcfa
