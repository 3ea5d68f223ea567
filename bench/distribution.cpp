#include "distribution.hpp"

#include <algorithm>
#include <cmath>

#include "random.hpp"
#include "support/text.hpp"

namespace rondo::bench {

namespace {

using Kind = Distribution::Kind;
using Drawn = simulate::Distribution::Kind;

constexpr simulate::Distribution::Wording kWording{
    "--distribution: ",
    ", few:K, stencil:POINTS, open_stencil:POINTS, matrix:FILE or market:FILE, and :same after the "
    "values of sparse, few and the stencils"};

struct Form {
  std::string_view name;
  Kind kind;
};

/// Each with a value.
constexpr Form kOtherForms[] = {{"few", Kind::few},
                                {"stencil", Kind::stencil},
                                {"open_stencil", Kind::stencil},
                                {"matrix", Kind::matrix},
                                {"market", Kind::market}};

[[noreturn]] void refuse_form(std::string_view text, std::string_view reason) {
  simulate::Distribution::refuse(text, reason, kWording);
}

bool may_be_same(const Distribution& distribution) {
  return distribution.has_edges() && !distribution.has_file();
}

/// Without ":same" at its end.
Distribution parse_plain(std::string_view text) {
  Distribution distribution{.text = std::string(text)};
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string_view name = text.substr(0, colon);
  const auto form = std::ranges::find(kOtherForms, name, &Form::name);
  if (form == std::end(kOtherForms)) {
    distribution.drawn = simulate::Distribution::parse(text, kWording);
    return distribution;
  }
  if (colon + 1 >= text.size()) refuse_form(text, "lacks its value after the colon");
  const std::string_view value = text.substr(colon + 1);
  distribution.kind = form->kind;
  distribution.is_periodic = name == "stencil";
  if (distribution.has_file())
    distribution.file = value;
  else if (form->kind == Kind::stencil && value != "5" && value != "7" && value != "27")
    refuse_form(text, "needs 5, 7 or 27 points");
  else if (!support::read_number(value, distribution.whole))
    refuse_form(text, "needs a whole number of destinations");
  return distribution;
}

}  // namespace

Distribution Distribution::parse(std::string_view text) {
  constexpr std::string_view kSame = ":same";
  if (!text.ends_with(kSame) || text.find(':') + kSame.size() >= text.size())
    return parse_plain(text);
  Distribution distribution = parse_plain(text.substr(0, text.size() - kSame.size()));
  if (!may_be_same(distribution)) return parse_plain(text);
  distribution.text = text;
  distribution.is_same = true;
  return distribution;
}

BlockLengths::BlockLengths(const Distribution& distribution, const Draws& draws,
                           std::shared_ptr<const Matrix> matrix)
    : distribution_(distribution),
      draws_(draws),
      lengths_(distribution.drawn, static_cast<double>(draws.bytes), draws.ranks),
      matrix_(std::move(matrix)) {}

bool BlockLengths::vary() const {
  return !distribution_.is(Drawn::constant) && matrix_ == nullptr;
}

std::size_t BlockLengths::operator()(int source, int destination) const {
  if (matrix_) return matrix_->bytes(source, destination);
  if (distribution_.kind == Kind::drawn) return drawn(source, destination);
  // The others have a matrix. No source has the number of the ranks.
  const bool is_few = distribution_.kind == Kind::few;
  return is_few && place(draws_.ranks, destination) < distribution_.whole ? draws_.bytes : 0;
}

std::size_t BlockLengths::drawn(int source, int destination) const {
  const Drawn kind = distribution_.drawn.kind;
  if (kind == Drawn::power || kind == Drawn::sparse) {
    const double share = (static_cast<double>(place(source, destination)) + 0.5) / draws_.ranks;
    return static_cast<std::size_t>(lengths_.quantile(1 - share));
  }
  const auto bits =
      hash(Draw::block_bytes, {draws_.seed, draws_.bytes, draw_, static_cast<std::uint64_t>(source),
                               static_cast<std::uint64_t>(destination)});
  if (kind == Drawn::uniform || kind == Drawn::window)
    return between(bits, static_cast<std::uint64_t>(lengths_.least()), draws_.bytes);
  return static_cast<std::size_t>(std::llround(lengths_.quantile(simulate::unit(bits))));
}

std::uint64_t BlockLengths::place(int source, int destination) const {
  const auto key =
      hash(Draw::shuffle, {draws_.seed, draws_.bytes, draw_, static_cast<std::uint64_t>(source)});
  return Permutation(static_cast<std::uint64_t>(draws_.ranks),
                     key)(static_cast<std::uint64_t>(destination));
}

}  // namespace rondo::bench
