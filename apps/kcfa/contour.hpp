// Contours and environments as words of a tuple.
//
// A contour is the last k call sites that led somewhere, the newest first; fewer at the beginning.
// Sites are numbered from 1, 16 bits each, 0 standing for none, four to a word: so contours take no
// column at all for k = 0, one to k = 4, two to k = 8.
//
// An environment maps all variables around an expression to contours. It is named by a hash of the
// environment around it, its innermost variable and that one's contour, so that every rank finds the
// same name for the same environment without asking. Two environments of one name would be an
// error of the analysis; Analysis::check() finds it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/mix.hpp"
#include "relalg/rule.hpp"

namespace rondo::kcfa {

using relalg::Word;

inline constexpr int kMostCalls = 8;
inline constexpr std::size_t kMostSites = 65'535;  ///< of one program, if k is not 0

inline constexpr unsigned kSiteBits = 16;
inline constexpr std::size_t kSitesPerWord = 64 / kSiteBits;

/// The environment that has no variable.
inline constexpr Word kEmptyEnvironment = 0;

constexpr std::size_t contour_words(int k) {
  return (static_cast<std::size_t>(k) + kSitesPerWord - 1) / kSitesPerWord;
}

/// Where a body called from `site` in contour `from` is evaluated: `to` gets the site and the first
/// k - 1 of `from`. Both have contour_words(k) words.
inline void push_site(int k, Word site, std::span<const Word> from, std::span<Word> to) {
  Word carried = site;
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i] = from[i] << kSiteBits | carried;
    carried = from[i] >> (64 - kSiteBits);
  }
  const auto in_last = static_cast<unsigned>(k) % kSitesPerWord;
  if (in_last != 0) to.back() &= (Word{1} << (in_last * kSiteBits)) - 1;
}

/// Its call sites, newest first.
inline std::vector<Word> sites_of(std::span<const Word> contour) {
  std::vector<Word> sites;
  for (Word word : contour)
    for (; word != 0; word >>= kSiteBits) sites.push_back(word & ((Word{1} << kSiteBits) - 1));
  return sites;
}

/// The name of the environment `outer` with one more variable, the parameter of `lambda`.
inline Word environment(Word outer, Word lambda, std::span<const Word> contour) {
  Word name = mix(outer + kGoldenGamma);
  name = mix(name * 3 + lambda + kGoldenGamma);
  for (const Word word : contour) name = mix(name * 3 + word + kGoldenGamma);
  return name;
}

}  // namespace rondo::kcfa
