// Rondo_Algorithm_count, Rondo_Algorithm_get, Rondo_Get_version, Rondo_Get_last_error,
// Rondo_Errors_return: local functions that do not call MPI.

#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "exchange/guard.hpp"
#include "registry/algorithm.hpp"
#include "rondo/rondo.h"

namespace {

/// The rows of sparse exchanges follow the others.
const rondo::registry::Algorithm& row_at(int index) {
  const auto at = static_cast<std::size_t>(index);
  const auto rows = rondo::registry::algorithms();
  return at < rows.size() ? rows[at] : rondo::registry::sparse_algorithms()[at - rows.size()];
}

/// Returns the parameters of each row of the registry, as in "intra inter ports".
std::vector<std::string> parameter_texts() {
  std::vector<std::string> texts;
  for (int index = 0; index < Rondo_Algorithm_count(); ++index) {
    const auto& algorithm = row_at(index);
    std::string text;
    for (const auto& parameter : algorithm.parameters.list())
      text.append(text.empty() ? "" : " ").append(parameter.name);
    texts.push_back(std::move(text));
  }
  return texts;
}

void require(bool condition, const char* text) {
  if (!condition) throw rondo::Error(rondo::ErrorClass::argument, text);
}

}  // namespace

using rondo::exchange::guarded_locally;

extern "C" {

int Rondo_Algorithm_count(void) {
  return static_cast<int>(rondo::registry::algorithms().size() +
                          rondo::registry::sparse_algorithms().size());
}

int Rondo_Algorithm_get(int index, Rondo_Algorithm* algorithm) {
  return guarded_locally([&] {
    require(index >= 0 && index < Rondo_Algorithm_count(),
            "Rondo_Algorithm_get: index is not in 0 .. Rondo_Algorithm_count() - 1");
    require(algorithm != nullptr, "Rondo_Algorithm_get: algorithm is a null pointer");
    static const auto& parameters = *new std::vector<std::string>(parameter_texts());
    // The registry's texts are literals, so they are terminated.
    const rondo::registry::Algorithm& row = row_at(index);
    *algorithm = {.collective = rondo::registry::to_string(row.collective).data(),
                  .name = row.name.data(),
                  .parameters = parameters[static_cast<std::size_t>(index)].c_str(),
                  .idea = row.idea.data(),
                  .source = row.source.data(),
                  .cost = row.cost.data()};
  });
}

int Rondo_Get_version(int* major, int* minor, int* patch) {
  return guarded_locally([&] {
    require(major != nullptr && minor != nullptr && patch != nullptr,
            "Rondo_Get_version: an argument is a null pointer");
    *major = RONDO_VERSION_MAJOR;
    *minor = RONDO_VERSION_MINOR;
    *patch = RONDO_VERSION_PATCH;
  });
}

int Rondo_Errors_return(int flag) {
  return std::exchange(rondo::exchange::errors_are_returned(), flag != 0) ? 1 : 0;
}

const char* Rondo_Get_last_error(void) {
  return rondo::exchange::last_error();
}

}  // extern "C"
