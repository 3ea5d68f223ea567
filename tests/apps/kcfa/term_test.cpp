// How programs are read: labels, lines, scopes, and errors.
#include <gtest/gtest.h>

#include <string>

#include "kcfa/generate.hpp"
#include "kcfa/term.hpp"
#include "refusal.hpp"

namespace rondo::kcfa {
namespace {

/// The term with every lambda named by its label, as in "(\0.(0 0))".
std::string shown(const Term& term, Label label = 0) {
  const Expression& e = term[label];
  if (e.kind == Kind::variable) return std::to_string(e.binder);
  if (e.kind == Kind::lambda) return text("(\\", label, ".", shown(term, e.first), ")");
  return text("(", shown(term, e.first), " ", shown(term, e.second), ")");
}

std::string complaint(const std::string& program) {
  return test::refusal([&] { read_term({"a.scm", program}); });
}

TEST(Term, IsCurriedAndLabelledFromLeftToRight) {
  const struct {
    const char* program;
    const char* term;
  } rows[] = {
      {"(lambda (x) x)", "(\\0.0)"},
      {"(lambda (x y) (x y))", "(\\0.(\\1.(0 1)))"},
      {"(lambda (x) (x x x))", "(\\0.((0 0) 0))"},
      {"(let ((x (lambda (y) y))) x)", "((\\1.1) (\\3.3))"},
      {"(let ((x (lambda (a) a)) (y (lambda (b) b))) (y x))",
       "(((\\2.(\\3.(3 2))) (\\7.7)) (\\9.9))"},
      // Names that are bound again, in an operand of a let, and after the end of a scope.
      {"(lambda (x) (let ((x x)) x))", "(\\0.((\\2.2) 0))"},
      {"(lambda (x) ((lambda (x) x) x))", "(\\0.((\\2.2) 0))"},
      {"(lambda (lambda2 let*) let*)", "(\\0.(\\1.1))"},
      {"; (\n(lambda;)\n (x)\r\n\tx);)", "(\\0.0)"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(shown(read_term({"", row.program})), row.term) << row.program;
}

TEST(Term, KnowsItsLines) {
  const Term term = read_term({"", "(lambda (x)\n (x\n  x))\n"});
  ASSERT_EQ(term.size(), 4U);
  EXPECT_EQ(term[0].line, 1U);
  EXPECT_EQ(term[1].line, 2U);
  EXPECT_EQ(term[2].line, 2U);
  EXPECT_EQ(term[3].line, 3U);
}

TEST(Term, RefusesWhatIsNone) {
  const struct {
    const char* program;
    const char* reason;
  } rows[] = {
      {"", "a.scm:1: the text has no program"},
      {"; nothing\n\n", "a.scm:3: the text has no program"},
      {"x", "a.scm:1: 'x' is not bound"},
      {"(lambda (x)\n (x y))", "a.scm:2: 'y' is not bound"},
      {"(let ((x x)) x)", "a.scm:1: 'x' is not bound"},
      {"(let ((x (lambda (y) y)) (z x)) z)", "a.scm:1: 'x' is not bound"},
      {"(lambda (x) ((lambda (y) y) y))", "a.scm:1: 'y' is not bound"},
      {"\n(lambda (x)\n(x x)", "a.scm:2: this parenthesis is not closed"},
      {"(lambda (x) x))", "a.scm:1: unmatched ')'"},
      {"(lambda (x) x)\nx",
       "a.scm:2: a second expression begins here, but a program is a single expression"},
      {"(lambda (x)\n())", "a.scm:2: () is not an expression: an application needs an operator"},
      {"(lambda (x) (x))", "a.scm:1: an application needs an operand after its operator"},
      {"(lambda () x)", "a.scm:1: a lambda needs a parameter"},
      {"(lambda (x\nx) x)", "a.scm:2: the parameter 'x' is repeated"},
      {"(lambda ((x)) x)", "a.scm:1: a parameter is a name, not a list"},
      {"(lambda x x)", "a.scm:1: a lambda is written (lambda (NAME ...) EXPRESSION)"},
      {"(lambda (x))", "a.scm:1: a lambda is written (lambda (NAME ...) EXPRESSION)"},
      {"(lambda (x) x x)", "a.scm:1: a lambda is written (lambda (NAME ...) EXPRESSION)"},
      {"(let x x)", "a.scm:1: a let is written (let ((NAME EXPRESSION) ...) EXPRESSION)"},
      {"(let ((x)) x)", "a.scm:1: what a let binds is written (NAME EXPRESSION)"},
      {"(let (x) x)", "a.scm:1: what a let binds is written (NAME EXPRESSION)"},
      {"(let () x)", "a.scm:1: a let needs something to bind"},
      {"(let ((x (lambda (a) a)) (x (lambda (a) a))) x)", "a.scm:1: the parameter 'x' is repeated"},
      {"(lambda (let) let)", "a.scm:1: 'let' cannot name a variable"},
      {"(lambda (x) lambda)", "a.scm:1: 'lambda' cannot name a variable"},
      {"a\x01g", "a.scm:1: 'a?g' is not bound"},
  };
  for (const auto& row : rows) EXPECT_EQ(complaint(row.program), row.reason) << row.program;
}

TEST(Term, MayBeDeep) {
  constexpr std::size_t kDepth = 100'000;
  std::string lambdas;
  std::string operands = "(lambda (x) ";
  for (std::size_t i = 0; i < kDepth; ++i) {
    lambdas += "(lambda (x) ";
    operands += "(x ";
  }
  const std::string closed(kDepth, ')');
  EXPECT_EQ(read_term({"", lambdas + "x" + closed}).size(), kDepth + 1);
  EXPECT_EQ(read_term({"", operands + "x" + closed + ")"}).size(), 2 * kDepth + 2);
  EXPECT_EQ(complaint(std::string(kDepth, '(') + "x" + closed),
            "a.scm:1: an application needs an operand after its operator");
  EXPECT_EQ(complaint(std::string(kDepth, '(')), "a.scm:1: this parenthesis is not closed");
}

TEST(Generate, RandomTermsAreClosedAndOfTheirSize) {
  for (std::uint64_t size = 1; size < 60; ++size)
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Term term = read_term({"", random(size, seed)});
      EXPECT_LE(term.size(), 2 * size + 10) << size << " " << seed;
      EXPECT_GE(3 * term.size() + 3, size) << size << " " << seed;
    }
}

TEST(Generate, SeedsDiffer) {
  EXPECT_EQ(random(100, 1), random(100, 1));
  EXPECT_NE(random(100, 1), random(100, 2));
}

TEST(Generate, RefusesOtherSpecifications) {
  for (const char* wrong : {"", "worst", "worst:", "worst:3", "worst:3,", "worst:0,1", "worst:3,9",
                            "worst:3,1x", "random:-1,2", "random:0,1", "chain:3,2"})
    EXPECT_THROW(generate_program(wrong), Error) << wrong;
}

}  // namespace
}  // namespace rondo::kcfa
