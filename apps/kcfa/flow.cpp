#include "kcfa/flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace rondo::kcfa {

namespace {

/// A place and what flows there: a label, a contour of at most two words, and a lambda.
struct Fact {
  Label at = 0;
  std::array<Word, 2> contour{};
  Label lambda = 0;

  friend auto operator<=>(const Fact&, const Fact&) = default;
  bool same_place(const Fact& other) const { return at == other.at && contour == other.contour; }
};
static_assert(contour_words(kMostCalls) <= std::tuple_size_v<decltype(Fact::contour)>);

void sort_uniquely(std::vector<Fact>& facts) {
  std::sort(facts.begin(), facts.end());
  facts.erase(std::unique(facts.begin(), facts.end()), facts.end());
}

/// Transfers the facts in pieces that MPI's int can count.
template <class Move>
void in_pieces(std::vector<Fact>& facts, std::size_t from, Move&& move) {
  constexpr std::size_t kMost = std::size_t{1} << 24;
  for (std::size_t at = from; at < facts.size(); at += kMost) {
    const std::size_t count = std::min(kMost, facts.size() - at);
    support::check_mpi(move(&facts[at], static_cast<int>(count * sizeof(Fact))),
                       "sending the flow");
  }
}

/// Collective. Returns all ranks' facts on rank 0.
std::vector<Fact> gather(const support::Communicator& comm, std::vector<Fact> own) {
  sort_uniquely(own);
  const bool first = comm.rank() == 0;
  std::uint64_t count = own.size();
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(comm.ranks()));
  support::check_mpi(
      MPI_Gather(&count, 1, MPI_UINT64_T, counts.data(), 1, MPI_UINT64_T, 0, comm.get()),
      "MPI_Gather");
  if (!first) {
    in_pieces(own, 0, [&](Fact* facts, int bytes) {
      return MPI_Send(facts, bytes, MPI_BYTE, 0, 0, comm.get());
    });
    return {};
  }
  for (int source = 1; source < comm.ranks(); ++source) {
    const std::size_t before = own.size();
    own.resize(before + counts[static_cast<std::size_t>(source)]);
    in_pieces(own, before, [&](Fact* facts, int bytes) {
      return MPI_Recv(facts, bytes, MPI_BYTE, source, 0, comm.get(), MPI_STATUS_IGNORE);
    });
  }
  sort_uniquely(own);
  return own;
}

/// Collects the facts that an Analysis visits.
class FactList {
 public:
  Analysis::Visit adder() {
    return [this](Label at, std::span<const Word> contour, Label lambda) {
      Fact& fact = facts_.emplace_back(Fact{.at = at, .lambda = lambda});
      std::copy(contour.begin(), contour.end(), fact.contour.begin());
    };
  }
  std::vector<Fact> take() { return std::move(facts_); }

 private:
  std::vector<Fact> facts_;
};

/// The labels of the call sites, by the sites' numbers from 1 on.
std::vector<Label> labels_of_sites(const Term& term) {
  std::vector<Label> labels{0};
  for (Label label = 0; label < term.size(); ++label)
    if (term[label].kind == Kind::application) labels.push_back(label);
  return labels;
}

std::string printed_contour(const Fact& fact, const std::vector<Label>& labels) {
  std::vector<Label> sites;
  for (const Word site : sites_of(fact.contour)) sites.push_back(labels[site]);
  return fmt::format("{}", fmt::join(sites, " "));
}

void add_lines(const char* what, const std::vector<Fact>& facts, const Term& term,
               std::vector<std::string>& lines) {
  const std::vector<Label> labels = labels_of_sites(term);
  for (std::size_t i = 0; i < facts.size(); ++i) {
    const Fact& fact = facts[i];
    if (i == 0 || !fact.same_place(facts[i - 1]))
      lines.push_back(fmt::format("{} {} line {} at [{}]:", what, fact.at, term[fact.at].line,
                                  printed_contour(fact, labels)));
    lines.back() += fmt::format(" {}", fact.lambda);
  }
}

}  // namespace

std::vector<std::string> flow_lines(const support::Communicator& comm, const Analysis& analysis,
                                    const Term& term) {
  FactList bindings;
  analysis.for_each_binding(bindings.adder());
  FactList calls;
  analysis.for_each_call(calls.adder());
  std::vector<std::string> lines;
  add_lines("bind", gather(comm, bindings.take()), term, lines);
  add_lines("call", gather(comm, calls.take()), term, lines);
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace rondo::kcfa
