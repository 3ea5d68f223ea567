#include "kcfa/generate.hpp"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "base/error.hpp"
#include "base/mix.hpp"
#include "support/text.hpp"

namespace rondo::kcfa {

namespace {

/// Writes a random term from left to right, with a stack of what is still to be written.
class RandomTerm {
 public:
  explicit RandomTerm(std::uint64_t seed) : state_(mix(seed + kGoldenGamma)) {}

  std::string write(std::uint64_t size) {
    to_do_.push_back({.size = size, .functions = size / (2 * kFunctionSize)});
    while (!to_do_.empty()) {
      const Task task = std::move(to_do_.back());
      to_do_.pop_back();
      text_ += task.text;
      if (task.leaves) scope_.pop_back();
      if (!task.enters.empty()) scope_.push_back(task.enters);
      if (task.is_function)
        write_lambda(task.size);
      else if (task.functions != 0)
        write_let(task.size, task.functions);
      else if (task.size != 0)
        write_term(task.size);
    }
    return text_ + "\n";
  }

 private:
  static constexpr std::uint64_t kFunctionSize = 8;  // on average
  static constexpr std::uint64_t kNames = 12;

  /// A task writes the text, then changes the scope, then writes a term of the given size. If
  /// `is_function`, the term is a lambda inside the given number of lets, which bind functions.
  struct Task {
    std::string text = {};
    bool leaves = false;
    std::string enters = {};
    std::uint64_t size = 0;
    bool is_function = false;
    std::uint64_t functions = 0;
  };

  std::uint64_t draw(std::uint64_t low, std::uint64_t high) {
    state_ += kGoldenGamma;
    return between(mix(state_), low, high);
  }

  void write_term(std::uint64_t size) {
    if (size < 3 || (scope_.empty() && size < 5)) return write_leaf(size);
    const std::uint64_t kind = draw(0, 9);
    if (kind < 2)
      write_lambda(size);
    else if (kind < 8)
      write_application(size);
    else
      write_let(size, 0);
  }

  void write_leaf(std::uint64_t size) {
    if (scope_.empty() || size == 2)
      write_lambda(2);
    else
      text_ += scope_[draw(0, scope_.size() - 1)];
  }

  void write_lambda(std::uint64_t size) {
    const std::string name = draw_name();
    to_do_.push_back({.text = ")", .leaves = true});
    to_do_.push_back({.text = "(lambda (" + name + ") ", .enters = name, .size = size - 1});
  }

  void write_application(std::uint64_t size) {
    const std::uint64_t first = draw(1, size - 2);
    to_do_.push_back({.text = ")"});
    to_do_.push_back({.text = " ", .size = size - 1 - first});
    to_do_.push_back({.text = "(", .size = first});
  }

  /// Writes a let: the first of `functions` lets that bind functions, or one that binds any term.
  void write_let(std::uint64_t size, std::uint64_t functions) {
    const std::string name = draw_name();
    const bool of_function = functions != 0;
    const std::uint64_t bound =
        draw(of_function ? 2 : 1, of_function ? 2 * kFunctionSize - 4 : size - 2);
    to_do_.push_back({.text = ")", .leaves = true});
    to_do_.push_back({.text = "))\n",
                      .enters = name,
                      .size = std::max(size, bound + 3) - bound - 2,
                      .functions = of_function ? functions - 1 : 0});
    to_do_.push_back({.text = "(let ((" + name + " ", .size = bound, .is_function = of_function});
  }

  std::string draw_name() { return fmt::format("x{}", draw(1, kNames)); }

  std::uint64_t state_;
  std::string text_;
  std::vector<Task> to_do_;
  std::vector<std::string> scope_;
};

/// The two numbers of "NAME:A,B", if the specification has that form.
struct Numbers {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
};

std::optional<Numbers> numbers_of(const std::string& specification, std::string_view name) {
  if (!specification.starts_with(name)) return std::nullopt;
  const auto words = support::split_at_commas(std::string_view(specification).substr(name.size()));
  Numbers numbers;
  const bool good = words.size() == 2 && support::read_number(words[0], numbers.first) &&
                    support::read_number(words[1], numbers.second);
  return good ? std::optional(numbers) : std::nullopt;
}

void check_range(const char* what, std::uint64_t value, std::uint64_t most) {
  if (value < 1 || value > most)
    throw Error(ErrorClass::argument,
                fmt::format("--generate: {} is {}, must be in 1..{}", what, value, most));
}

}  // namespace

std::string worst(std::uint64_t variables, std::uint64_t calls) {
  std::string text = "(let ((true (lambda (a b) a)) (false (lambda (a b) b)) (first (lambda (";
  for (std::uint64_t i = 1; i <= variables; ++i)
    text += fmt::format("a{}{}", i, i < variables ? " " : "");
  text += ") a1)))\n";
  for (std::uint64_t i = 1; i <= variables; ++i)
    text += fmt::format("(let ((f{} (lambda (x{})\n", i, i);
  text += "((lambda (w) (w";
  for (std::uint64_t i = 1; i <= variables; ++i) text += fmt::format(" x{}", i);
  text += ")) first)\n";
  for (std::uint64_t i = variables; i >= 1; --i) {
    std::string called = fmt::format("f{}", i);
    text += ")))";
    for (std::uint64_t padding = 2; padding <= calls; ++padding) {
      const std::string caller = fmt::format("p{}", padding);
      text += fmt::format(" (let (({} (lambda (v) ({} v))))", caller, called);
      called = caller;
    }
    text += fmt::format(" (let ((ignored ({0} true))) ({0} false))", called);
    text += std::string(calls, ')') + "\n";
  }
  return text + ")\n";
}

std::string random(std::uint64_t size, std::uint64_t seed) {
  return RandomTerm(seed).write(size);
}

Source generate_program(const std::string& specification) {
  constexpr std::uint64_t kMostVariables = 10'000;
  constexpr std::uint64_t kMostCalls = 8;
  constexpr std::uint64_t kMostSize = 10'000'000;
  if (const auto numbers = numbers_of(specification, "worst:")) {
    check_range("N", numbers->first, kMostVariables);
    check_range("K", numbers->second, kMostCalls);
    return {specification, worst(numbers->first, numbers->second)};
  }
  if (const auto numbers = numbers_of(specification, "random:")) {
    check_range("SIZE", numbers->first, kMostSize);
    return {specification, random(numbers->first, numbers->second)};
  }
  throw Error(ErrorClass::argument,
              fmt::format("--generate: {} is neither worst:N,K nor random:SIZE,SEED",
                          support::in_quotes(specification)));
}

}  // namespace rondo::kcfa
