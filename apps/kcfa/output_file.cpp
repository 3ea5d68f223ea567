#include "kcfa/output_file.hpp"

#include <cerrno>
#include <cstring>

#include "base/error.hpp"

namespace rondo::kcfa {

namespace {

[[noreturn]] void refuse_output(const std::string& name) {
  throw Error(ErrorClass::argument, text(name, ": ", std::strerror(errno)));
}

}  // namespace

OutputFile::OutputFile(const std::string& name)
    : name_(name), file_(std::fopen(name.c_str(), "w")) {
  if (!file_) refuse_output(name_);
}

void OutputFile::write(const std::vector<std::string>& lines) {
  for (const std::string& line : lines)
    if (std::fputs(line.c_str(), file_.get()) < 0 || std::fputc('\n', file_.get()) == EOF)
      refuse_output(name_);
  if (std::fflush(file_.get()) != 0) refuse_output(name_);
}

}  // namespace rondo::kcfa
