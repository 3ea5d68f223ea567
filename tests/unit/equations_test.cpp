// The performance model of the HPDC 2022 paper, section 3.3, against costs that are folded over the
// schedules: its equations are what remains of them when nothing but alpha and beta costs.
#include <gtest/gtest.h>

#include <bit>

#include "closed_form.hpp"
#include "prices.hpp"

namespace rondo::model {
namespace {

struct Constants {
  double alpha;
  double beta;
};

const Constants kConstants[] = {{1.3e-6, 8e-11}, {1, 0}, {0, 1}, {1e-3, 1e-9}};
const double kLongestBlocks[] = {1, 7, 8, 9, 400, 2048};

int log_rounds(int ranks) {
  return std::bit_width(static_cast<unsigned>(ranks - 1));
}

/// The equations for `round_blocks` blocks a round. As printed that is (P + 1) / 2, "at most"; where
/// P is a power of two it is P / 2.
double equation_1(const Constants& c, int ranks, double length, double round_blocks) {
  const double k = log_rounds(ranks);
  return c.alpha * k + c.beta * k * round_blocks * length;
}
double equation_2(const Constants& c, int ranks, double length, double round_blocks) {
  const double k = log_rounds(ranks);
  return 2 * c.alpha * k + 4 * c.beta * k * round_blocks + length / 2 * c.beta * k * round_blocks;
}

/// The cost of an algorithm without its allreduce, which the equations leave out.
double seconds_of(const char* name, const Constants& c, int ranks, double length) {
  const auto layout = own_nodes(ranks);
  const Cost cost = predict(chosen(kAlltoallv, name, layout), layout,
                            {length, Distribution::uniform}, messages_only(c.alpha, c.beta))
                        .cost;
  EXPECT_DOUBLE_EQ(cost.total(), cost.latency + cost.bandwidth + cost.agreement);
  return cost.latency + cost.bandwidth;
}

TEST(Equations, AreTheCostsWherePIsAPowerOfTwo) {
  for (const Constants& c : kConstants)
    for (int ranks = 2; ranks <= 32768; ranks *= 2)
      for (double length : kLongestBlocks) {
        SCOPED_TRACE(testing::Message() << "P=" << ranks << " N=" << length);
        const double blocks = ranks / 2.0;
        EXPECT_DOUBLE_EQ(seconds_of("padded_bruck", c, ranks, length),
                         equation_1(c, ranks, length, blocks));
        EXPECT_DOUBLE_EQ(seconds_of("two_phase_bruck", c, ranks, length),
                         equation_2(c, ranks, length, blocks));
      }
}

TEST(Equations, AsPrintedBoundTheCostsForEveryP) {
  const Constants c{1.3e-6, 8e-11};
  for (int ranks = 2; ranks <= 300; ++ranks)
    for (double length : kLongestBlocks) {
      SCOPED_TRACE(testing::Message() << "P=" << ranks << " N=" << length);
      const double blocks = (ranks + 1) / 2.0;
      EXPECT_LT(seconds_of("padded_bruck", c, ranks, length), equation_1(c, ranks, length, blocks));
      EXPECT_LT(seconds_of("two_phase_bruck", c, ranks, length),
                equation_2(c, ranks, length, blocks));
    }
}

/// Inequality (3) with P in place of P + 1: padded_bruck wins while (N - 8) P beta < 4 alpha.
TEST(Equations, PaddedGivesWayToTwoPhaseWhereInequality3Says) {
  for (const Constants& c : {Constants{1.3e-6, 8e-11}, Constants{2e-6, 1e-9}, Constants{0, 1}})
    for (int ranks : {2, 16, 256, 4096}) {
      SCOPED_TRACE(testing::Message() << "P=" << ranks << " alpha=" << c.alpha);
      const auto layout = own_nodes(ranks);
      const choice::Choice choices[] = {chosen(kAlltoallv, "padded_bruck", layout),
                                        chosen(kAlltoallv, "two_phase_bruck", layout)};
      const Contest contest{layout, Distribution::uniform, messages_only(c.alpha, c.beta)};
      const auto found = crossovers(choices, contest, {1, 1 << 18});
      ASSERT_EQ(found.size(), 1u);
      EXPECT_EQ(found[0].before, choices[0]);
      EXPECT_EQ(found[0].after, choices[1]);
      const double equal = 8 + 4 * c.alpha / (ranks * c.beta);
      EXPECT_NEAR(static_cast<double>(found[0].block_bytes), equal, 1.01);
      EXPECT_GE(static_cast<double>(found[0].block_bytes), equal);
    }
}

}  // namespace
}  // namespace rondo::model
