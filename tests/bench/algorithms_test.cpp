// --algorithm: which algorithms take part, and which texts are refused.
#include "algorithms.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "refusal.hpp"

namespace rondo::bench {
namespace {

using registry::Collective;

std::vector<std::string> texts(const std::vector<Asked>& asked) {
  std::vector<std::string> out;
  for (const Asked& one : asked) out.push_back(one.text);
  return out;
}

TEST(Selection, AllIsTheRegistryAndAuto) {
  for (const Collective collective : {Collective::alltoall, Collective::alltoallv}) {
    auto asked = select_algorithms(collective, "all");
    EXPECT_TRUE(std::ranges::all_of(asked, &Asked::from_all));
    EXPECT_EQ(asked.back().text, kAuto);
    asked.pop_back();
    EXPECT_EQ(std::ranges::count(asked, collective,
                                 [&](const Asked& one) {
                                   return registry::find(collective, one.text)->collective;
                                 }),
              std::ranges::ssize(asked));
    EXPECT_EQ(
        std::ranges::count(registry::algorithms(), collective, &registry::Algorithm::collective),
        std::ranges::ssize(asked));
  }
}

TEST(Selection, MpiIsMeasuredAlong) {
  const auto asked = select_algorithms(Collective::alltoallv, "fused_bruck:radix=4,auto");
  EXPECT_EQ(texts(asked), (std::vector<std::string>{"fused_bruck:radix=4", "auto", "mpi"}));
}

TEST(Selection, EachTakesPartOnce) {
  const auto asked = select_algorithms(Collective::alltoall, "mpi,pairwise,mpi,pairwise");
  EXPECT_EQ(texts(asked), (std::vector<std::string>{"mpi", "pairwise"}));
}

TEST(Selection, RefusesInASentence) {
  for (const char* list :
       {"", "sprad_out", "spread_out,", "pairwise:radix=2", "tunable_bruck:radix=1",
        "tunable_bruck:radix=x", "auto:radix=2", "all:radix=2"}) {
    const auto said = test::refusal([&] { select_algorithms(Collective::alltoall, list); });
    EXPECT_TRUE(said.starts_with("--algorithm: ")) << list << ": " << said;
  }
}

}  // namespace
}  // namespace rondo::bench
