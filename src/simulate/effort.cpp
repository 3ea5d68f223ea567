// The fold that counts the visits of the steps of an exchange, and plays none.
#include "simulate/effort.hpp"

#include <algorithm>

namespace rondo::simulate {

namespace {

class Count {
 public:
  Count(const Stage& stage, const Exchange& exchange, const Machine& machine)
      : stage_(stage), exchange_(exchange), machine_(machine) {}

  double visits() const { return visits_; }

  // Steps of model/trace.hpp.
  void agree() { double_distances(model::kAgreementBytes); }
  void double_distances(double) {
    add(schedule::two_layer(layout().nodes, layout().per_node, 2, 2).rounds().size());
  }
  void learn_lengths();
  void arrive(double) {}
  void copy(double, std::uint64_t) {}
  void exchange(const model::Batch& batch) {
    add(batch.rounds.size());
    for (const model::Copies& copies : {batch.packing(), batch.unpacking()})
      if (copies.any()) add(batch.rounds.size());
    if (sends_sizes_first(batch)) add(batch.rounds.size());
  }
  void send(model::Sent sent, const model::Straight&) {
    if (sent != model::Sent::rest || has_long_) add(static_cast<std::size_t>(layout().ranks));
  }
  void send_between(const std::vector<model::NodeMessage>& messages) {
    visits_ += static_cast<double>(messages.size()) * stage_.nodes();
  }
  void copy_long_inside() {}
  void send_to_partners(model::Sent sent, const model::Straight&) {
    if (sent != model::Sent::answer) visits_ += partners() * layout().ranks;
  }
  void copy_for_partners(bool) {}
  void send_between_partners() {}

  void trace(const model::Task& task) {
    has_long_ = task.has_long;
    model::trace(task, *this);
  }

 private:
  const choice::Layout& layout() const { return exchange_.layout; }
  static bool sends_sizes_first(const model::Batch& batch) {
    for (std::size_t i = 0; i < batch.rounds.size(); ++i)
      if (batch.message(i).is_split()) return true;
    return false;
  }
  void add(std::size_t rounds) { visits_ += static_cast<double>(rounds) * stage_.simulated; }
  double partners() const {
    const Distribution& distribution = exchange_.load.distribution;
    const double others = layout().ranks - 1;
    return distribution.kind == Distribution::Kind::sparse ? std::min(distribution.value, others)
                                                           : others;
  }

  const Stage& stage_;
  const Exchange& exchange_;
  const Machine& machine_;
  bool has_long_ = false;
  double visits_ = 0;
};

double count_trace(const Exchange& exchange, const Machine& machine, const Stage& stage) {
  Run run(exchange, machine);
  Count count(stage, exchange, machine);
  count.trace(Play(run, exchange, machine).task());
  return count.visits();
}

void Count::learn_lengths() {
  visits_ += count_trace(lengths_of(exchange_, machine_), machine_, stage_);
}

}  // namespace

double count_visits(const Exchange& exchange, const Machine& machine) {
  const Stage stage = stage_of(exchange, machine);
  double visits = count_trace(exchange, machine, stage);
  if (begins_with_lengths(exchange))
    visits += count_trace(lengths_of(exchange, machine), machine, stage);
  return visits;
}

}  // namespace rondo::simulate
