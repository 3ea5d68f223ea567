// How every program here reads its command line.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>

#include "answer.hpp"
#include "base/error.hpp"

namespace rondo::bench {

/// Reads the arguments into what `app` was told of. What --help answers, or nothing. Throws
/// Error(argument), in one sentence, for arguments that it cannot take.
inline std::optional<Answer> parse(CLI::App& app, int argc, const char* const* argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return Answer{app.help()};
  } catch (const CLI::ParseError& error) {
    throw Error(ErrorClass::argument, text(error.what(), " (--help tells more)"));
  }
  return std::nullopt;
}

}  // namespace rondo::bench
