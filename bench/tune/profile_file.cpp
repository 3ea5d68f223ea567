#include "tune/profile_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "support/file.hpp"

namespace rondo::bench {

namespace {

[[noreturn]] void fail(const char* what, const std::string& path, const std::string& why) {
  throw Error(ErrorClass::argument, text("--output: cannot ", what, " ", path, ": ", why));
}

/// Makes an empty file beside `path`, and the folder if there is none.
std::string open_draft(const std::string& path) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) fail("make the folder of", path, error.message());
  std::string draft = text(path, ".", getpid());
  if (!std::ofstream(draft)) fail("write", draft, std::strerror(errno));
  return draft;
}

}  // namespace

std::optional<select::Profile> read_profile(const std::string& path,
                                            const select::Signature& signature,
                                            std::string& refused) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  const std::string content = support::read_file(path);
  try {
    select::Profile profile = select::parse_profile(content);
    refused = select::refusal(profile, signature);
    if (refused.empty()) return profile;
  } catch (const Error& error) {
    refused = error.what();
  }
  return std::nullopt;
}

void require_writable(const std::string& path) {
  const std::string draft = open_draft(path);
  std::filesystem::remove(draft);
}

void write_profile(const select::Profile& profile, const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const std::string draft = open_draft(path);
  std::ofstream file(draft, std::ios::binary);
  file << select::to_text(profile);
  file.close();
  if (!file) {
    const std::string why = std::strerror(errno);
    fs::remove(draft, error);
    fail("write", draft, why);
  }
  fs::rename(draft, path, error);
  if (error) fail("replace", path, error.message());
}

}  // namespace rondo::bench
