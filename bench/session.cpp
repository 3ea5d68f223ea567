#include "session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/error.hpp"
#include "halo.hpp"
#include "measure_first_calls.hpp"
#include "support/program.hpp"

namespace rondo::bench {

namespace {

using support::collectively;

std::string to_text(const FirstMistake& first) {
  const auto& [iteration, is_sent, byte] = first.mistake;
  const std::string when =
      iteration < 0 ? "in the warm-up" : fmt::format("in iteration {}", iteration + 1);
  const std::string where = byte.block < 0
                                ? fmt::format("byte {} of the {} buffer, which is in no block,",
                                              byte.offset, is_sent ? "send" : "receive")
                                : fmt::format("byte {} of the block {} rank {}", byte.offset,
                                              is_sent ? "to" : "from", byte.block);
  return fmt::format("{} on rank {}: {} is 0x{:02x} instead of 0x{:02x}", when, first.rank, where,
                     byte.found, byte.expected);
}

std::vector<std::uint64_t> read_lengths(const Distribution& distribution, int ranks) {
  const std::string& file = distribution.file;
  if (distribution.kind == Distribution::Kind::matrix) return read_matrix_file(file, ranks);
  return halo_lengths(support::read_matrix_market_file(file), file, ranks);
}

/// How often a size is measured if the machine is disturbed.
constexpr int kMostTries = 3;

}  // namespace

Session::Session(const Options& options, MPI_Comm world)
    : options_(options),
      comm_(world),
      self_{.rank = comm_.rank(), .ranks = comm_.ranks()},
      cluster_(support::find_cluster(comm_)),
      origin_(find_origin(support::library_version(), options_.command)),
      disturbance_(comm_) {
  if (options_.distribution.has_file()) read_matrix_for_all();
  if (is_on_edges(options_.call)) connect_neighbours();
  enter_contenders();
  collectively(comm_, [&] {
    if (self_.rank == 0)
      report_.emplace(options_.format, options_.output, origin_, support::sharing_note(cluster_),
                      is_started(options_.call));
  });
  const auto iterations = static_cast<std::size_t>(options_.iterations + options_.warmup);
  progress_.emplace(self_.rank == 0 && !options_.quiet,
                    iterations * contenders_.size() * options_.bytes.size());
}

void Session::read_matrix_for_all() {
  const auto ranks = static_cast<std::size_t>(self_.ranks);
  std::vector<std::uint64_t> entries;
  collectively(comm_, [&] {
    if (self_.rank == 0)
      entries = read_lengths(options_.distribution, self_.ranks);
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

void Session::connect_neighbours() {
  edges_ = edges_of(*lengths_of(1), self_.rank);
  graph_.emplace(connect(comm_, edges_));
}

std::shared_ptr<const Matrix> Session::lengths_of(std::size_t bytes) const {
  return lengths_in_advance(options_.distribution,
                            {.ranks = self_.ranks, .seed = options_.seed, .bytes = bytes},
                            options_.call, matrix_);
}

void Session::enter_contenders() {
  for (const Asked& asked : options_.algorithms) {
    try {
      const bool is_auto = asked.text == kAuto;
      if (is_auto && options_.learns_first())
        contenders_.push_back(nullptr);
      else if (is_auto && options_.unprepared)
        contenders_.push_back(std::make_unique<Contender>(Contender::unprepared(parent())));
      else
        contenders_.push_back(
            std::make_unique<Contender>(parent(), options_.call, asked, cluster_.layout));
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
                             lengths_of(bytes));
  std::optional<Exchange> exchange;
  collectively(comm_, [&] {
    exchange.emplace(options_.call, self_, lengths, options_.seed, options_.check);
  });
  if (graph_) exchange->connect(edges_);
  if (options_.plan) make_plans(*exchange);
  Result common = common_result(bytes);
  common.first_calls = begin_size(*exchange);
  const Measured measured = measure_calmly(*exchange, bytes);
  const bool vary = lengths.vary() && !options_.plan;
  common.draws = vary ? std::min(options_.iterations, Exchange::kDraws) : 1;
  common.round_trips = measured.trips;
  common.disturbed = measured.disturbed;
  collectively(comm_, [&] {
    progress_->clear();
    if (report_) report_->add(results_of(measured.found, *exchange, common));
    tell_mistakes(measured.found.exchanges, bytes);
  });
  std::uint64_t errors = 0;
  for (const std::uint64_t found : measured.found.exchanges.errors) errors += found;
  return errors;
}

std::vector<const Contender*> Session::contenders() const {
  std::vector<const Contender*> all;
  for (const auto& contender : contenders_) all.push_back(contender.get());
  return all;
}

/// Collective. Where `auto` learns before it is measured, it does so here.
std::optional<FirstCalls> Session::begin_size(Exchange& exchange) {
  disturbance_.begin();
  if (!options_.learns_first()) return std::nullopt;
  const Contender* mpi = nullptr;
  const Contender* automatic = nullptr;
  for (auto& contender : contenders_) {
    if (contender && contender->is_mpi()) mpi = contender.get();
    if (contender && !contender->is_auto()) continue;
    contender = std::make_unique<Contender>(Contender::unprepared(parent()));
    automatic = contender.get();
  }
  if (automatic == nullptr) return std::nullopt;
  return make_first_calls(comm_, *automatic, *mpi, exchange);
}

/// Collective. Empty where nobody compares the times.
std::string Session::disturbed_by(const RoundTrips& trips) {
  if (!options_.is_timed()) return "";
  const std::string text = support::disturbance_text(disturbance_.taken());
  return text.empty() && trips.differ() ? "the cores have moved" : text;
}

Measured Session::measure_once(Exchange& exchange, std::size_t bytes) {
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
                      .check = options_.check,
                      .learn = std::max(options_.learn, 0),
                      .is_auto_unprepared = options_.unprepared,
                      .notes_runs = options_.samples && !options_.plan,
                      .one_core = options_.one_core};
  Measured measured;
  measured.trips.before = round_trip();
  measured.found =
      is_started(options_.call)
          ? measure_overlap(comm_, contenders(), exchange, method, options_.tests, announce)
          : OverlapMeasurement{measure(comm_, contenders(), exchange, method, announce), {}};
  measured.trips.after = round_trip();
  measured.disturbed = disturbed_by(measured.trips);
  return measured;
}

/// Collective. The first measurement that nothing disturbed, or the last one.
Measured Session::measure_calmly(Exchange& exchange, std::size_t bytes) {
  for (int tries = options_.can_repeat() ? kMostTries : 1;; --tries) {
    Measured measured = measure_once(exchange, bytes);
    const bool is_wrong =
        std::ranges::any_of(measured.found.exchanges.errors, [](auto count) { return count != 0; });
    bool is_last = tries == 1 || is_wrong || measured.disturbed.empty();
    support::broadcast(comm_, is_last);  // rank 0 knows the round trips
    if (is_last) return measured;
  }
}

/// Rank 0 alone knows them.
void Session::tell_mistakes(const Measurement& measurement, std::size_t bytes) const {
  for (std::size_t i = 0; i < contenders_.size(); ++i)
    if (const auto& first = measurement.mistakes[i])
      support::complain(kProgram, fmt::format("{}, S = {}: {}, {}", to_string(options_.call), bytes,
                                              contenders_[i]->asked().text, to_text(*first)));
}

/// Collective. The other ranks sleep meanwhile.
std::optional<double> Session::round_trip() const {
  std::optional<double> found;
  if (self_.rank == 0) found = round_trip_nanoseconds();
  MPI_Request all = MPI_REQUEST_NULL;
  check_mpi(MPI_Ibarrier(comm_.get(), &all), "MPI_Ibarrier");
  for (int have_met = 0; have_met == 0;) {
    check_mpi(MPI_Test(&all, &have_met, MPI_STATUS_IGNORE), "MPI_Test");
    if (have_met == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return found;
}

void Session::make_plans(Exchange& exchange) const {
  for (const Contender* contender : contenders())
    if (contender->is_rondo()) exchange.make_plan(*contender);
}

std::vector<Result> Session::results_of(const OverlapMeasurement& measured,
                                        const Exchange& exchange, const Result& common) const {
  const Measurement& measurement = measured.exchanges;
  std::vector<Result> results;
  double mpi_median = 0;
  for (std::size_t i = 0; i < contenders_.size(); ++i) {
    const Contender& contender = *contenders_[i];
    const support::Summary summary = support::summarize(measurement.microseconds[i], options_.seed);
    if (contender.is_mpi()) mpi_median = summary.median;
    Result result = common;
    result.bytes_per_rank = measurement.bytes_per_rank;
    result.algorithm = contender.asked().text;
    result.parameters = exchange.parameters(contender);
    result.rounds = contender.rounds();
    result.microseconds = summary;
    if (is_started(options_.call))
      result.overlap = overlap_of(measured.overlaps[i], options_.tests);
    if (options_.check) result.errors = measurement.errors[i];
    if (options_.samples) result.samples = measurement.microseconds[i];
    if (contender.is_auto()) result.ran = measurement.ran;
    results.push_back(result);
  }
  for (Result& result : results) result.speedup = mpi_median / result.microseconds.median;
  return results;
}

Result Session::common_result(std::size_t bytes) const {
  Result result;
  result.collective = to_string(options_.call);
  if (options_.plan) result.collective += "_plan";
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
