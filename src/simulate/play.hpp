// The fold that plays the steps of an exchange on the clocks of its ranks.
#pragma once

#include "model/trace.hpp"
#include "simulate/run.hpp"

namespace rondo::simulate {

/// An alltoall of the lengths of all blocks, by the machine's MPI_Alltoall.
void play_lengths(Run& run, const Exchange& exchange, const Machine& machine);

/// To which rank a rank sends in a sparse exchange, and how many bytes.
struct Partner {
  int rank;
  double bytes;
};

/// The partners of `source` in ascending order, a pure function of the exchange's seed. A rank is never its
/// own partner.
std::vector<Partner> partners_of(int source, const Exchange& exchange, const Lengths& lengths);

class Play {
 public:
  Play(Run& run, const Exchange& exchange, const Machine& machine);

  model::Task task() const;
  /// Plays the whole exchange.
  void play();

  // Steps of model/trace.hpp.
  void agree() { double_distances(model::kAgreementBytes); }
  void double_distances(double bytes);
  void learn_lengths() { play_lengths(run_, exchange_, machine_); }
  void arrive(double cells);
  void copy(double blocks, std::uint64_t draw);
  void exchange(const model::Batch& batch);
  void send(model::Sent sent, const model::Straight& straight);
  void send_between(const std::vector<model::NodeMessage>& messages);
  void copy_long_inside();
  void send_to_partners(model::Sent sent, const model::Straight& straight);
  void copy_for_partners(bool arrived);
  void send_between_partners();

 private:
  auto data_of(const model::Batch& batch, std::size_t i) const;
  void copy_rounds(const model::Batch& batch, const model::Copies& copies, bool arrived);
  void send_rounds(const model::Batch& batch);
  int straight_destination(int source, int step) const;

  bool send_part(const std::vector<model::NodeMessage>& messages, bool second);
  void copy_long(int source, int offset);

  void draw_partners();
  bool is_long(double bytes) const { return bytes > short_limit_; }
  double carried_bytes(double block) const;
  double bytes_of(model::Sent sent, double block) const;
  bool send_in_turn(model::Sent sent, const model::Straight& straight);

  /// Calls visit(source, partner), source after source.
  template <class Visit>
  void for_each_partner(Visit&& visit) const {
    for (std::size_t source = 0; source < partners_.size(); ++source)
      for (const Partner& partner : partners_[source]) visit(static_cast<int>(source), partner);
  }

  int node_of(int rank) const { return rank / layout_.per_node; }

  Run& run_;
  const Exchange& exchange_;
  const Machine& machine_;
  const choice::Layout& layout_;
  const registry::Handling& handling_;
  Lengths lengths_;
  double short_limit_;
  Sums sums_;      ///< of short blocks
  bool is_dense_;  ///< most blocks have about as many bytes
  std::vector<std::vector<Partner>> partners_;
};

}  // namespace rondo::simulate
