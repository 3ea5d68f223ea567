#include "distribution.hpp"

#include <cmath>
#include <numbers>

#include "base/error.hpp"
#include "random.hpp"
#include "support/text.hpp"

namespace rondo::bench {

namespace {

using Kind = Distribution::Kind;

constexpr std::string_view kForms =
    "uniform, window:R, power:BASE, normal, constant, sparse:K, few:K, stencil:POINTS, "
    "open_stencil:POINTS, matrix:FILE or market:FILE, and :same after the values of sparse, few "
    "and "
    "the stencils";

struct Form {
  std::string_view name;
  Kind kind;
  bool takes_value;
};

constexpr Form kKnownForms[] = {
    {"uniform", Kind::uniform, false},
    {"window", Kind::window, true},
    {"power", Kind::power, true},
    {"normal", Kind::normal, false},
    {"constant", Kind::constant, false},
    {"sparse", Kind::sparse, true},
    {"few", Kind::few, true},
    {"stencil", Kind::stencil, true},
    {"open_stencil", Kind::stencil, true},
    {"matrix", Kind::matrix, true},
    {"market", Kind::market, true},
};

[[noreturn]] void refuse_form(std::string_view text, std::string_view reason) {
  throw Error(ErrorClass::argument,
              rondo::text("--distribution: '", text, "' ", reason, "; there is ", kForms));
}

const Form& find_form(std::string_view text) {
  const std::string_view name = text.substr(0, text.find(':'));
  for (const Form& form : kKnownForms) {
    if (form.name != name) continue;
    const bool has_value = name.size() + 1 < text.size();
    if (form.takes_value && !has_value) refuse_form(text, "lacks its value after the colon");
    if (!form.takes_value && name != text) refuse_form(text, "has a value where none belongs");
    return form;
  }
  refuse_form(text, "is not known");
}

}  // namespace

Distribution Distribution::parse(std::string_view text) {
  constexpr std::string_view kSame = ":same";
  const Form& form = find_form(text);
  const bool may_be_same =
      form.kind == Kind::sparse || form.kind == Kind::few || form.kind == Kind::stencil;
  if (may_be_same && text.ends_with(kSame) && text.size() > form.name.size() + kSame.size()) {
    Distribution distribution = parse(text.substr(0, text.size() - kSame.size()));
    distribution.text = text;
    distribution.is_same = true;
    return distribution;
  }
  Distribution distribution{.kind = form.kind, .text = std::string(text)};
  if (!form.takes_value) return distribution;
  const std::string_view value = text.substr(form.name.size() + 1);
  if (distribution.has_file()) distribution.file = value;
  if (form.kind == Kind::power && !(support::read_number(value, distribution.base) &&
                                    distribution.base > 0 && distribution.base <= 1))
    refuse_form(text, "needs a base above 0, at most 1");
  if (form.kind == Kind::window &&
      !(support::read_number(value, distribution.whole) && distribution.whole <= 100))
    refuse_form(text, "needs a whole number of percent, 0..100");
  if ((form.kind == Kind::sparse || form.kind == Kind::few) &&
      !support::read_number(value, distribution.whole))
    refuse_form(text, "needs a whole number of destinations");
  if (form.kind == Kind::stencil) {
    distribution.is_periodic = form.name == "stencil";
    if (value != "5" && value != "7" && value != "27") refuse_form(text, "needs 5, 7 or 27 points");
    support::read_number(value, distribution.whole);
  }
  return distribution;
}

BlockLengths::BlockLengths(const Distribution& distribution, const Draws& draws,
                           std::shared_ptr<const Matrix> matrix)
    : distribution_(distribution), draws_(draws), matrix_(std::move(matrix)) {}

bool BlockLengths::vary() const {
  return distribution_.kind != Kind::constant && matrix_ == nullptr;
}

std::size_t BlockLengths::operator()(int source, int destination) const {
  if (matrix_) return matrix_->bytes(source, destination);
  const std::size_t largest = draws_.bytes;
  const auto bits = [&] {
    return hash(Draw::block_bytes, {draws_.seed, largest, draw_, static_cast<std::uint64_t>(source),
                                    static_cast<std::uint64_t>(destination)});
  };
  switch (distribution_.kind) {
    case Kind::uniform:
      return between(bits(), 0, largest);
    case Kind::window: {
      const std::size_t percent = 100 - distribution_.whole;
      const std::size_t least = largest / 100 * percent + (largest % 100 * percent + 99) / 100;
      return between(bits(), least, largest);
    }
    case Kind::power:
      return static_cast<std::size_t>(
          static_cast<double>(largest) *
          std::pow(distribution_.base, static_cast<double>(place(source, destination))));
    case Kind::normal:
      return normal(source, destination);
    case Kind::constant:
      return largest;
    case Kind::sparse:
      return place(source, destination) < distribution_.whole ? largest : 0;
    case Kind::few:  // no source has the number of the ranks
      return place(draws_.ranks, destination) < distribution_.whole ? largest : 0;
    case Kind::stencil:
    case Kind::matrix:
    case Kind::market:
      break;
  }
  return 0;  // they have a matrix
}

std::uint64_t BlockLengths::place(int source, int destination) const {
  const auto key =
      hash(Draw::shuffle, {draws_.seed, draws_.bytes, draw_, static_cast<std::uint64_t>(source)});
  return Permutation(static_cast<std::uint64_t>(draws_.ranks),
                     key)(static_cast<std::uint64_t>(destination));
}

std::size_t BlockLengths::normal(int source, int destination) const {
  constexpr double kDeviations = 3;
  for (std::uint64_t attempt = 0;; ++attempt) {
    const auto bits = hash(Draw::block_bytes,
                           {draws_.seed, draws_.bytes, draw_, static_cast<std::uint64_t>(source),
                            static_cast<std::uint64_t>(destination), attempt});
    const double radius = std::sqrt(-2 * std::log(1 - unit_interval(bits)));
    const double angle = 2 * std::numbers::pi * unit_interval(mix(bits));
    const double deviations = radius * std::cos(angle);  // Box-Muller
    if (std::abs(deviations) <= kDeviations)
      return static_cast<std::size_t>(
          std::llround(static_cast<double>(draws_.bytes) * (0.5 + deviations / (2 * kDeviations))));
  }
}

}  // namespace rondo::bench
