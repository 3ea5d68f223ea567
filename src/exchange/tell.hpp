// How an algorithm whose registry row says `told` begins and ends: with what is wrong at this rank,
// and with what was heard of all.
#pragma once

#include "base/news.hpp"
#include "exchange/context.hpp"

namespace rondo::exchange {

/// What this rank has to tell before it looks at its blocks; `failure` may be null.
News first_news(const Context& context, const Error* failure);

/// Keep the error that every rank returns if one failed, or else what was told of lengths. True if
/// one failed.
bool tell(Call& call, const Error* failure, const News& news);

}  // namespace rondo::exchange
