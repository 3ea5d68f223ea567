#include "origin.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cctype>
#include <climits>
#include <ctime>

#include "select/profile.hpp"

namespace rondo::bench {

namespace {

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// Where a number begins that stands alone but for a v before it.
std::size_t version_at(std::string_view text) {
  for (std::size_t at = 1; at < text.size(); ++at) {
    const std::size_t before = text[at - 1] == 'v' ? at - 1 : at;
    const bool begins =
        before > 0 && std::isspace(static_cast<unsigned char>(text[before - 1])) != 0;
    if (begins && is_digit(text[at])) return at;
  }
  return std::string_view::npos;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  char text[32] = "";
  if (gmtime_r(&now, &parts) != nullptr)
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

}  // namespace

MpiName mpi_name(std::string_view library_version) {
  const std::string_view line = library_version.substr(0, library_version.find('\n'));
  const std::size_t digits = version_at(line);
  std::string_view name = line.substr(0, digits);
  if (digits != std::string_view::npos && name.ends_with('v')) name.remove_suffix(1);
  while (!name.empty() && !std::isalnum(static_cast<unsigned char>(name.back())))
    name.remove_suffix(1);
  constexpr std::string_view kNoName = " Version";
  if (name.ends_with(kNoName)) name.remove_suffix(kNoName.size());
  MpiName found{.name = std::string(name), .version = {}};
  if (digits == std::string_view::npos) return found;
  const std::string_view rest = line.substr(digits);
  found.version = rest.substr(0, rest.find_first_of(" ,\t"));
  return found;
}

Origin find_origin(std::string_view library_version, const std::string& command) {
  char host[HOST_NAME_MAX + 1] = "";
  gethostname(host, sizeof host - 1);
  MpiName mpi = mpi_name(library_version);
  return {.rondo = std::string(select::kVersion),
          .mpi = std::move(mpi.name),
          .mpi_version = std::move(mpi.version),
          .host = host,
          .cores = sysconf(_SC_NPROCESSORS_ONLN),
          .date = utc_now(),
          .command = command};
}

std::string to_text(const Origin& origin) {
  return fmt::format("Rondo {}, {} {}, {} with {} core{}, {}\n{}\n\n", origin.rondo, origin.mpi,
                     origin.mpi_version, origin.host, origin.cores, origin.cores == 1 ? "" : "s",
                     origin.date, origin.command);
}

}  // namespace rondo::bench
