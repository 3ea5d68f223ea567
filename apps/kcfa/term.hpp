// The lambda terms that are analysed, and their syntax.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kcfa/datum.hpp"

namespace rondo::kcfa {

/// An expression's number: its index in the term read from left to right. The whole term is 0.
using Label = std::size_t;

enum class Kind { variable, lambda, application };

struct Expression {
  Kind kind = Kind::variable;
  std::size_t line = 0;  ///< of the text
  std::string name;      ///< the variable's, or the lambda's parameter's
  Label binder = 0;      ///< a variable's: the lambda whose parameter it is
  Label first = 0;       ///< a lambda's body; an application's operator
  Label second = 0;      ///< an application's operand
};

/// Expressions in the order of their labels: a body directly follows its lambda, and an operator
/// its application. Every lambda has one parameter and every application one operand.
using Term = std::vector<Expression>;

/// A program is one expression:
///
///     NAME
///     (lambda (NAME ...) EXPRESSION)               short for nested lambdas
///     (EXPRESSION EXPRESSION ...)                  (f a b) is short for ((f a) b)
///     (let ((NAME EXPRESSION) ...) EXPRESSION)     short for ((lambda (NAME ...) EXPRESSION)
///                                                  EXPRESSION ...)
///
/// Every name must be bound by an enclosing lambda or let. If a name is bound twice, one binding
/// inside the other, the inner one applies; variables are distinguished by their lambdas. An
/// expression that is short for several has their labels from the outermost on, all with the line
/// on which it begins.
///
/// Throws Error(argument), NAME:LINE: reason, for any other text. The depth of nesting is not
/// limited.
Term read_term(const Source& source);

}  // namespace rondo::kcfa
