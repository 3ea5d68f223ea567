// The end of a comparison: another program judges it, so that no statistics run in the user's
// program.

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "dropin/contract.hpp"
#include "dropin/output.hpp"
#include "dropin/report/comparison.hpp"

extern char** environ;

namespace rondo::dropin::ab {

namespace {

/// The path is relative to the part that contains this code, so that an installed tree can be
/// moved.
std::string judge_path() {
  Dl_info own{};
  std::error_code error;
  if (dladdr(reinterpret_cast<const void*>(&judge_path), &own) == 0) return kJudgeFile;
  const auto part = std::filesystem::absolute(own.dli_fname, error);
  return part.parent_path().parent_path() / kJudgeFile;
}

// Computed when the part is loaded: the path may be relative, and the program may change its
// directory.
const std::string& g_judge = *new std::string(judge_path());

/// Returns a memory file that can be read from its beginning; -1, with errno set, if there is none.
int file_of(const std::vector<std::byte>& bytes) {
  const int file = memfd_create("rondo-ab", MFD_CLOEXEC);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (file < 0 || (write_all(file, text) && lseek(file, 0, SEEK_SET) == 0)) return file;
  const int error = errno;
  close(file);
  errno = error;
  return -1;
}

/// Nothing must be preloaded into the judge.
std::vector<char*> environment_of_judge() {
  std::vector<char*> variables;
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (!std::string_view(*variable).starts_with("LD_PRELOAD=")) variables.push_back(*variable);
  variables.push_back(nullptr);
  return variables;
}

}  // namespace

std::string judgement_of(const std::vector<std::byte>& record) {
  const int file = file_of(record);
  if (file < 0)
    throw Error(ErrorClass::other, text("cannot make a memory file: ", reason_of(errno)));
  Output output = output_of({g_judge}, environment_of_judge().data(), file);
  close(file);
  if (!output.failure.empty())
    throw Error(ErrorClass::other, text(g_judge, ": ", output.failure, " ", output.text));
  return std::move(output.text);
}

}  // namespace rondo::dropin::ab
