// The best radix, compared with all radices, and its extremes.
#include "model/contest.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "closed_form.hpp"
#include "prices.hpp"

namespace rondo::model {
namespace {

double total_of(const choice::Choice& choice, const Contest& contest, std::int64_t bytes) {
  return contest.predict(choice, bytes).cost.total();
}

/// The cost of `asked` at its best radices.
double best_total(registry::Collective collective, std::string_view asked, const Contest& contest,
                  std::int64_t bytes) {
  return total_of(with_best_radices(choice::parse(collective, asked), contest, bytes), contest,
                  bytes);
}

/// The least cost with a radix from 2 to `most` after `parameter`.
double cheapest(registry::Collective collective, std::string_view parameter, int most,
                const Contest& contest, std::int64_t bytes) {
  double least = std::numeric_limits<double>::infinity();
  for (int radix = 2; radix <= most; ++radix) {
    const auto one = chosen(collective, text(parameter, radix), contest.layout);
    least = std::min(least, total_of(one, contest, bytes));
  }
  return least;
}

constexpr std::int64_t kLengths[] = {1, 64, 400, 3000, 100000};

TEST(BestRadix, IsTheCheapestOfAll) {
  for (const Prices& prices : {hockney(typical_cluster()), loggp(typical_cluster())})
    for (const int ranks : {1, 2, 3, 4, 17, 64, 100, 300})
      for (const std::int64_t bytes : kLengths) {
        SCOPED_TRACE(testing::Message() << "P=" << ranks << " S=" << bytes);
        const Contest contest{own_nodes(ranks), Distribution::constant, prices};
        const double least =
            cheapest(kAlltoall, "tunable_bruck:radix=", std::max(ranks, 2), contest, bytes);
        EXPECT_NEAR(best_total(kAlltoall, "tunable_bruck", contest, bytes), least, 1e-9 * least);
      }
}

/// The layers are independent, so the best pair is the best radix of each.
TEST(BestRadix, OfTwoLayersIsTheCheapestPair) {
  const Contest contest{{120, 10, 12}, Distribution::constant, loggp(typical_cluster())};
  for (const std::int64_t bytes : kLengths) {
    double least = std::numeric_limits<double>::infinity();
    for (int intra = 2; intra <= 12; ++intra)
      least = std::min(least, cheapest(kAlltoall, text("two_layer_bruck:intra=", intra, ":inter="),
                                       10, contest, bytes));
    EXPECT_NEAR(best_total(kAlltoall, "two_layer_bruck", contest, bytes), least, 1e-9 * least)
        << "S=" << bytes;
  }
}

/// Because of sizes and second messages the cost of fused_bruck is not linear in K and D.
TEST(BestRadix, OfFusedBruckIsNearTheCheapest) {
  const Contest contest{own_nodes(300), Distribution::uniform, loggp(typical_cluster())};
  for (const std::int64_t bytes : kLengths) {
    const double least = cheapest(kAlltoallv, "fused_bruck:radix=", 300, contest, bytes);
    EXPECT_LE(best_total(kAlltoallv, "fused_bruck", contest, bytes), 1.01 * least) << "S=" << bytes;
  }
}

TEST(BestRadix, RadicesToTryHaveAllNumbersOfUpperValues) {
  for (int length = 2; length <= 300; ++length) {
    const auto radices = radices_to_try(length);
    std::size_t at = 0;
    int values = 0;  // of the upper digit, for the radix before
    for (int radix = 2; radix <= length; ++radix) {
      const int now = (length + radix - 1) / radix;
      if (radix * radix >= length && now == values) continue;
      ASSERT_LT(at, radices.size());
      EXPECT_EQ(radices[at++], radix) << "P=" << length;
      values = now;
    }
    EXPECT_EQ(at, radices.size());
  }
}

TEST(BestRadix, RadicesToTryAreAscendingAndReachBothEnds) {
  for (int length = 1; length <= 1000; ++length) {
    const auto radices = radices_to_try(length);
    EXPECT_EQ(std::ranges::adjacent_find(radices, std::ranges::greater_equal{}), radices.end());
    EXPECT_EQ(radices.front(), 2);
    EXPECT_EQ(radices.back(), std::max(length, 2));
  }
  EXPECT_LE(radices_to_try(16384).size(), 400u);
}

std::int64_t best_radix(const Contest& contest, std::int64_t bytes) {
  return with_best_radices(choice::parse(kAlltoall, "tunable_bruck:ports=1"), contest, bytes)
      .value(registry::Key::radix, 0);
}

/// As blocks grow, from few messages, through the TRA paper's square root, to few bytes.
TEST(BestRadix, GrowsWithTheBlocks) {
  const int ranks = 16384;
  const Contest contest{own_nodes(ranks), Distribution::constant, messages_only(1e-6, 1e-9)};
  EXPECT_EQ(rounds_of_bruck(ranks, best_radix(contest, 0)), 14);
  EXPECT_EQ(best_radix(contest, 900), 128);
  EXPECT_EQ(blocks_of_bruck(ranks, best_radix(contest, 1100)), ranks - 1);
}

/// On 3 ranks radix 2 and 3 have the same rounds and blocks.
TEST(BestRadix, OfEqualsIsTheSmallest) {
  const Contest contest{own_nodes(3), Distribution::constant, messages_only(1, 1)};
  EXPECT_EQ(best_radix(contest, 10), 2);
}

TEST(BestRadix, KeepsWhatIsGiven) {
  const Contest contest{{64, 8, 8}, Distribution::constant, hockney(typical_cluster())};
  const auto best =
      with_best_radices(choice::parse(kAlltoall, "two_layer_bruck:intra=5"), contest, 1000000);
  EXPECT_EQ(best.value(registry::Key::intra_radix, 0), 5);
  EXPECT_EQ(blocks_of_bruck(8, best.value(registry::Key::inter_radix, 0)), 7);
  const auto plain = choice::parse(kAlltoall, "basic_bruck");
  EXPECT_EQ(with_best_radices(plain, contest, 1000000), choice::resolve(plain, contest.layout));
}

}  // namespace
}  // namespace rondo::model
