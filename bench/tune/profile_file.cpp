#include "tune/profile_file.hpp"

#include <filesystem>

#include "base/error.hpp"
#include "support/file.hpp"

namespace rondo::bench {

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

}  // namespace rondo::bench
