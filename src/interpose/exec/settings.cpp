#include "interpose/exec/settings.hpp"

#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "interpose/environment.hpp"
#include "interpose/exec/program.hpp"
#include "registry/choice.hpp"
#include "registry/settings.hpp"

namespace rondo::interpose {

void check_settings() {
  if (is_set("RONDO_DISABLE") || !is_first_rank()) return;
  registry::read_settings(
      [](const char* variable) -> const char* { return std::getenv(variable); });
  constexpr std::pair<const char*, registry::Collective> kAlgorithms[] = {
      {"RONDO_ALLTOALL", registry::Collective::alltoall},
      {"RONDO_ALLTOALLV", registry::Collective::alltoallv},
      {"RONDO_ALLTOALLW", registry::Collective::alltoallv}};
  for (const auto& [variable, collective] : kAlgorithms) {
    const char* name = std::getenv(variable);
    if (name == nullptr || *name == '\0' || std::strcmp(name, "auto") == 0) continue;
    try {
      registry::parse(collective, name);
    } catch (const Error& error) {
      throw CannotStart(std::string(variable) + ": " + error.what());
    }
  }
}

}  // namespace rondo::interpose
