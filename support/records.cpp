#include "support/records.hpp"

#include <nlohmann/json.hpp>

namespace rondo::support {

namespace {

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
  bool is_first = true;
  for (const auto& [key, value] : object.items()) {
    if (!is_first) line += ',';
    is_first = false;
    line += field(key, value);
  }
  return line + '\n';
}

}  // namespace

std::string json_line(const Json& object) {
  return object.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string csv_header(const Json& object) {
  return join_fields(object, [](const std::string& key, const Json&) { return key; });
}

std::string csv_line(const Json& object) {
  return join_fields(object,
                     [](const std::string&, const Json& value) { return csv_field(value); });
}

std::string record_text(Format format, const Json& object, bool is_first) {
  if (format == Format::json) return json_line(object);
  return (is_first ? csv_header(object) : "") + csv_line(object);
}

}  // namespace rondo::support
