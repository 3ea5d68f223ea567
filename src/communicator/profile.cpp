#include "communicator/profile.hpp"

#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>

#include "base/error.hpp"
#include "base/file.hpp"
#include "mpi/error.hpp"

namespace rondo::communicator {

namespace {

using Known = std::shared_ptr<const select::Profile>;

/// Returns an empty path if the environment names neither a configuration folder nor a home.
std::string default_path() {
  const char* const configuration = std::getenv("XDG_CONFIG_HOME");
  const char* const home = std::getenv("HOME");
  std::string folder;
  if (configuration != nullptr && *configuration == '/')
    folder = configuration;
  else if (home != nullptr && *home != '\0')
    folder = std::string(home) + "/.config";
  return folder.empty() ? "" : folder + "/rondo/" RONDO_FAMILY ".json";
}

bool is_there(const std::string& path) {
  return !path.empty() && access(path.c_str(), F_OK) == 0;
}

/// Nobody is told of a file that the user did not name and that is not there, whatever the reason.
Known load(const std::string& path, bool is_named) {
  if (!is_named && !is_there(path)) return nullptr;
  try {
    const FileText file = try_to_read(path, select::kLongestProfile);
    if (!file.reason.empty()) throw Error(ErrorClass::argument, file.reason);
    auto profile = std::make_shared<const select::Profile>(select::parse_profile(file.text));
    const std::string refusal = select::refusal(*profile, signature_here());
    if (!refusal.empty()) throw Error(ErrorClass::argument, refusal);
    return profile;
  } catch (const Error& error) {
    std::fprintf(stderr, "rondo: the profile %s is not used: %s; `rondo tune` makes a new one\n",
                 path.c_str(), error.what());
    return nullptr;
  }
}

}  // namespace

bool has_default_profile() {
  return is_there(default_path());
}

Known find_profile(const std::string& path) {
  static std::mutex mutex;
  static auto& loaded = *new std::map<std::string, Known>;
  const std::lock_guard lock(mutex);
  const auto known = loaded.find(path);
  if (known != loaded.end()) return known->second;
  const std::string file = path.empty() ? default_path() : path;
  const Known profile = file.empty() ? nullptr : load(file, !path.empty());
  return loaded.emplace(path, profile).first->second;
}

select::Signature signature_here() {
  char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  mpi::check(PMPI_Get_library_version(library, &length), "MPI_Get_library_version");
  return select::signature_here(library);
}

}  // namespace rondo::communicator
