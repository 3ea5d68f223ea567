#include "support/algorithm.hpp"

#include <rondo/rondo.hpp>

#include "base/error.hpp"

namespace rondo::apps {

namespace {

bool has(const std::string& collective, const std::string& name) {
  if (name == "auto") return true;
  for (const Rondo_Algorithm& row : rondo::algorithms())
    if (row.collective == collective && row.name == name) return true;
  return false;
}

}  // namespace

void choose_algorithm(MPI_Comm comm, const std::string& algorithm) {
  const std::string name = algorithm.substr(0, algorithm.find(':'));
  if (!has("alltoall", name) && !has("alltoallv", name))
    throw Error(ErrorClass::argument,
                text("there is no algorithm '", name, "'; rondo-bench --list names them"));
  try {
    for (const char* collective : {"alltoall", "alltoallv"})
      rondo::set_algorithm(comm, collective, has(collective, name) ? algorithm : "auto");
  } catch (const rondo::Exception& error) {
    throw Error(ErrorClass::argument, error.what());
  }
}

}  // namespace rondo::apps
