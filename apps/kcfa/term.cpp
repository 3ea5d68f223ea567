#include "kcfa/term.hpp"

#include <unordered_map>
#include <unordered_set>

#include "base/error.hpp"
#include "support/text.hpp"

namespace rondo::kcfa {

namespace {

using support::in_quotes;

/// Converts lists into expressions, outer ones first, with a stack of what is still to be done.
class TermReader {
 public:
  explicit TermReader(const Source& source) : source_(source), data_(read_datum(source)) {}

  Term read() {
    plan({.datum = 0});
    while (!to_do_.empty()) {
      const Task task = to_do_.back();
      to_do_.pop_back();
      if (task.leaves == 0)
        translate(data_[task.datum], task.place);
      else
        leave(task.leaves);
    }
    return std::move(term_);
  }

 private:
  /// Which expression an expression is part of. The whole program is part of none.
  struct Place {
    enum class Part { none, first, second } part = Part::none;
    Label of = 0;
  };

  /// Translates a datum, or leaves the scope of the given number of variables.
  struct Task {
    std::size_t datum = 0;
    Place place = {};
    std::size_t leaves = 0;
  };

  void plan(const Task& task) { to_do_.push_back(task); }

  void translate(const Datum& datum, Place place) {
    if (!datum.is_list()) return add_variable(datum, place);
    if (datum.items.empty())
      refuse(source_, datum.line, "() is not an expression: an application needs an operator");
    const std::string_view head = data_[datum.items.front()].word;
    if (head == "lambda") return add_lambda(datum, place);
    if (head == "let") return add_let(datum, place);
    if (datum.items.size() < 2)
      refuse(source_, datum.line, "an application needs an operand after its operator");
    const Place innermost = add_applications(datum.items.size() - 1, datum.line, place);
    plan_operands(datum.items);
    plan({.datum = datum.items.front(), .place = innermost});
  }

  void add_variable(const Datum& datum, Place place) {
    refuse_keyword(datum);
    const auto found = scope_.find(datum.word);
    if (found == scope_.end() || found->second.empty())
      refuse(source_, datum.line, text(in_quotes(datum.word), " is not bound"));
    const Label label = add(Kind::variable, datum.line, place);
    term_[label].name = datum.word;
    term_[label].binder = found->second.back();
  }

  void add_lambda(const Datum& datum, Place place) {
    if (datum.items.size() != 3 || !data_[datum.items[1]].is_list())
      refuse(source_, datum.line, "a lambda is written (lambda (NAME ...) EXPRESSION)");
    const std::vector<std::size_t>& names = data_[datum.items[1]].items;
    if (names.empty()) refuse(source_, datum.line, "a lambda needs a parameter");
    enter(names, datum.items[2], datum.line, place);
  }

  void add_let(const Datum& datum, Place place) {
    if (datum.items.size() != 3 || !data_[datum.items[1]].is_list())
      refuse(source_, datum.line, "a let is written (let ((NAME EXPRESSION) ...) EXPRESSION)");
    std::vector<std::size_t> names;
    std::vector<std::size_t> operands{0};  // instead of the operator; plan_operands() skips it
    for (const std::size_t item : data_[datum.items[1]].items) {
      const Datum& binding = data_[item];
      if (binding.items.size() != 2)
        refuse(source_, binding.line, "what a let binds is written (NAME EXPRESSION)");
      names.push_back(binding.items[0]);
      operands.push_back(binding.items[1]);
    }
    if (names.empty()) refuse(source_, datum.line, "a let needs something to bind");
    const Place innermost = add_applications(names.size(), datum.line, place);
    plan_operands(operands);
    enter(names, datum.items[2], datum.line, innermost);
  }

  /// Adds nested lambdas and plans the translation of the body in their scope.
  void enter(const std::vector<std::size_t>& names, std::size_t body, std::size_t line,
             Place place) {
    std::unordered_set<std::string_view> seen;
    for (const std::size_t item : names) {
      const Datum& name = data_[item];
      if (name.is_list()) refuse(source_, name.line, "a parameter is a name, not a list");
      refuse_keyword(name);
      if (!seen.insert(name.word).second)
        refuse(source_, name.line, text("the parameter ", in_quotes(name.word), " is repeated"));
      const Label label = add(Kind::lambda, line, place);
      term_[label].name = name.word;
      scope_[name.word].push_back(label);
      entered_.push_back(name.word);
      place = {Place::Part::first, label};
    }
    plan({.leaves = names.size()});
    plan({.datum = body, .place = place});
  }

  void leave(std::size_t variables) {
    for (; variables != 0; --variables) {
      scope_[entered_.back()].pop_back();
      entered_.pop_back();
    }
  }

  /// Adds nested applications, each the operator of the next outer one, and returns the place of
  /// the innermost operator.
  Place add_applications(std::size_t count, std::size_t line, Place place) {
    operators_.clear();
    for (; count != 0; --count) {
      operators_.push_back(add(Kind::application, line, place));
      place = {Place::Part::first, operators_.back()};
    }
    return place;
  }

  /// Plans the operands of the applications just added: all of `items` but the first. The last
  /// operand belongs to the outermost application.
  void plan_operands(const std::vector<std::size_t>& items) {
    for (std::size_t i = 0; i < operators_.size(); ++i)
      plan({.datum = items[items.size() - 1 - i], .place = {Place::Part::second, operators_[i]}});
  }

  void refuse_keyword(const Datum& datum) {
    if (datum.word == "lambda" || datum.word == "let")
      refuse(source_, datum.line, text(in_quotes(datum.word), " cannot name a variable"));
  }

  Label add(Kind kind, std::size_t line, Place place) {
    const Label label = term_.size();
    term_.push_back({.kind = kind, .line = line, .name = {}});
    if (place.part == Place::Part::first) term_[place.of].first = label;
    if (place.part == Place::Part::second) term_[place.of].second = label;
    return label;
  }

  const Source& source_;
  const Data data_;
  Term term_;
  std::vector<Task> to_do_;
  std::vector<Label> operators_;
  std::unordered_map<std::string_view, std::vector<Label>> scope_;  // by name, innermost last
  std::vector<std::string_view> entered_;
};

}  // namespace

Term read_term(const Source& source) {
  return TermReader(source).read();
}

}  // namespace rondo::kcfa
