// Results for people or for programs: what --format chooses.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace rondo::support {

using Json = nlohmann::ordered_json;

enum class Format { table, json, csv };

/// The object on one line. A file name in it need not be UTF-8.
std::string json_line(const Json& object);

/// Comma-separated values as in RFC 4180, named as the keys; null is empty.
std::string csv_header(const Json& object);
std::string csv_line(const Json& object);

/// The object in the form of `format`, which is not table. With CSV the first one follows its header.
std::string record_text(Format format, const Json& object, bool is_first);

}  // namespace rondo::support
