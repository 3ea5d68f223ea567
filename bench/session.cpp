#include "session.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace rondo::bench {

namespace {

std::string library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  check_mpi(MPI_Get_library_version(text, &length), "MPI_Get_library_version");
  return text;
}

}  // namespace

Session::Session(const Options& options, MPI_Comm world)
    : options_(options),
      comm_(world),
      self_{.rank = comm_.rank(), .ranks = comm_.ranks()},
      cluster_(find_cluster(comm_)),
      origin_(find_origin(library_version(), options_.command)) {
  if (options_.distribution.kind == Distribution::Kind::matrix) read_matrix_for_all();
  collectively(comm_, [&] {
    if (self_.rank == 0)
      report_.emplace(options_.format, options_.output, origin_, sharing_note(cluster_));
  });
  enter_contenders();
  const auto iterations = static_cast<std::size_t>(options_.iterations + options_.warmup);
  progress_.emplace(self_.rank == 0 && !options_.quiet,
                    iterations * contenders_.size() * options_.bytes.size());
}

void Session::read_matrix_for_all() {
  const auto ranks = static_cast<std::size_t>(self_.ranks);
  std::vector<std::uint64_t> entries;
  collectively(comm_, [&] {
    if (self_.rank == 0)
      entries = read_matrix_file(options_.distribution.file, self_.ranks);
    else
      entries.resize(ranks * ranks);
  });
  // Row by row as one type: P x P may be more than an int counts.
  MPI_Datatype row = MPI_DATATYPE_NULL;
  check_mpi(MPI_Type_contiguous(self_.ranks, MPI_UINT64_T, &row), "MPI_Type_contiguous");
  check_mpi(MPI_Type_commit(&row), "MPI_Type_commit");
  check_mpi(MPI_Bcast(entries.data(), self_.ranks, row, 0, comm_.get()), "MPI_Bcast");
  check_mpi(MPI_Type_free(&row), "MPI_Type_free");
  matrix_ = std::make_shared<const Matrix>(self_.ranks, std::move(entries));
  options_.bytes = {matrix_->largest()};
}

void Session::enter_contenders() {
  for (const Asked& asked : options_.algorithms) {
    try {
      contenders_.emplace_back(comm_, options_.call, asked, cluster_.layout);
    } catch (const Error& error) {
      if (!asked.from_all) throw;
      if (self_.rank == 0)
        fmt::print(stderr, "rondo-bench: {} is left out: {}\n", asked.text, error.what());
    }
  }
}

std::uint64_t Session::run() {
  std::uint64_t errors = 0;
  for (const std::size_t bytes : options_.bytes) errors += run_size(bytes);
  return errors;
}

std::uint64_t Session::run_size(std::size_t bytes) {
  const BlockLengths lengths(options_.distribution,
                             {.ranks = self_.ranks, .seed = options_.seed, .bytes = bytes},
                             matrix_);
  std::optional<Exchange> exchange;
  collectively(comm_, [&] {
    exchange.emplace(options_.call, self_, lengths, options_.seed, options_.check);
  });
  const auto announce = [&](const Contender& contender, int iteration) {
    const std::string when =
        iteration < 0 ? "warm-up"
                      : fmt::format("iteration {} of {}", iteration + 1, options_.iterations);
    progress_->step(fmt::format("{}, S = {}: {}, {}", to_string(options_.call), bytes,
                                contender.asked().text, when));
  };
  const Method method{.iterations = options_.iterations,
                      .warmup = options_.warmup,
                      .batch = options_.batch,
                      .seed = options_.seed,
                      .check = options_.check};
  std::vector<const Contender*> contenders;
  for (const Contender& contender : contenders_) contenders.push_back(&contender);
  const Measurement measurement = measure(comm_, contenders, *exchange, method, announce);
  const int draws = lengths.vary() ? std::min(options_.iterations, Exchange::kDraws) : 1;
  collectively(comm_, [&] {
    progress_->clear();
    if (report_) report_->add(results_of(measurement, bytes, draws));
  });
  std::uint64_t errors = 0;
  for (const std::uint64_t found : measurement.errors) errors += found;
  return errors;
}

std::vector<Result> Session::results_of(const Measurement& measurement, std::size_t bytes,
                                        int draws) const {
  std::vector<Result> results;
  double mpi_median = 0;
  for (std::size_t i = 0; i < contenders_.size(); ++i) {
    const Contender& contender = contenders_[i];
    const Summary summary = summarize(measurement.microseconds[i], options_.seed);
    if (contender.is_mpi()) mpi_median = summary.median;
    Result result = common_result(bytes);
    result.draws = draws;
    result.bytes_per_rank = measurement.bytes_per_rank;
    result.algorithm = contender.asked().text;
    result.parameters = contender.parameters();
    result.rounds = contender.rounds();
    result.microseconds = summary;
    if (options_.check) result.errors = measurement.errors[i];
    if (options_.samples) result.samples = measurement.microseconds[i];
    results.push_back(result);
  }
  for (Result& result : results) result.speedup = mpi_median / result.microseconds.median;
  return results;
}

Result Session::common_result(std::size_t bytes) const {
  Result result;
  result.collective = to_string(options_.call);
  result.ranks = self_.ranks;
  result.nodes = cluster_.nodes;
  result.bytes = bytes;
  result.distribution = options_.distribution.text;
  result.iterations = options_.iterations;
  result.warmup = options_.warmup;
  result.batch = options_.batch;
  result.seed = options_.seed;
  result.origin = origin_;
  return result;
}

}  // namespace rondo::bench
