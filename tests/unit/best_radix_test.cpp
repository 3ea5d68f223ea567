// The best radix: against all radices there are, and at the ends.
#include "model/best_radix.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "model/closed_form.hpp"
#include "prices.hpp"

namespace rondo::model {
namespace {

using choice::Layout;
using choice::Request;

double total_of(const choice::Choice& choice, const Layout& layout, const Load& load,
                const Prices& prices) {
  return predict(choice, layout, load, prices).cost.total();
}

TEST(BestRadix, IsTheCheapestOfAll) {
  for (const Prices& prices : {hockney(typical_cluster()), loggp(typical_cluster())})
    for (const int ranks : {1, 2, 3, 4, 17, 64, 100, 300})
      for (const double bytes : {1.0, 64.0, 400.0, 3000.0, 1e5}) {
        SCOPED_TRACE(testing::Message() << "P=" << ranks << " S=" << bytes);
        const Layout layout = own_nodes(ranks);
        const Load load{bytes};
        double least = std::numeric_limits<double>::infinity();
        for (int radix = 2; radix <= std::max(ranks, 2); ++radix)
          least = std::min(least,
                           total_of(chosen(kAlltoall, text("tunable_bruck:radix=", radix), layout),
                                    layout, load, prices));
        const auto best =
            with_best_radices(choice::parse(kAlltoall, "tunable_bruck"), layout, load, prices);
        EXPECT_NEAR(total_of(best, layout, load, prices), least, 1e-9 * least);
      }
}

/// The layers do not depend on each other, so one after the other finds the best pair.
TEST(BestRadix, OfTwoLayersIsTheCheapestPair) {
  const Layout layout{120, 10, 12};
  const Prices prices = loggp(typical_cluster());
  for (const double bytes : {1.0, 64.0, 400.0, 3000.0, 1e5}) {
    double least = std::numeric_limits<double>::infinity();
    for (int intra = 2; intra <= 12; ++intra)
      for (int inter = 2; inter <= 10; ++inter)
        least = std::min(
            least, total_of(chosen(kAlltoall,
                                   text("two_layer_bruck:intra=", intra, ":inter=", inter), layout),
                            layout, {bytes}, prices));
    const auto best =
        with_best_radices(choice::parse(kAlltoall, "two_layer_bruck"), layout, {bytes}, prices);
    EXPECT_NEAR(total_of(best, layout, {bytes}, prices), least, 1e-9 * least) << "S=" << bytes;
  }
}

/// Sizes and second messages make the cost of fused_bruck no straight line of K and D.
TEST(BestRadix, OfFusedBruckIsNearTheCheapest) {
  const Layout layout = own_nodes(300);
  const Prices prices = loggp(typical_cluster());
  for (const double bytes : {1.0, 64.0, 400.0, 3000.0, 1e5}) {
    const Load load{bytes, Distribution::uniform};
    double least = std::numeric_limits<double>::infinity();
    for (int radix = 2; radix <= 300; ++radix)
      least =
          std::min(least, total_of(chosen(kAlltoallv, text("fused_bruck:radix=", radix), layout),
                                   layout, load, prices));
    const auto best =
        with_best_radices(choice::parse(kAlltoallv, "fused_bruck"), layout, load, prices);
    EXPECT_LE(total_of(best, layout, load, prices), 1.01 * least) << "S=" << bytes;
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

/// From few messages over the TRA paper's square root to few bytes, as blocks grow.
TEST(BestRadix, GrowsWithTheBlocks) {
  const int ranks = 16384;
  const Layout layout = own_nodes(ranks);
  const auto radix = [&](double bytes) {
    const auto best = with_best_radices(choice::parse(kAlltoall, "tunable_bruck:ports=1"), layout,
                                        {bytes}, messages_only(1e-6, 1e-9));
    return best.value(registry::Key::radix, 0);
  };
  EXPECT_EQ(rounds_of_bruck(ranks, radix(0.001)), 14);
  EXPECT_EQ(radix(900), 128);
  EXPECT_EQ(blocks_of_bruck(ranks, radix(1100)), ranks - 1);
}

/// Of 3 ranks radix 2 and 3 have the same rounds and blocks.
TEST(BestRadix, OfEqualsIsTheSmallest) {
  const auto best = with_best_radices(choice::parse(kAlltoall, "tunable_bruck:ports=1"),
                                      own_nodes(3), {10}, messages_only(1, 1));
  EXPECT_EQ(best.value(registry::Key::radix, 0), 2);
}

TEST(BestRadix, KeepsWhatIsGiven) {
  const Layout layout{64, 8, 8};
  const Prices prices = hockney(typical_cluster());
  const auto best =
      with_best_radices(choice::parse(kAlltoall, "two_layer_bruck:intra=5"), layout, {1e6}, prices);
  EXPECT_EQ(best.value(registry::Key::intra_radix, 0), 5);
  EXPECT_EQ(blocks_of_bruck(8, best.value(registry::Key::inter_radix, 0)), 7);
  const auto plain = choice::parse(kAlltoall, "basic_bruck");
  EXPECT_EQ(with_best_radices(plain, layout, {1e6}, prices), choice::resolve(plain, layout));
}

}  // namespace
}  // namespace rondo::model
