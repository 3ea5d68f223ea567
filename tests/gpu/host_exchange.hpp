// The exchange between hosts for mpi_staged, between threads.
#pragma once

#include <barrier>
#include <cstring>
#include <vector>

#include "rondo/rondo_nccl.h"

namespace rondo::testing {

class HostExchange {
 public:
  explicit HostExchange(int ranks) : barrier_(ranks) {
    for (int rank = 0; rank < ranks; ++rank) states_.push_back({this, rank, {}});
  }

  Rondo_nccl_host of(int rank) {
    return {&states_[static_cast<std::size_t>(rank)], alltoall, alltoallv};
  }

 private:
  struct Published {
    const char* send;
    const std::size_t* bytes;
    const std::size_t* offsets;
  };
  struct State {
    HostExchange* exchange;
    int rank;
    Published published;
  };

  static int alltoall(void* state, const char* algorithm, const void* send, void* receive,
                      std::size_t bytes) {
    const std::size_t ranks = static_cast<State*>(state)->exchange->states_.size();
    std::vector<std::size_t> lengths(ranks, bytes);
    std::vector<std::size_t> offsets(ranks);
    for (std::size_t rank = 0; rank < ranks; ++rank) offsets[rank] = rank * bytes;
    return alltoallv(state, algorithm, send, lengths.data(), offsets.data(), receive,
                     lengths.data(), offsets.data());
  }

  static int alltoallv(void* state, const char*, const void* send, const std::size_t* send_bytes,
                       const std::size_t* send_offsets, void* receive,
                       const std::size_t* receive_bytes, const std::size_t* receive_offsets) {
    State& own = *static_cast<State*>(state);
    HostExchange& all = *own.exchange;
    const auto rank = static_cast<std::size_t>(own.rank);
    own.published = {static_cast<const char*>(send), send_bytes, send_offsets};
    all.barrier_.arrive_and_wait();
    bool fits = true;
    for (std::size_t source = 0; source < all.states_.size(); ++source) {
      const Published& from = all.states_[source].published;
      fits = fits && from.bytes[rank] == receive_bytes[source];
      if (fits)
        std::memcpy(static_cast<char*>(receive) + receive_offsets[source],
                    from.send + from.offsets[rank], from.bytes[rank]);
    }
    all.barrier_.arrive_and_wait();
    return fits ? 0 : 1;
  }

  std::barrier<> barrier_;
  std::vector<State> states_;
};

}  // namespace rondo::testing
