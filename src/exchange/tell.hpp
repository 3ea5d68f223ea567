// How an algorithm whose registry row says `told` begins and ends: with what is wrong at this rank,
// and with what was heard of all.
//
// Two kinds of error, and who knows them:
//
// A *failure* (a rank cannot take part) is in the news that every rank or node sends with its data.
// All ranks hear the news of all ranks in the same exchange: in a node from the cells, of which each
// rank waits for every one; between nodes with inter=direct from the headers, since every node sends
// to every other one; with Bruck rounds since the block from any rank or node to any other is carried
// by messages that pass on the news of all whom it came from. So all ranks leave out the same steps
// after a failure (long blocks, copies), and nobody waits for somebody who left them out.
//
// A *mismatch* (a block of another length than its receiver expects) is seen where it arrives, when
// there is no further message of the exchange to tell others. So nothing may depend on it: no step is
// left out because of it, nothing that a later exchange goes by is kept from it, and it is not in the
// news. What a rank must know to receive all that is sent to it, it therefore takes from its senders
// and not from its own expectation: the lengths of short blocks or their total, and which long blocks
// come. What `auto` goes by is news, so it is the same on all ranks after a mismatch too.
#pragma once

#include "base/news.hpp"
#include "exchange/context.hpp"

namespace rondo::exchange {

/// What this rank has to tell before it looks at its blocks; `failure` may be null.
News first_news(const Context& context, const Error* failure);

/// Keep the error that every rank returns if one failed, or else what was told of lengths. True if
/// one failed. `news` must be those of all ranks.
bool tell(Call& call, const Error* failure, const News& news);

}  // namespace rondo::exchange
