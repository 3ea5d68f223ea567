// The parts of rondo._core, the module that needs no MPI.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "choice/choice.hpp"
#include "registry/algorithm.hpp"

namespace rondo::python {

void bind_schedule(nanobind::module_& module);
void bind_node_schedule(nanobind::module_& module);
void bind_registry(nanobind::module_& module);
void bind_machine(nanobind::module_& module);
void bind_model(nanobind::module_& module);
void bind_select(nanobind::module_& module);
void bind_simulate(nanobind::module_& module);
void bind_text(nanobind::module_& module);

/// Parses the name of a collective.
registry::Collective collective_of(std::string_view name);

/// Parses alltoall, alltoallv or alltoallw, in which all ranks exchange with all.
registry::Collective collective_of_all_ranks(std::string_view name);

/// An exchange whose cost can be predicted: a collective, or "alltoallv_dynamic".
struct PredictedCall {
  registry::Collective collective;
  bool is_dynamic;
};
PredictedCall predicted_call(std::string_view name);

/// How many others a rank sends to, as model::Contest has it: 0 for all.
double partners_of(registry::Collective collective, const std::optional<nanobind::int_>& given);

/// Of predictions and simulations: twice as many as 8192 nodes of 128 ranks have.
inline constexpr std::int64_t kMostRanks = std::int64_t{1} << 21;

/// The total length of all ranks' blocks still fits in 64 bits.
inline constexpr std::int64_t kMostBytes = std::int64_t{1} << 40;

/// Python's integers are unbounded. Those that do not fit our types get the same error message.
std::int64_t number_within(std::string_view what, const nanobind::int_& number, std::int64_t least,
                           std::int64_t most);

/// Up to `most` ranks that fill nodes of `per_node` ranks each, which errors call `per_node_name`.
choice::Layout full_nodes(const nanobind::int_& ranks, std::string_view per_node_name,
                          const nanobind::int_& per_node, std::int64_t most);

/// An object's type with these attributes, as in `Outcome(seconds=0.1, messages=56, ranks=8)`.
std::string described(nanobind::handle object, std::span<const char* const> attributes);

/// A method `__repr__` that shows these attributes.
template <class... Names>
auto showing(Names... names) {
  return [attributes = std::array<const char*, sizeof...(names)>{names...}](nanobind::handle self) {
    return described(self, attributes);
  };
}

/// Inside the library, arguments are checked before they reach a schedule. Arguments from Python
/// have not been checked yet.
inline void require_at_least(std::string_view what, int value, int least) {
  if (value < least)
    throw Error(ErrorClass::argument, text(what, " is ", value, ", must be at least ", least));
}

}  // namespace rondo::python
