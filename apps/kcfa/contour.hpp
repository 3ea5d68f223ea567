// Contours and environments as words of a tuple.
//
// A contour is the last k call sites, the newest first; it has fewer at the beginning. Sites are
// numbered from 1 in 16 bits, 0 stands for none, and four sites share a word. So contours take no
// column for k = 0, one up to k = 4, and two up to k = 8.
//
// An environment maps all variables around an expression to contours. Its name is a hash of the
// outer environment, its innermost variable and that variable's contour, so that every rank
// computes the same name without communication. If two environments had the same name, the analysis
// would be wrong. Analysis::run() detects that.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/mix.hpp"
#include "relalg/rule.hpp"

namespace rondo::kcfa {

using relalg::Word;

inline constexpr int kMostCalls = 8;
inline constexpr std::size_t kMostSites = 65'535;  ///< of one program, unless k is 0

inline constexpr unsigned kSiteBits = 16;
inline constexpr std::size_t kSitesPerWord = 64 / kSiteBits;

/// The environment without variables.
inline constexpr Word kEmptyEnvironment = 0;

constexpr std::size_t contour_words(int k) {
  return (static_cast<std::size_t>(k) + kSitesPerWord - 1) / kSitesPerWord;
}

/// Computes the contour in which a body called from `site` in contour `from` is evaluated: `to`
/// gets the site and the first k - 1 sites of `from`. Both have contour_words(k) words.
inline void push_site(int k, Word site, std::span<const Word> from, std::span<Word> to) {
  Word carried = site;
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i] = from[i] << kSiteBits | carried;
    carried = from[i] >> (64 - kSiteBits);
  }
  const auto in_last = static_cast<unsigned>(k) % kSitesPerWord;
  if (in_last != 0) to.back() &= (Word{1} << (in_last * kSiteBits)) - 1;
}

/// The call sites of a contour, newest first.
inline std::vector<Word> sites_of(std::span<const Word> contour) {
  std::vector<Word> sites;
  for (Word word : contour)
    for (; word != 0; word >>= kSiteBits) sites.push_back(word & ((Word{1} << kSiteBits) - 1));
  return sites;
}

/// The name of the environment `outer` extended by the parameter of `lambda`.
inline Word environment(Word outer, Word lambda, std::span<const Word> contour) {
  Word name = mix(outer + kGoldenGamma);
  name = mix(name * 3 + lambda + kGoldenGamma);
  for (const Word word : contour) name = mix(name * 3 + word + kGoldenGamma);
  return name;
}

}  // namespace rondo::kcfa
