#include "tune/profile_file.hpp"

#include <filesystem>

#include "base/error.hpp"
#include "base/file.hpp"

namespace rondo::bench {

std::optional<select::Profile> read_profile(const std::string& path,
                                            const select::Signature& signature,
                                            std::string& refused) {
  // What is written to a device or a pipe is not there to be read.
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return std::nullopt;
  const std::string content = read_file(path, select::kLongestProfile);
  try {
    select::Profile profile = select::parse_profile(content);
    refused = select::refusal(profile, signature);
    if (refused.empty()) return profile;
  } catch (const Error& error) {
    refused = error.what();
  }
  return std::nullopt;
}

}  // namespace rondo::bench
