#include "selection.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "choice/choice.hpp"
#include "comma_list.hpp"

namespace rondo::bench {

namespace {

void add(std::vector<Asked>& asked, const Asked& one) {
  if (std::ranges::find(asked, one.text, &Asked::text) == asked.end()) asked.push_back(one);
}

void add_all(std::vector<Asked>& asked, registry::Collective collective) {
  for (const registry::Algorithm& algorithm : registry::algorithms())
    if (algorithm.collective == collective)
      add(asked, {.text = std::string(algorithm.name), .from_all = true});
  add(asked, {.text = std::string(kAuto), .from_all = true});
}

void validate(registry::Collective collective, std::string_view entry) {
  if (entry == kAuto) return;
  try {
    choice::parse(collective, entry);
  } catch (const Error& error) {
    throw Error(error.error_class(), text("--algorithm: ", error.what()));
  }
}

}  // namespace

std::vector<Asked> select_algorithms(registry::Collective collective, std::string_view list) {
  std::vector<Asked> asked;
  for (const std::string& entry : split_at_commas(list)) {
    if (entry == "all") {
      add_all(asked, collective);
      continue;
    }
    validate(collective, entry);
    add(asked, {.text = entry});
  }
  add(asked, {.text = std::string(kMpi)});
  return asked;
}

}  // namespace rondo::bench
