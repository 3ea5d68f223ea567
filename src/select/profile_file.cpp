#include "select/profile_file.hpp"

#include <filesystem>

#include "base/error.hpp"
#include "base/file.hpp"

namespace rondo::select {

namespace {

void make_folder_of(const std::string& path) {
  std::error_code error;
  const auto folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error)
    throw Error(ErrorClass::argument, text(path, ": cannot make its folder: ", error.message()));
}

}  // namespace

void require_profile_writable(const std::string& path) {
  make_folder_of(path);
  require_writable(path);
}

void write_profile(const Profile& profile, const std::string& path) {
  make_folder_of(path);
  write_file(path, to_text(profile));
}

}  // namespace rondo::select
