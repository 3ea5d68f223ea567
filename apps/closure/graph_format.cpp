#include "closure/graph_format.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <vector>

#include "base/error.hpp"

namespace rondo::closure {

namespace {

constexpr std::string_view kSpace = " \t\r\f\v";
constexpr std::string_view kBanner = "%%matrixmarket";
constexpr std::size_t kLongestQuote = 40;

/// A word of a file as messages show it: what is long or unprintable does not spoil a terminal.
std::string quoted(std::string_view word) {
  std::string shown(word.substr(0, kLongestQuote));
  for (char& letter : shown)
    if (std::isprint(static_cast<unsigned char>(letter)) == 0) letter = '?';
  return text("'", shown, word.size() > kLongestQuote ? "..." : "", "'");
}

/// Take the first word off `line`; empty at its end.
std::string_view take_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(kSpace), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(kSpace));
  line.remove_prefix(word.size());
  return word;
}

std::uint64_t parse_number(std::string_view word, const char* what) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error == std::errc::result_out_of_range)
    throw BadLine(text(quoted(word), " is too large; the largest ", what, " is ", UINT64_MAX));
  if (error == std::errc{} && end == word.data() + word.size()) return number;
  const bool negative = word.size() > 1 && word.front() == '-' &&
                        word.find_first_not_of("0123456789", 1) == std::string_view::npos;
  throw BadLine(negative ? text(quoted(word), " is negative; the smallest ", what, " is 0")
                         : text(quoted(word), " is not a number"));
}

void check_value(std::string_view word) {
  double value = 0;
  const std::size_t sign = word.front() == '+' ? 1 : 0;
  const auto [end, error] = std::from_chars(word.data() + sign, word.data() + word.size(), value);
  if (error == std::errc::invalid_argument || end != word.data() + word.size())
    throw BadLine(text(quoted(word), " is not a number"));
}

std::optional<Edge> parse_listed(std::string_view line) {
  const std::string_view from = take_word(line);
  if (from.empty() || from.front() == '#' || from.front() == '%') return std::nullopt;
  Edge edge{parse_number(from, "vertex"), 0};
  const std::string_view to = take_word(line);
  if (to.empty()) throw BadLine(text("an edge has two vertices, and here is only ", quoted(from)));
  edge.to = parse_number(to, "vertex");
  for (std::string_view more = take_word(line); !more.empty(); more = take_word(line))
    check_value(more);
  return edge;
}

std::uint64_t parse_index(std::string_view word, const GraphFormat& format) {
  const std::uint64_t index = parse_number(word, "index");
  if (index < 1 || index > format.vertices)
    throw BadLine(text("index ", index, " is not of 1 .. ", format.vertices));
  return index;
}

std::optional<Edge> parse_entry(std::string_view line, const GraphFormat& format) {
  const std::string_view row = take_word(line);
  if (row.empty() || row.front() == '%') return std::nullopt;
  Edge edge{parse_index(row, format), 0};
  const std::string_view column = take_word(line);
  if (column.empty()) throw BadLine(text("here is row ", quoted(row), " without a column"));
  edge.to = parse_index(column, format);
  int values = 0;
  for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) {
    check_value(word);
    ++values;
  }
  if (values != format.values)
    throw BadLine(text("behind row and column are ", values, " values instead of ", format.values));
  return edge;
}

std::string in_lower_case(std::string_view word) {
  std::string lower(word);
  for (char& letter : lower)
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return lower;
}

bool is_banner(std::string_view line) {
  return in_lower_case(take_word(line)) == kBanner;
}

/// What the next word of the banner stands for.
template <class Meaning>
Meaning take_meaning(std::string_view& line, const std::map<std::string, Meaning>& meanings) {
  const std::string_view word = take_word(line);
  const auto found = meanings.find(in_lower_case(word));
  if (found != meanings.end()) return found->second;
  std::string known;
  for (const auto& [name, meaning] : meanings) known += (known.empty() ? "" : ", ") + name;
  throw BadLine(text("the banner has ", quoted(word), " where it may have: ", known));
}

GraphFormat parse_banner(std::string_view line) {
  take_word(line);
  if (const std::string_view object = take_word(line); in_lower_case(object) != "matrix")
    throw BadLine(text("the banner has ", quoted(object), " where it may have: matrix"));
  if (const std::string_view form = take_word(line); in_lower_case(form) != "coordinate")
    throw BadLine(text("the matrix is ", quoted(form),
                       "; a graph is one whose entries are listed, which is `coordinate`"));
  GraphFormat format{.is_matrix = true};
  format.values = take_meaning<int>(
      line, {{"pattern", 0}, {"real", 1}, {"double", 1}, {"integer", 1}, {"complex", 2}});
  format.both_ways = take_meaning<bool>(
      line,
      {{"general", false}, {"symmetric", true}, {"skew-symmetric", true}, {"hermitian", true}});
  return format;
}

void parse_sizes(std::string_view line, GraphFormat& format) {
  std::vector<std::uint64_t> sizes;
  for (std::string_view word = take_word(line); !word.empty(); word = take_word(line))
    sizes.push_back(parse_number(word, "size"));
  if (sizes.size() != 3)
    throw BadLine(
        text("here should be three sizes, rows, columns and entries, not ", sizes.size()));
  if (sizes[0] != sizes[1])
    throw BadLine(text("the matrix is ", sizes[0], " x ", sizes[1], "; that of a graph is square"));
  format.vertices = sizes[0];
  format.entries = sizes[2];
}

}  // namespace

GraphHeader read_header(const std::function<std::optional<std::string>()>& next_line) {
  const std::optional<std::string> first = next_line();
  if (!first || !is_banner(*first)) return {};
  GraphHeader header{.format = parse_banner(*first), .bytes = first->size() + 1, .lines = 1};
  while (const std::optional<std::string> line = next_line()) {
    header.bytes += line->size() + 1;
    ++header.lines;
    std::string_view words = *line;
    if (const std::string_view word = take_word(words); word.empty() || word.front() == '%')
      continue;
    parse_sizes(*line, header.format);
    return header;
  }
  throw BadLine("the file ends before the line with rows, columns and entries");
}

std::optional<Edge> parse_edge(std::string_view line, const GraphFormat& format) {
  return format.is_matrix ? parse_entry(line, format) : parse_listed(line);
}

}  // namespace rondo::closure
