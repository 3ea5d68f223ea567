#include "select/choose.hpp"

namespace rondo::select {

namespace {

/// Below this number of ranks a log-time algorithm saves too few messages to pay for its copies.
constexpr int kFewRanks = 8;

/// Blocks up to this many bytes gain from travelling in company.
constexpr std::size_t kSmallBlock = 256;

}  // namespace

std::string_view choose(const Question& question) {
  const int nodes = question.layout.real_nodes();
  if (question.layout.ranks == 1) return "spread_out";
  if (nodes == 1) return "shared_memory";
  return nodes < question.layout.ranks ? "hierarchical" : without_node(question);
}

std::string_view without_node(const Question& question) {
  const bool few_ranks = question.layout.ranks < kFewRanks;
  if (question.collective == registry::Collective::alltoall)
    return few_ranks || question.block_bytes > kSmallBlock ? "mpi" : "tunable_bruck";
  // Once spread_out runs, nobody hears of sizes any more and the decision stays.
  const bool large_blocks = question.largest_seen.value_or(0) > kSmallBlock;
  return few_ranks || large_blocks ? "spread_out" : "fused_bruck";
}

}  // namespace rondo::select
