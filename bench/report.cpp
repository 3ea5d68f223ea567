#include "report.hpp"

#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "formats.hpp"

namespace rondo::bench {

void Report::Close::operator()(std::FILE* file) const {
  if (file != stdout) std::fclose(file);  // every write was flushed and checked
}

Report::Report(Format format, const std::string& path, const Origin& origin, std::string note)
    : format_(format),
      name_(path.empty() ? "standard output" : path),
      note_(std::move(note)),
      file_(path.empty() ? stdout : std::fopen(path.c_str(), "w")) {
  if (!file_)
    throw Error(ErrorClass::argument,
                text("--output: cannot open ", name_, ": ", std::strerror(errno)));
  if (format_ == Format::csv) write(csv_header());
  if (format_ == Format::table) write(to_text(origin));
}

void Report::add(std::span<const Result> results) {
  if (results.empty()) return;
  if (format_ == Format::table) return write(to_table(results, note_));
  std::string lines;
  for (const Result& result : results)
    lines += format_ == Format::json ? to_json_line(result) : to_csv_line(result);
  write(lines);
}

void Report::write(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), file_.get()) == text.size();
  if (!written || std::fflush(file_.get()) != 0)
    throw Error(ErrorClass::argument,
                rondo::text("cannot write to ", name_, ": ", std::strerror(errno)));
}

}  // namespace rondo::bench
