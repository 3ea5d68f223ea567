#include "interpose/exec/settings.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "base/error.hpp"
#include "choice/choice.hpp"
#include "interpose/environment.hpp"
#include "interpose/exec/program.hpp"
#include "registry/settings.hpp"

namespace rondo::interpose {

namespace {

/// Rank 0 of a communicator writes its files when the program has run for long.
void check_record(const std::string& name) {
  if (name.empty()) return;
  const std::filesystem::path parent = std::filesystem::path(name).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  if (!std::filesystem::is_directory(folder))
    throw CannotStart("RONDO_RECORD: there is no folder " + folder);
  if (access(folder.c_str(), W_OK | X_OK) != 0)
    throw CannotStart("RONDO_RECORD: no file can be written in " + folder + ": " +
                      std::strerror(errno));
}

void check_algorithm(const char* variable, registry::Collective collective,
                     const std::string& name) {
  if (name.empty() || name == "auto") return;
  try {
    choice::parse(collective, name);
  } catch (const Error& error) {
    throw CannotStart(std::string(variable) + ": " + error.what());
  }
}

}  // namespace

void check_settings() {
  if (is_set("RONDO_DISABLE") || !is_first_rank()) return;
  const registry::Settings settings = registry::read_settings(
      [](const char* variable) -> const char* { return std::getenv(variable); });
  check_algorithm("RONDO_ALLTOALL", registry::Collective::alltoall, settings.alltoall);
  check_algorithm("RONDO_ALLTOALLV", registry::Collective::alltoallv, settings.alltoallv);
  check_algorithm("RONDO_ALLTOALLW", registry::Collective::alltoallv, settings.alltoallw);
  check_record(settings.record);
}

}  // namespace rondo::interpose
