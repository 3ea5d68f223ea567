#include "closure/graph_format.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>

#include "base/error.hpp"
#include "closure/text_file.hpp"
#include "support/text.hpp"

namespace rondo::closure {

namespace {

using support::in_quotes;

constexpr std::string_view kSpace = " \t\r\f\v";
constexpr std::string_view kBanner = "%%matrixmarket";

/// Takes the first word off `line`; empty at its end.
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
    throw BadLine(text(in_quotes(word), " is too large; the largest ", what, " is ", UINT64_MAX));
  if (error == std::errc{} && end == word.data() + word.size()) return number;
  const bool negative = word.size() > 1 && word.front() == '-' &&
                        word.find_first_not_of("0123456789", 1) == std::string_view::npos;
  throw BadLine(negative ? text(in_quotes(word), " is negative; the smallest ", what, " is 0")
                         : text(in_quotes(word), " is not a number"));
}

void check_value(std::string_view word) {
  double value = 0;
  const std::size_t sign = word.front() == '+' ? 1 : 0;
  const auto [end, error] = std::from_chars(word.data() + sign, word.data() + word.size(), value);
  if (error == std::errc::invalid_argument || end != word.data() + word.size())
    throw BadLine(text(in_quotes(word), " is not a number"));
}

std::optional<Edge> parse_listed(std::string_view line) {
  const std::string_view from = take_word(line);
  if (from.empty() || from.front() == '#' || from.front() == '%') return std::nullopt;
  Edge edge{parse_number(from, "vertex"), 0};
  const std::string_view to = take_word(line);
  if (to.empty())
    throw BadLine(text("an edge has two vertices, but the line has only ", in_quotes(from)));
  edge.to = parse_number(to, "vertex");
  for (std::string_view more = take_word(line); !more.empty(); more = take_word(line))
    check_value(more);
  return edge;
}

std::uint64_t parse_index(std::string_view word, const GraphFormat& format) {
  const std::uint64_t index = parse_number(word, "index");
  if (index < 1 || index > format.vertices)
    throw BadLine(text("index ", index, " is not in 1 .. ", format.vertices));
  return index;
}

std::optional<Edge> parse_entry(std::string_view line, const GraphFormat& format) {
  const std::string_view row = take_word(line);
  if (row.empty() || row.front() == '%') return std::nullopt;
  Edge edge{parse_index(row, format), 0};
  const std::string_view column = take_word(line);
  if (column.empty()) throw BadLine(text("the line has row ", in_quotes(row), " without a column"));
  edge.to = parse_index(column, format);
  int values = 0;
  for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) {
    check_value(word);
    ++values;
  }
  if (values != format.values)
    throw BadLine(
        text("row and column are followed by ", values, " values instead of ", format.values));
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

/// The meaning of the banner's next word.
template <class Meaning>
Meaning take_meaning(std::string_view& line, const std::map<std::string, Meaning>& meanings) {
  const std::string_view word = take_word(line);
  const auto found = meanings.find(in_lower_case(word));
  if (found != meanings.end()) return found->second;
  std::string known;
  for (const auto& [name, meaning] : meanings) known += (known.empty() ? "" : ", ") + name;
  throw BadLine(text("the banner has ", in_quotes(word), "; allowed: ", known));
}

GraphFormat parse_banner(std::string_view line) {
  take_word(line);
  if (const std::string_view object = take_word(line); in_lower_case(object) != "matrix")
    throw BadLine(text("the banner has ", in_quotes(object), "; allowed: matrix"));
  if (const std::string_view form = take_word(line); in_lower_case(form) != "coordinate")
    throw BadLine(text("the matrix is ", in_quotes(form),
                       "; a graph needs a matrix with listed entries, `coordinate`"));
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
    throw BadLine(text("expected three sizes (rows, columns and entries), not ", sizes.size()));
  if (sizes[0] != sizes[1])
    throw BadLine(
        text("the matrix is ", sizes[0], " x ", sizes[1], "; a graph needs a square matrix"));
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

GraphPart parse_part(std::string_view lines, const GraphFormat& format) {
  GraphPart part;
  for (; !lines.empty() && !part.fault; ++part.extent.lines) {
    try {
      const std::optional<Edge> edge = parse_edge(take_line(lines), format);
      if (!edge) continue;
      ++part.extent.entries;
      part.edges.push_back(*edge);
      if (format.both_ways && edge->from != edge->to) part.edges.push_back({edge->to, edge->from});
    } catch (const BadLine& bad) {
      part.fault = Fault{part.extent.lines, bad.what()};
    }
  }
  part.extent.lines += static_cast<std::uint64_t>(std::count(lines.begin(), lines.end(), '\n'));
  if (!lines.empty() && lines.back() != '\n') ++part.extent.lines;
  return part;
}

std::optional<Fault> find_excess(std::string_view lines, const GraphPart& part,
                                 const GraphFormat& format, std::uint64_t entries_before) {
  if (!format.is_matrix || entries_before + part.extent.entries <= format.entries)
    return std::nullopt;
  std::uint64_t entries = entries_before;
  std::uint64_t line = 0;
  for (;; ++line) {
    if (parse_edge(take_line(lines), format)) ++entries;
    if (entries > format.entries) break;
  }
  return Fault{line, text("one entry more than the ", format.entries, " announced")};
}

}  // namespace rondo::closure
