#include "closure/distributed.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "closure/graph_format.hpp"
#include "closure/text_file.hpp"
#include "common/dealing.hpp"

namespace rondo::closure {

namespace {

using support::check_mpi;
using support::Communicator;

[[noreturn]] void refuse_line(const std::string& path, std::uint64_t line,
                              const std::string& reason) {
  throw Error(ErrorClass::argument, text(path, ":", line, ": ", reason));
}

GraphHeader header_of(const TextFile& file) {
  std::uint64_t offset = 0;
  std::uint64_t lines = 0;
  const auto read = [&](std::uint64_t from, std::uint64_t bytes) { return file.read(from, bytes); };
  const auto next_line = [&]() -> std::optional<std::string> {
    if (offset >= file.bytes()) return std::nullopt;
    const std::string line = lines_of(read, {offset, offset + 1});
    ++lines;
    offset += line.size();
    std::string_view rest = line;
    return std::string(take_line(rest));
  };
  try {
    return read_header(next_line);
  } catch (const BadLine& bad) {
    refuse_line(file.path(), lines, bad.what());
  }
}

/// Sums over the ranks below this one, and over all ranks.
std::pair<Extent, Extent> sum(const Communicator& comm, const Extent& mine) {
  std::pair<Extent, Extent> sums;
  const std::uint64_t values[] = {mine.lines, mine.entries};
  std::uint64_t before[] = {0, 0};
  std::uint64_t all[] = {mine.lines, mine.entries};
  check_mpi(MPI_Exscan(values, before, 2, MPI_UINT64_T, MPI_SUM, comm.get()), "MPI_Exscan");
  support::all_reduce(comm, all, MPI_SUM);
  if (comm.rank() == 0) return {Extent{}, Extent{all[0], all[1]}};
  return {Extent{before[0], before[1]}, Extent{all[0], all[1]}};
}

/// Throws on all ranks if any rank has a fault. The fault of the lowest such rank comes first in
/// the file.
void refuse_faults(const Communicator& comm, const TextFile& file, const GraphHeader& header,
                   std::string_view lines, const GraphPart& part) {
  const auto [before, all] = sum(comm, part.extent);
  const std::uint64_t first_line = header.lines + before.lines + 1;
  support::collectively(comm, [&, before = before] {
    // An excess entry comes before the part's own fault.
    const auto excess = find_excess(lines, part, header.format, before.entries);
    if (const std::optional<Fault>& fault = excess ? excess : part.fault)
      refuse_line(file.path(), first_line + fault->line, fault->reason);
  });
  if (header.format.is_matrix && all.entries < header.format.entries)
    refuse_line(
        file.path(), header.lines + all.lines,
        text("the file ends after ", all.entries, " of ", header.format.entries, " entries"));
}

}  // namespace

std::vector<Edge> read_graph(const Communicator& comm, const std::string& path) {
  std::optional<TextFile> file;
  support::collectively(comm, [&] { file.emplace(path); });
  std::uint64_t bytes = file->bytes();
  support::broadcast(comm, bytes);
  GraphHeader header;
  support::collectively(comm, [&] {
    if (file->bytes() != bytes)
      throw Error(ErrorClass::argument, text(path, ": rank ", comm.rank(), " sees ", file->bytes(),
                                             " bytes, rank 0 sees ", bytes));
    if (comm.rank() == 0) header = header_of(*file);
  });
  support::broadcast(comm, header);

  std::string lines;
  GraphPart part;
  support::collectively(comm, [&] {
    const std::uint64_t begin = std::min(header.bytes, bytes);
    const apps::Dealing<std::uint64_t> dealing(bytes - begin,
                                               static_cast<std::uint64_t>(comm.ranks()));
    const auto part_number = static_cast<std::uint64_t>(comm.rank());
    lines =
        lines_of([&](std::uint64_t from, std::uint64_t count) { return file->read(from, count); },
                 {begin + dealing.start(part_number), begin + dealing.start(part_number + 1)});
    part = parse_part(lines, header.format);
  });
  refuse_faults(comm, *file, header, lines, part);
  return std::move(part.edges);
}

}  // namespace rondo::closure
