// What the command line writes: sizes, and names that do not exist.
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "bind.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace rondo::python {

void bind_text(nb::module_& module) {
  module.def(
      "size_of",
      [](std::string_view option, std::string_view text) {
        return parse_size(option, text, kMostBytes);
      },
      "option"_a, "text"_a, "The bytes of a size such as 64, 1k or 1KiB.");
  module.def(
      "sizes_of",
      [](std::string_view option, std::string_view text) {
        return parse_sizes(option, text, kMostBytes);
      },
      "option"_a, "text"_a, "The bytes of sizes such as 16,64 or 16:4k.");
  module.def(
      "suggestion",
      [](std::string_view given, const std::vector<std::string_view>& names) {
        return suggestion(given, names);
      },
      "given"_a, "names"_a, "The end of a message about a name that is none of `names`.");
}

}  // namespace rondo::python
