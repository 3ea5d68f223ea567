#include <bit>

#include "simulate/partners.hpp"
#include "simulate/run.hpp"

namespace rondo::simulate {

namespace {

using registry::Census;

constexpr double kSizeBytes = 8;     ///< of a length, or of a counter
constexpr double kStatusBytes = 16;  ///< of a message of a consensus

/// Messages to partners that are drawn for each rank, so that all ranks are simulated.
class ToPartners {
 public:
  ToPartners(Run& run, const Exchange& exchange, const Machine& machine)
      : run_(run), exchange_(exchange), machine_(machine), layout_(exchange.layout) {
    const Lengths lengths(exchange.load.distribution, exchange.load.block_bytes, layout_.ranks);
    for (int source = 0; source < layout_.ranks; ++source) {
      partners_.push_back(partners_of(source, exchange, lengths));
      most_ = std::max(most_, partners_.back().size());
    }
  }

  void exchange() {
    const Census census = exchange_.choice.algorithm->handling.census;
    if (census == Census::none || census == Census::lengths) {
      if (census == Census::lengths) run_lengths(run_, exchange_, machine_);
      return send_all([](double bytes) { return bytes; });
    }
    if (census == Census::reduction) reduce();
    if (census == Census::one_sided) {
      send_all([](double) { return kSizeBytes; });
      run_doubling(run_, layout_, kStatusBytes);
    }
    send_first();
    if (census == Census::consensus) {
      answer();
      run_doubling(run_, layout_, kStatusBytes);
    }
    copy_short();
    send_all([this](double bytes) { return is_long(bytes) ? bytes : -1; });
  }

 private:
  bool is_long(double bytes) const {
    return bytes > static_cast<double>(exchange_.choice.threshold());
  }

  double first_bytes(double bytes) const { return kSizeBytes + (is_long(bytes) ? 0 : bytes); }

  /// Half of the counters that are left in each round.
  void reduce() {
    const double rounds = std::bit_width(static_cast<unsigned>(layout_.ranks - 1));
    if (rounds > 0) run_doubling(run_, layout_, kSizeBytes * layout_.ranks / rounds);
  }

  /// Short blocks are copied behind their lengths.
  void send_first() {
    copy_short();
    send_all([this](double bytes) { return first_bytes(bytes); });
  }

  void copy_short() {
    for (int rank = 0; rank < layout_.ranks; ++rank) {
      double bytes = 0;
      for (const Partner& partner : partners(rank))
        bytes += is_long(partner.bytes) ? 0 : partner.bytes;
      run_.now()[static_cast<std::size_t>(rank)] +=
          run_.copy_seconds(static_cast<double>(partners(rank).size()), bytes);
    }
  }

  /// A synchronous send is complete when its receiver has answered.
  void answer() {
    run_.begin();
    for (int rank = 0; rank < layout_.ranks; ++rank)
      for (const Partner& partner : partners(rank)) run_.send(way(partner.rank, rank), 0, 1);
    run_.wait();
  }

  /// Ranks send in turn. There is no message where length_of() is below 0.
  template <class LengthOf>
  void send_all(LengthOf&& length_of) {
    run_.begin();
    bool is_any = false;
    for (std::size_t i = 0; i < most_; ++i)
      for (int rank = 0; rank < layout_.ranks; ++rank) {
        if (i >= partners(rank).size()) continue;
        const Partner& partner = partners(rank)[i];
        const double bytes = length_of(partner.bytes);
        if (bytes < 0) continue;
        run_.send(way(rank, partner.rank), bytes, partners(rank).size() - i);
        is_any = true;
      }
    if (is_any) run_.wait();
  }

  Way way(int source, int destination) const {
    return {source, destination, source / layout_.per_node != destination / layout_.per_node};
  }

  const std::vector<Partner>& partners(int rank) const {
    return partners_[static_cast<std::size_t>(rank)];
  }

  Run& run_;
  const Exchange& exchange_;
  const Machine& machine_;
  const choice::Layout& layout_;
  std::vector<std::vector<Partner>> partners_;
  std::size_t most_ = 0;
};

}  // namespace

void run_to_partners(Run& run, const Exchange& exchange, const Machine& machine) {
  ToPartners(run, exchange, machine).exchange();
}

}  // namespace rondo::simulate
