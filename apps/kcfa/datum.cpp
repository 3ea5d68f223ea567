#include "kcfa/datum.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace rondo::kcfa {

namespace {

class DatumReader {
 public:
  explicit DatumReader(const Source& source) : source_(source) {}

  Data read() {
    while (skip_blanks(), at_ < source_.text.size()) read_one();
    if (!open_.empty()) refuse(source_, data_[open_.back()].line, "this parenthesis is not closed");
    if (data_.empty()) refuse(source_, line_, "the text has no program");
    return std::move(data_);
  }

 private:
  static constexpr std::string_view kBlanks = " \t\r\n\f\v";
  static constexpr std::string_view kEndsWord = " \t\r\n\f\v();";

  void skip_blanks() {
    bool comment = false;
    for (; at_ < source_.text.size(); ++at_) {
      const char letter = source_.text[at_];
      if (letter == '\n') {
        ++line_;
        comment = false;
      } else if (letter == ';') {
        comment = true;
      } else if (!comment && kBlanks.find(letter) == std::string_view::npos) {
        return;
      }
    }
  }

  void read_one() {
    const char letter = source_.text[at_];
    if (letter == ')') {
      if (open_.empty()) refuse(source_, line_, "unmatched ')'");
      open_.pop_back();
      ++at_;
    } else if (letter == '(') {
      open_.push_back(add({}));
      ++at_;
    } else {
      const std::size_t end =
          std::min(source_.text.find_first_of(kEndsWord, at_), source_.text.size());
      add(std::string_view(source_.text).substr(at_, end - at_));
      at_ = end;
    }
  }

  std::size_t add(std::string_view word) {
    if (open_.empty() && !data_.empty())
      refuse(source_, line_,
             "a second expression begins here, but a program is a single expression");
    const std::size_t number = data_.size();
    if (!open_.empty()) data_[open_.back()].items.push_back(number);
    data_.push_back({line_, word, {}});
    return number;
  }

  const Source& source_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  Data data_;
  std::vector<std::size_t> open_;  // open lists, innermost last
};

}  // namespace

void refuse(const Source& source, std::size_t line, const std::string& reason) {
  throw Error(ErrorClass::argument, text(source.name, ":", line, ": ", reason));
}

Data read_datum(const Source& source) {
  return DatumReader(source).read();
}

}  // namespace rondo::kcfa
