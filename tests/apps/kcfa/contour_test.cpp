// Contours in words, compared with lists, and the names of environments.
#include <gtest/gtest.h>

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "kcfa/contour.hpp"

namespace rondo::kcfa {
namespace {

TEST(Contour, IsTheLastCallSites) {
  for (int k = 0; k <= kMostCalls; ++k) {
    std::vector<Word> words(contour_words(k));
    std::vector<Word> sites;
    for (Word i = 1; i <= 20; ++i) {
      const Word site = i % 3 == 0 ? kMostSites : i * 97;
      std::vector<Word> next(words.size());
      push_site(k, site, words, next);
      words = next;
      sites.insert(sites.begin(), site);
      sites.resize(std::min(sites.size(), static_cast<std::size_t>(k)));
      EXPECT_EQ(sites_of(words), sites) << "k = " << k << ", after " << i;
    }
  }
}

TEST(Environment, NamesDiffer) {
  std::unordered_set<Word> names{kEmptyEnvironment};
  std::size_t environments = 1;
  for (Word outer = 0; outer < 20; ++outer)
    for (Word lambda = 0; lambda < 20; ++lambda)
      for (Word first = 0; first < 20; ++first)
        for (const std::vector<Word>& contour :
             {std::vector<Word>{first}, std::vector<Word>{first, 0}, std::vector<Word>{0, first}}) {
          if (contour.size() == 2 && contour[0] == 0 && first == 0) continue;
          names.insert(environment(outer, lambda, contour));
          ++environments;
        }
  EXPECT_EQ(names.size(), environments);
}

}  // namespace
}  // namespace rondo::kcfa
