#include "origin.hpp"

#include <fmt/chrono.h>
#include <unistd.h>

#include <climits>
#include <regex>

#include "select/profile.hpp"
#include "support/text.hpp"

namespace rondo::bench {

MpiName mpi_name(std::string_view library_version) {
  const std::string line(library_version.substr(0, library_version.find('\n')));
  // A version begins with a digit and stands alone, but for a v before it.
  static const std::regex known(R"(^(.*?)(?: Version)?\W*\sv?(\d[^ ,\t]*))");
  std::smatch parts;
  if (!std::regex_search(line, parts, known)) return {.name = line, .version = {}};
  return {.name = parts[1], .version = parts[2]};
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
          .date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))),
          .command = command};
}

std::string to_text(const Origin& origin) {
  return fmt::format("Rondo {}, {} {}, {} with {}, {}\n{}\n\n", origin.rondo, origin.mpi,
                     origin.mpi_version, origin.host, support::counted(origin.cores, "core"),
                     origin.date, origin.command);
}

}  // namespace rondo::bench
