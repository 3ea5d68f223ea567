// Results as text for people and for programs.
#pragma once

#include <span>
#include <string>

#include "result.hpp"

namespace rondo::bench {

/// One JSON object on one line.
std::string to_json_line(const Result& result);

/// Comma-separated values under the same names as the JSON keys; what is not known is empty.
std::string csv_header();
std::string to_csv_line(const Result& result);

/// A heading and an aligned table of the results of one size; the fastest line has a star.
/// `note` stands under the heading unless it is empty.
std::string to_table(std::span<const Result> results, const std::string& note);

}  // namespace rondo::bench
