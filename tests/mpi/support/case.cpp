#include "support/case.hpp"

#include <cstring>

#include "support/image.hpp"
#include "support/side.hpp"

namespace rondo::testing {

namespace {

struct Peers {
  int rank = 0;
  int ranks = 0;
};

Peers peers_of(MPI_Comm comm) {
  Peers peers;
  must(MPI_Comm_rank(comm, &peers.rank));
  must(MPI_Comm_size(comm, &peers.ranks));
  return peers;
}

const TypeRow& types_of(const Case& which, Pair pair) {
  if (which.types != nullptr) return *which.types;
  const auto rows = type_rows();
  std::uint64_t pick = hash(which.seed, 0x77, pair.source, pair.destination) % rows.size();
  while (rows[pick].absolute) pick = (pick + 1) % rows.size();
  return rows[pick];
}

/// What `pair.source` sends, and what `pair.destination` expects of it.
struct Agreed {
  Placed sent;
  Placed received;
};

Agreed agree(const Case& which, Pair pair) {
  if (which.is_in_place) pair = lower_first(pair);
  const TypeRow& types = types_of(which, pair);
  const std::size_t unit = types.unit_bytes();
  const std::size_t units = ((*which.distribution)(pair, which.seed) + unit - 1) / unit;
  const auto count = [&](const ElementType& type) {
    const std::size_t per_unit = type.runs.empty() ? 1 : unit / type.size();
    return static_cast<int>(units * per_unit);
  };
  const ElementType& sent = which.is_in_place ? *types.receive : *types.send;
  return {{&sent, count(sent)}, {types.receive, count(*types.receive)}};
}

class Trial {
 public:
  Trial(const Case& which, MPI_Comm comm, Row& row)
      : which_(which), comm_(comm), row_(row), peers_(peers_of(comm)) {
    std::vector<Placed> sent;
    std::vector<Placed> received;
    for (int peer = 0; peer < peers_.ranks; ++peer) {
      sent.push_back(agree(which, {peers_.rank, peer, peers_.ranks}).sent);
      received.push_back(agree(which, {peer, peers_.rank, peers_.ranks}).received);
    }
    const auto random = [&](int side) { return Random(hash(which.seed, peers_.rank, side)); };
    send_ = lay_out(which.collective, sent, random(0));
    receive_ = lay_out(which.collective, received, random(1));
    if (which.is_in_place) send_ = receive_;
  }

  void direct() {
    const Image sent(send_, which_.send_home);
    const Image received(receive_, which_.receive_home);
    const Side send(which_.collective, send_, place_of(sent));
    const Side receive(which_.collective, receive_, place_of(received));
    const auto call = which_.form == Form::large ? exchange_large : exchange;
    observe({0, "the call"}, sent, received, [&] {
      return call(which_.collective, which_.is_in_place ? in_place() : send.arguments(),
                  receive.arguments(), comm_);
    });
  }

  void plan() {
    const Image sent[] = {Image(send_, which_.send_home), Image(send_, which_.send_home)};
    const Image received[] = {Image(receive_, which_.receive_home),
                              Image(receive_, which_.receive_home)};
    Rondo_Plan plan = RONDO_PLAN_NULL;
    const Arguments send = make_plan_on(sent[0], received[0], &plan);
    if (plan == RONDO_PLAN_NULL) return;
    // Absolute addresses are part of the type: those plans stay with their buffers.
    const bool is_absolute = send.buffer == MPI_BOTTOM;
    for (int iteration = 0; iteration < 3; ++iteration) {
      const int pick = is_absolute ? 0 : iteration % 2;
      void* from = is_absolute ? MPI_BOTTOM : sent[pick].passed();
      void* to = is_absolute ? MPI_BOTTOM : received[pick].passed();
      observe({iteration, "Rondo_Execute"}, sent[pick], received[pick],
              [&] { return execute(plan, which_.is_in_place ? MPI_IN_PLACE : from, to); });
    }
    row_.expect_success(Rondo_Plan_free(&plan), "Rondo_Plan_free");
    row_.expect(plan == RONDO_PLAN_NULL, "Rondo_Plan_free left the plan");
  }

 private:
  struct Step {
    int iteration;
    const char* what;
  };

  Place place_of(const Image& image) const {
    return {image.passed(), which_.types != nullptr && which_.types->absolute};
  }

  Arguments make_plan_on(const Image& sent, const Image& received, Rondo_Plan* plan) {
    Side send(which_.collective, send_, place_of(sent));
    Side receive(which_.collective, receive_, place_of(received));
    const Arguments from = send.arguments();
    const int code = make_plan(which_.collective, which_.is_in_place ? in_place() : from,
                               receive.arguments(), comm_, MPI_INFO_NULL, plan);
    row_.expect_success(code, "making the plan");
    send.invalidate();
    receive.invalidate();
    return from;
  }

  template <class Call>
  void observe(Step step, const Image& sent, const Image& received, Call&& call) {
    const Pattern pattern(which_.seed, step.iteration);
    const auto poison = which_.prefill.value_or(
        static_cast<std::byte>(hash(which_.seed, step.iteration, peers_.rank)));
    sent.pages().make_writable();
    sent.fill(~poison);
    received.fill(poison);
    write_sent(which_.is_in_place ? received : sent, pattern);
    sent.pages().make_read_only();
    const int code = call();
    row_.expect_success(code, step.what);
    if (code != MPI_SUCCESS) return;
    const Image expected(receive_);
    expected.fill(poison);
    if (which_.is_in_place) write_sent(expected, pattern);
    write_expected(expected, pattern);
    compare(step, received, expected);
  }

  void write_sent(const Image& image, const Pattern& pattern) const {
    for (int peer = 0; peer < peers_.ranks; ++peer) {
      const Placed& block = send_.blocks[static_cast<std::size_t>(peer)];
      const Sending sending{which_.collective, peers_.rank, peer, block};
      for_each_run(block, [&](std::ptrdiff_t offset, std::size_t bytes) {
        pattern.write(&image.at(block.origin + offset), bytes, sending, offset);
      });
    }
  }

  /// The definition: byte k of a block goes where the receiver's type map puts byte k.
  void write_expected(const Image& image, const Pattern& pattern) const {
    std::vector<std::byte> block;
    for (int peer = 0; peer < peers_.ranks; ++peer) {
      const Placed sent = agree(which_, {peer, peers_.rank, peers_.ranks}).sent;
      const Sending sending{which_.collective, peer, peers_.rank, sent};
      block.resize(static_cast<std::size_t>(sent.count) * sent.type->size());
      std::byte* end = block.data();
      for_each_run(sent, [&](std::ptrdiff_t offset, std::size_t bytes) {
        pattern.write(end, bytes, sending, offset);
        end += bytes;
      });
      const Placed& received = receive_.blocks[static_cast<std::size_t>(peer)];
      const std::byte* next = block.data();
      for_each_run(received, [&](std::ptrdiff_t offset, std::size_t bytes) {
        std::memcpy(&image.at(received.origin + offset), next, bytes);
        next += bytes;
      });
    }
  }

  void compare(Step step, const Image& received, const Image& expected) {
    const std::ptrdiff_t wrong = received.first_difference(expected);
    if (wrong == Image::none) return;
    row_.expect(false, step.what, " ", step.iteration, ": wrong byte at ", wrong, " (",
                locate(receive_, wrong), "): ", std::to_integer<int>(received.at(wrong)),
                " instead of ", std::to_integer<int>(expected.at(wrong)));
  }

  const Case& which_;
  MPI_Comm comm_;
  Row& row_;
  Peers peers_;
  Layout send_;
  Layout receive_;
};

}  // namespace

std::string Case::name() const {
  return rondo::text(name_of(collective), " ", algorithm, ", ", distribution->name, ", ",
                     types == nullptr ? "mixed types" : types->name,
                     is_in_place ? ", in place, " : ", ", name_of(form));
}

bool is_legal(const Case& which) {
  return which.types != nullptr || which.collective == Collective::alltoallw;
}

void run_case(const Case& which, MPI_Comm comm, Row& row) {
  if (which.set_algorithm) set_algorithm(comm, which.collective, which.algorithm, row);
  Trial trial(which, comm, row);
  if (which.form == Form::plan)
    trial.plan();
  else
    trial.direct();
}

}  // namespace rondo::testing
