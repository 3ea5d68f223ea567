// The steps of algorithms, in order.
#include "model/trace.hpp"

#include <gtest/gtest.h>

#include "prices.hpp"

namespace rondo::model {
namespace {

using choice::Layout;
using registry::Collective;

/// A fold that writes the steps down.
struct Recorder {
  std::string steps;

  template <class... Words>
  void add(const Words&... words) {
    steps += text(words..., "; ");
  }

  void agree() { add("agree"); }
  void double_distances(double bytes) { add("double ", bytes); }
  void learn_lengths() { add("lengths"); }
  void copy(double blocks, std::uint64_t /*draw*/) { add("copy ", blocks); }
  void exchange(const Batch& batch) { add("rounds ", batch.first, "+", batch.rounds.size()); }
  void send_between(const std::vector<NodeMessage>& messages) { add("nodes ", messages.size()); }
  void arrive(double cells) { add("arrive ", cells); }
  void copy_long_inside() { add("copy long"); }
  void send(Sent sent, const Straight& straight) {
    add(sent == Sent::whole ? "all" : "long", straight.reaches_inside ? "" : " outside");
  }
  void send_to_partners(Sent sent, const Straight& straight) {
    add("send ", static_cast<int>(sent), straight.reaches_inside ? "" : " outside");
  }
  void copy_for_partners(bool arrived) { add(arrived ? "copy in" : "copy out"); }
  void send_between_partners() { add("node partners"); }
};

constexpr Layout kLayout{.ranks = 12, .nodes = 3, .per_node = 4};

struct Blocks {
  double largest_bytes = 8;
  bool has_long = false;
  bool copies_long = false;
};

template <class Trace>
std::string steps_of(Collective collective, std::string_view name, Trace&& trace,
                     const Blocks& blocks = {}) {
  const choice::Choice choice = chosen(collective, name, kLayout);
  Recorder recorder;
  trace(Task{choice, kLayout, blocks.largest_bytes, blocks.has_long, blocks.copies_long}, recorder);
  return recorder.steps;
}

TEST(Trace, RoundsComeInBatchesBetweenAgreementAndLongBlocks) {
  const auto steps = [](std::string_view name, const Blocks& blocks = {}) {
    return steps_of(kAlltoallv, name, trace_flat<Recorder>, blocks);
  };
  EXPECT_EQ(steps("two_phase_bruck:radix=3"),
            "agree; copy 1; rounds 0+2; rounds 2+2; rounds 4+1; long; ");
  EXPECT_EQ(steps("fused_bruck:radix=12:ports=6"), "copy 12; rounds 0+6; rounds 6+5; long; ");
  EXPECT_EQ(steps("two_phase_bruck", {.largest_bytes = 1e12}), "agree; all; long; ");
}

TEST(Trace, NodesCopyArriveSendAndCopy) {
  const auto steps = [](std::string_view name, const Blocks& blocks) {
    return steps_of(kAlltoallv, name, trace_nodes<Recorder>, blocks);
  };
  const std::string direct = "copy 11; arrive 3; nodes 2; arrive 1.5; copy 12; ";
  EXPECT_EQ(steps("node_aware:inter=direct", {.copies_long = true}), direct + "long outside; ");
  EXPECT_EQ(steps("node_aware:inter=direct", {.has_long = true, .copies_long = true}),
            direct + "copy long; arrive 3; long outside; ");
  EXPECT_EQ(steps("node_aware:inter=direct", {.has_long = true}), direct + "long; ");
  // A lane packs before the first of two rounds.
  EXPECT_EQ(steps("node_aware:inter=bruck:radix=2", {}),
            "copy 11; arrive 3; nodes 2; nodes 1; arrive 1.5; copy 12; long; ");
}

TEST(Trace, SparseExchangesHaveADiscovery) {
  const auto steps = [](std::string_view name) {
    return steps_of(Collective::sparse_alltoallv, name, trace_partners<Recorder>);
  };
  EXPECT_EQ(steps("mpi"), "lengths; send 0; ");
  EXPECT_EQ(steps("nbx"), "copy out; send 1; send 3; double 16; copy in; send 2; ");
  EXPECT_EQ(steps("personalized"), "double 24; copy out; send 1; copy in; send 2; ");
}

TEST(Trace, EdgesGoThroughTheMemoryOfTheNodes) {
  EXPECT_EQ(steps_of(Collective::neighbor_alltoallv, "node_aware", trace_edges<Recorder>),
            "copy out; arrive 3; node partners; arrive 0; copy in; send 2; ");
  EXPECT_EQ(steps_of(Collective::neighbor_alltoallv, "node_aware", trace_edges<Recorder>,
                     {.has_long = true, .copies_long = true}),
            "copy out; arrive 3; arrive 3; node partners; arrive 0; copy in; send 2 outside; ");
}

}  // namespace
}  // namespace rondo::model
