#include "registry/algorithm.hpp"

#include <algorithm>

namespace rondo::registry {

namespace {

constexpr Parameter kParameters[] = {
#define RONDO_PARAMETER(key, name, kind, least, most, limit, meaning) \
  {Key::key, name, Parameter::Kind::kind, least, most, Limit::limit, meaning},
#include "registry/parameters.def"
#undef RONDO_PARAMETER
};

constexpr Parameter with_default(Key key, Default rule, std::int64_t value = 0) {
  Parameter parameter = kParameters[static_cast<std::size_t>(key)];
  parameter.rule = rule;
  parameter.value = value;
  return parameter;
}

constexpr Parameter radix(std::int64_t value) {
  return with_default(Key::radix, Default::value, value);
}
constexpr Parameter radix_near_root() {
  return with_default(Key::radix, Default::sqrt_ranks);
}
constexpr Parameter intra_radix() {
  return with_default(Key::intra_radix, Default::sqrt_per_node);
}
constexpr Parameter inter_radix() {
  return with_default(Key::inter_radix, Default::nodes);
}
constexpr Parameter ports() {
  return with_default(Key::ports, Default::whole_phase);
}
constexpr Parameter window() {
  return with_default(Key::window, Default::whole_phase);
}
constexpr Parameter threshold(std::int64_t bytes) {
  return with_default(Key::threshold, Default::value, bytes);
}
constexpr Parameter node_threshold() {
  return with_default(Key::threshold, Default::node_threshold);
}
constexpr Parameter inter() {
  return with_default(Key::between, Default::between_nodes);
}
constexpr Parameter node_radix() {
  return with_default(Key::node_radix, Default::sqrt_nodes);
}
constexpr Parameter parts() {
  return with_default(Key::parts, Default::value, 1);
}
constexpr Parameter inner() {
  return with_default(Key::inner, Default::value);
}
constexpr Parameter thread_blocks(std::int64_t value) {
  return with_default(Key::thread_blocks, Default::value, value);
}

/// Straight from the send buffer to the receive buffer.
constexpr Handling straight() {
  return {};
}

/// Without a rotation at the end, blocks must go downward.
constexpr Direction direction_with(int whole_copies) {
  return whole_copies == 2 ? Direction::upward : Direction::downward;
}

/// Uniform blocks, packed and unpacked in every round.
constexpr Handling packed(int whole_copies) {
  return {.direction = direction_with(whole_copies), .whole_copies = whole_copies, .hop_copies = 2};
}

/// The same with MPI datatypes. `hop_copies`: where what arrives lands elsewhere first.
constexpr Handling typed(int whole_copies, int hop_copies) {
  return {.direction = direction_with(whole_copies),
          .whole_copies = whole_copies,
          .hop_copies = hop_copies,
          .packs_typed = true};
}

/// Padded, scanned out afterwards, and exchanged as uniform blocks meanwhile: by zero_rotation_bruck,
/// or without copies of ours by the MPI library.
constexpr Handling padded(int hop_copies) {
  return {.direction = hop_copies == 0 ? Direction::upward : Direction::downward,
          .whole_copies = 2,
          .hop_copies = hop_copies,
          .agrees = true,
          .pads = true};
}

/// Each round's length first, then sizes and data; a scan at the end. What has arrived moves
/// whenever its buffer grows twofold, which is one more copy at most.
constexpr Handling announced() {
  return {.whole_copies = 1,
          .hop_copies = 3,
          .size_bytes = 8,
          .header_bytes = 8,
          .second = SecondMessage::always};
}

/// Each round's sizes first, then its data.
constexpr Handling two_phase() {
  return {.direction = Direction::downward,
          .hop_copies = 2,
          .size_bytes = 4,
          .second = SecondMessage::always,
          .agrees = true};
}

/// Sizes and data together; blocks under way stay in the message they came in, and are copied out
/// of it once they have arrived.
constexpr Handling fused() {
  return {.whole_copies = 1,
          .hop_copies = 1,
          .size_bytes = 4,
          .header_bytes = 24,
          .second = SecondMessage::when_long};
}

#define RONDO_ROW(collective, name, shape, engine, errors, parameters, handling, idea, source, \
                  cost)                                                                        \
  {Collective::collective,                                                                     \
   #name,                                                                                      \
   Shape::shape,                                                                               \
   #engine,                                                                                    \
   Errors::errors,                                                                             \
   parameters,                                                                                 \
   handling,                                                                                   \
   idea,                                                                                       \
   source,                                                                                     \
   cost},

constexpr Algorithm kAlgorithms[] = {
#define RONDO_ALGORITHM RONDO_ROW
#define RONDO_FORWARDED RONDO_ROW
#include "registry/algorithms.def"
#undef RONDO_FORWARDED
#undef RONDO_ALGORITHM
};

constexpr Algorithm kGpuAlgorithms[] = {
#define RONDO_GPU_ALGORITHM(...) RONDO_ROW(gpu, __VA_ARGS__)
#include "registry/gpu_algorithms.def"
#undef RONDO_GPU_ALGORITHM
};

#undef RONDO_ROW

/// What an algorithm is called now that went by another name before, or two on one node and on several.
constexpr std::string_view present_name(std::string_view name) {
  return name == "shared_memory" || name == "hierarchical" ? "node_aware" : name;
}

}  // namespace

std::span<const Algorithm> algorithms() {
  return kAlgorithms;
}

std::span<const Algorithm> gpu_algorithms() {
  return kGpuAlgorithms;
}

std::span<const Algorithm> algorithms_of(Collective collective) {
  return collective == Collective::gpu ? gpu_algorithms() : algorithms();
}

const Algorithm* find(Collective collective, std::string_view given) {
  const std::string_view name = present_name(given);
  const auto rows = algorithms_of(collective);
  const auto row = std::ranges::find_if(rows, [&](const Algorithm& algorithm) {
    return algorithm.collective == collective && algorithm.name == name;
  });
  return row == rows.end() ? nullptr : &*row;
}

std::string_view to_string(Collective collective) {
  switch (collective) {
    case Collective::alltoall:
      return "alltoall";
    case Collective::alltoallv:
      return "alltoallv";
    case Collective::gpu:
      return "gpu";
  }
  return "";
}

}  // namespace rondo::registry
