#include "formats.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace rondo::bench {

namespace {

using Json = nlohmann::ordered_json;

/// Clocks do not resolve less than a nanosecond: more digits would be noise.
double rounded(double value) {
  return std::round(value * 1e3) / 1e3;
}

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json to_json(const Result& result) {
  const Summary& times = result.microseconds;
  const Origin& origin = result.origin;
  Json json = {{"collective", result.collective},
               {"algorithm", result.algorithm},
               {"parameters", result.parameters},
               {"ranks", result.ranks},
               {"nodes", result.nodes},
               {"bytes", result.bytes},
               {"distribution", result.distribution},
               {"iterations", result.iterations},
               {"warmup", result.warmup},
               {"batch", result.batch},
               {"seed", result.seed},
               {"draws", result.draws},
               {"median_us", rounded(times.median)},
               {"mad_us", rounded(times.mad)},
               {"min_us", rounded(times.min)},
               {"p95_us", rounded(times.p95)},
               {"max_us", rounded(times.max)},
               {"low_us", rounded(times.low)},
               {"high_us", rounded(times.high)},
               {"bytes_per_rank", rounded(result.bytes_per_rank)},
               {"rounds", or_null(result.rounds)},
               {"errors", or_null(result.errors)},
               {"speedup", rounded(result.speedup)},
               {"rondo", origin.rondo},
               {"mpi", origin.mpi},
               {"mpi_version", origin.mpi_version},
               {"host", origin.host},
               {"cores", origin.cores},
               {"date", origin.date},
               {"command", origin.command}};
  for (const double sample : result.samples) json["samples_us"].push_back(rounded(sample));
  return json;
}

/// RFC 4180: quotes around what holds a separator, quotes inside doubled.
std::string csv_field(const Json& value) {
  if (value.is_null()) return "";
  if (!value.is_string()) return value.dump();
  const auto& plain = value.get_ref<const std::string&>();
  if (plain.find_first_of(",\"\r\n") == std::string::npos) return plain;
  std::string quoted = "\"";
  for (const char c : plain) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

template <class Field>
std::string join_fields(const Json& object, Field&& field) {
  std::string line;
  for (const auto& [key, value] : object.items()) {
    if (!line.empty()) line += ',';
    line += field(key, value);
  }
  return line + '\n';
}

}  // namespace

std::string to_json_line(const Result& result) {
  // A file name need not be UTF-8.
  return to_json(result).dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string csv_header() {
  return join_fields(to_json({}), [](const std::string& key, const Json&) { return key; });
}

std::string to_csv_line(const Result& result) {
  return join_fields(to_json(result),
                     [](const std::string&, const Json& value) { return csv_field(value); });
}

}  // namespace rondo::bench
