#include "communicator/profile.hpp"

#include <mpi.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>

#include "base/error.hpp"
#include "mpi/error.hpp"

namespace rondo::communicator {

namespace {

using Known = std::shared_ptr<const select::Profile>;

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

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

/// Returns nothing if the file does not exist and the user did not name it.
std::optional<std::string> read(const std::string& path, bool is_named) {
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rb"));
  if (!file) {
    if (errno == ENOENT && !is_named) return std::nullopt;
    throw Error(ErrorClass::argument, std::strerror(errno));
  }
  std::string content;
  std::array<char, 16384> part;
  while (const std::size_t bytes = std::fread(part.data(), 1, part.size(), file.get())) {
    content.append(part.data(), bytes);
    if (content.size() > select::kLongestProfile) break;
  }
  if (std::ferror(file.get()) != 0) throw Error(ErrorClass::argument, std::strerror(errno));
  return content;
}

Known load(const std::string& path, bool is_named) {
  try {
    const auto content = read(path, is_named);
    if (!content) return nullptr;
    auto profile = std::make_shared<const select::Profile>(select::parse_profile(*content));
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
