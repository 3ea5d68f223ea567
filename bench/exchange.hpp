// The exchange that all algorithms perform in turn: buffers, counts and types of this rank.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <map>
#include <rondo/rondo.hpp>
#include <string>
#include <vector>

#include "contender.hpp"
#include "distribution.hpp"
#include "guarded_buffer.hpp"
#include "neighborhood.hpp"

namespace rondo::bench {

/// This rank's view: the rank and how many there are.
struct Self {
  int rank = 0;
  int ranks = 1;
};

/// What an exchange did wrong, first of all, on one rank.
struct Mistake {
  int iteration = 0;
  bool is_sent = false;  ///< in the send buffer, which nobody may write
  WrongByte byte{};
};

/// Contiguous types of 1, 2, 4 and 8 bytes, so that alltoallw has different types to handle. All have
/// the signature of as many MPI_BYTE, so the two ends of a block may use different ones.
class ByteTypes {
 public:
  ByteTypes();
  ~ByteTypes();
  ByteTypes(const ByteTypes&) = delete;
  ByteTypes& operator=(const ByteTypes&) = delete;

  struct Choice {
    MPI_Datatype type;
    std::size_t bytes;
  };

  /// Returns the type that `variety` selects if its length divides `block_bytes`, else MPI_BYTE.
  Choice choose(std::size_t block_bytes, int variety) const;

 private:
  std::array<MPI_Datatype, 4> types_;  // of 2^index bytes
};

class Exchange {
 public:
  /// How many draws of block lengths take turns.
  static constexpr int kDraws = 128;

  /// With `gaps`, blocks of alltoallv and alltoallw do not touch, and start at any alignment. Throws
  /// Error if, in any draw, a buffer does not fit into memory or its displacements into an int.
  Exchange(Call call, Self self, const BlockLengths& lengths, std::uint64_t seed, bool gaps);

  /// For a neighbourhood exchange: the edges of all contenders' communicators.
  void connect(const Edges& edges);

  /// Sets the block lengths of this iteration. The bytes in the buffers stay as they are.
  void draw(int iteration);

  /// Writes what this rank sends in this iteration, and poison around it.
  void fill(int iteration);
  void poison_receive_buffer() { receive_.poison(); }

  /// Collective. Makes a plan for the contender, which run() then executes. From then on the block
  /// lengths stay those of the last draw.
  void make_plan(const Contender& contender);
  /// The values of all parameters of what the contender ran.
  std::string parameters(const Contender& contender) const;

  /// What is timed: one call of the contender's exchange, or one execution of its plan. A nonblocking
  /// exchange is completed at once.
  void run(const Contender& contender);

  /// The same in parts, for nonblocking exchanges: one is completed before the next is started.
  void start(const Contender& contender);
  /// Returns whether it is over.
  bool test(const Contender& contender);
  void wait(const Contender& contender);

  /// Counts the bytes of both buffers that are wrong after the exchange.
  std::uint64_t wrong_bytes(int iteration) const;
  /// The first of them, which must be there; of the receive buffer if there is one.
  Mistake first_mistake(int iteration) const;

  std::size_t sent_bytes() const { return sent_bytes_; }

 private:
  /// The arguments of one side, as MPI spells them.
  struct Arguments {
    std::vector<int> counts;
    std::vector<int> displs;
    std::vector<MPI_Datatype> types;
    std::vector<MPI_Aint> addresses{};  ///< the displacements, for neighbor_alltoallw
  };

  /// What a call passes for both sides.
  template <class Displacement>
  struct Sides {
    int bytes;  ///< of each block, where all have one length
    const Arguments& to;
    const Arguments& from;
    std::vector<Displacement> Arguments::*displs;  ///< those of the w form
  };

  void arrange(int draw);
  void call(const Contender& contender);
  void name_destinations();
  void run_dynamic(const Contender& contender);
  void run_sparse(const Contender& contender);
  void run_sparse_by_counts(const Contender& contender);
  void run_on_edges(const Contender& contender);
  int edge_count() const;
  BlockName sent_block(int iteration, int destination) const;
  BlockName received_block(int iteration, int source) const;
  void run_by_hand(const Contender& contender);

  /// Call one of three functions with the arguments of both sides, and then `last`.
  template <class Functions, class... Last>
  int among_all(const Functions& functions, Last... last);
  template <class Functions, class... Last>
  int along_edges(const Functions& functions, Last... last);
  template <class Functions, class Displacement, class... Last>
  int pass(const Functions& functions, const Sides<Displacement>& sides, Last... last);

  Arguments arguments_of(const std::vector<std::size_t>& lengths, const GuardedBuffer& buffer,
                         int type_shift) const;

  Call call_;  ///< the blocking one
  bool is_started_;
  Self self_;
  std::uint64_t seed_;
  BlockLengths lengths_;
  int draw_ = 0;
  std::size_t sent_bytes_ = 0;
  GuardedBuffer send_;
  GuardedBuffer receive_;
  ByteTypes types_;
  Arguments sending_;
  Arguments receiving_;
  Arguments found_;  ///< by a dynamic exchange; no types
  std::map<const Contender*, Plan> plans_;
  Arguments named_;  ///< of the destinations alone, in an exchange with few
  Arguments named_sources_;
  Edges edges_;
  std::vector<int> destinations_;
  std::vector<MPI_Request> requests_;
  MPI_Request mpi_request_ = MPI_REQUEST_NULL;  ///< of the nonblocking exchange
  Rondo_Request request_ = RONDO_REQUEST_NULL;
};

template <class Functions, class Displacement, class... Last>
int Exchange::pass(const Functions& functions, const Sides<Displacement>& sides, Last... last) {
  const auto& [bytes, to, from, displs] = sides;
  switch (call_) {
    case Call::alltoall:
    case Call::neighbor_alltoall:
      return functions.alltoall(send_.data(), bytes, MPI_BYTE, receive_.data(), bytes, MPI_BYTE,
                                last...);
    case Call::alltoallv:
    case Call::neighbor_alltoallv:
      return functions.alltoallv(send_.data(), to.counts.data(), to.displs.data(), MPI_BYTE,
                                 receive_.data(), from.counts.data(), from.displs.data(), MPI_BYTE,
                                 last...);
    default:
      return functions.alltoallw(send_.data(), to.counts.data(), (to.*displs).data(),
                                 to.types.data(), receive_.data(), from.counts.data(),
                                 (from.*displs).data(), from.types.data(), last...);
  }
}

template <class Functions, class... Last>
int Exchange::among_all(const Functions& functions, Last... last) {
  const auto bytes = static_cast<int>(send_.block_bytes(0));
  const Sides<int> sides{bytes, sending_, receiving_, &Arguments::displs};
  return pass(functions, sides, last...);
}

template <class Functions, class... Last>
int Exchange::along_edges(const Functions& functions, Last... last) {
  const Sides<MPI_Aint> sides{edge_count(), named_, named_sources_, &Arguments::addresses};
  return pass(functions, sides, last...);
}

}  // namespace rondo::bench
