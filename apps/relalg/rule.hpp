// Rules over relations, in the manner of Datalog: heads, and a body of atoms that share variables.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace rondo::relalg {

/// A column of a tuple.
using Word = std::uint64_t;

/// Stands for one value within a rule. Program::variable() makes variables. Variables of different
/// rules are independent.
struct Variable {
  int id = 0;
  friend bool operator==(Variable, Variable) = default;
};

/// The content of an atom's column.
struct Term {
  enum class Kind { variable, constant, any } kind = Kind::any;
  int variable = 0;
  Word constant = 0;

  Term() = default;  ///< any value
  Term(Variable named) : kind(Kind::variable), variable(named.id) {}
  Term(Word word) : kind(Kind::constant), constant(word) {}
};
inline const Term any;

/// A relation's name in rules: path(x, y) is an atom. Several variables that together stand for one
/// thing may be given as a vector: store(x, contour, value).
struct Atom {
  int relation = 0;
  std::vector<Term> terms;
};

class Relation {
 public:
  explicit Relation(int id) : id_(id) {}
  int id() const { return id_; }

  template <class... Terms>
  Atom operator()(const Terms&... terms) const {
    Atom atom{id_, {}};
    (append(atom.terms, terms), ...);
    return atom;
  }

 private:
  static void append(std::vector<Term>& terms, const Term& term) { terms.push_back(term); }
  static void append(std::vector<Term>& terms, const std::vector<Variable>& variables) {
    terms.insert(terms.end(), variables.begin(), variables.end());
  }

  int id_;
};

/// Variables `out` that a function computes from `in`, all of which the body binds. If the function
/// returns false, the body does not match. The function must return the same on all ranks at all
/// times.
struct Computed {
  using Function = std::function<bool(std::span<const Word> in, std::span<Word> out)>;
  std::vector<Variable> out;
  std::vector<Variable> in;
  Function function;
};

/// If every atom of the body holds for some values of the variables, all heads hold for them too.
struct Rule {
  std::vector<Atom> heads;
  std::vector<Atom> body;
  std::vector<Computed> computed = {};
};

}  // namespace rondo::relalg
