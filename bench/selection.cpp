#include "selection.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "registry/choice.hpp"

namespace rondo::bench {

namespace {

void add(std::vector<Asked>& asked, const Asked& one) {
  if (std::ranges::find(asked, one.text, &Asked::text) == asked.end()) asked.push_back(one);
}

void add_all(std::vector<Asked>& asked, registry::Collective collective) {
  for (const registry::Algorithm& algorithm : registry::algorithms())
    if (algorithm.collective == collective)
      add(asked, {.text = std::string(algorithm.name), .from_all = true});
}

void validate(registry::Collective collective, std::string_view entry) {
  if (entry == kAuto) return;
  try {
    registry::parse(collective, entry);
  } catch (const Error& error) {
    throw Error(error.error_class(), text("--algorithm: ", error.what()));
  }
}

}  // namespace

std::vector<Asked> select_algorithms(registry::Collective collective, std::string_view list) {
  std::vector<Asked> asked;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string_view entry = list.substr(begin, end - begin);
    begin = end + 1;
    if (entry == "all") {
      add_all(asked, collective);
      continue;
    }
    validate(collective, entry);
    add(asked, {.text = std::string(entry)});
  }
  add(asked, {.text = std::string(kMpi), .printed = false});
  return asked;
}

}  // namespace rondo::bench
