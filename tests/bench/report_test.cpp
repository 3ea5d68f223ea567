// Results as text.
#include "report.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <sstream>

#include "refusal.hpp"

namespace rondo::bench {
namespace {

Result example(const std::string& algorithm, double median) {
  Result result;
  result.collective = "alltoallv";
  result.algorithm = algorithm;
  result.ranks = 4;
  result.nodes = 1;
  result.bytes = 64;
  result.distribution = "uniform";
  result.iterations = 10;
  result.microseconds.median = median;
  result.origin = {.rondo = "1.0.0",
                   .mpi = "MPICH",
                   .mpi_version = "4.0.2",
                   .host = "here",
                   .cores = 2,
                   .date = "2026-01-31T12:00:00Z",
                   .command = "rondo-bench alltoallv"};
  return result;
}

/// No two are alike.
constexpr support::Summary kTimes{
    .median = 12.34567, .mad = 2.5, .min = 9, .p95 = 30, .max = 40, .low = 11, .high = 13};
constexpr Overlap kOverlap{.tests = 3,
                           .start = 1,
                           .compute = 2,
                           .total = 4,
                           .visible = 3,
                           .percent = 60,
                           .imb_percent = 50};

TEST(Formats, JsonIsOneLineAndUnknownIsNull) {
  Result result = example("mpi", 12.34567);
  result.microseconds = kTimes;
  EXPECT_EQ(
      to_json_line(result),
      R"({"collective":"alltoallv","algorithm":"mpi","parameters":"","ranks":4,"nodes":1,)"
      R"("bytes":64,"distribution":"uniform","iterations":10,"warmup":0,"batch":1,"seed":0,"draws":1,)"
      R"("median_us":12.346,"mad_us":2.5,"min_us":9.0,"p95_us":30.0,"max_us":40.0,)"
      R"("low_us":11.0,"high_us":13.0,"bytes_per_rank":0.0,"rounds":null,"errors":null,)"
      R"("speedup":1.0,"disturbed":null,"first_calls":null,"first_us":null,"learning_calls":null,"learned":null,)"
      R"("round_trip_before_ns":null,"round_trip_after_ns":null,"rondo":"1.0.0","mpi":"MPICH","mpi_version":"4.0.2","host":"here",)"
      R"("cores":2,"date":"2026-01-31T12:00:00Z","command":"rondo-bench alltoallv"})"
      "\n");
  result.rounds = 3;
  result.errors = 0;
  EXPECT_TRUE(test::says(to_json_line(result), R"("rounds":3,"errors":0,)"));
}

TEST(Formats, JsonHasWhatOverlaps) {
  Result result = example("mpi", 10);
  result.overlap = kOverlap;
  EXPECT_TRUE(test::says(to_json_line(result),
                         R"(,"tests":3,"start_us":1.0,"compute_us":2.0,"total_us":4.0,)"
                         R"("visible_us":3.0,"overlap_percent":60.0,"imb_overlap_percent":50.0)"));
}

TEST(Formats, JsonSaysWhatDisturbedAndHowItBegan) {
  Result result = example("auto", 10);
  result.disturbed = "the cores have moved";
  result.first_calls = {
      .calls = 100, .auto_us = 7, .mpi_us = 5, .all_calls = 240, .has_learned = true};
  const std::string line = to_json_line(result);
  EXPECT_TRUE(test::says(line, R"("disturbed":"the cores have moved",)"));
  EXPECT_TRUE(
      test::says(line, R"("first_calls":100,"first_us":7.0,"learning_calls":240,"learned":true,)"));
  result.algorithm = "mpi";
  EXPECT_TRUE(
      test::says(to_json_line(result),
                 R"("first_calls":100,"first_us":5.0,"learning_calls":null,"learned":null,)"));
  result.algorithm = "node_aware";
  EXPECT_TRUE(
      test::says(to_json_line(result),
                 R"("first_calls":null,"first_us":null,"learning_calls":null,"learned":null,)"));
}

TEST(Formats, JsonHasTheSamplesInTheirOrder) {
  Result result = example("mpi", 1);
  EXPECT_EQ(to_json_line(result).find("samples"), std::string::npos);
  result.samples = {3.25, 1, 2.00049};
  EXPECT_TRUE(to_json_line(result).ends_with(R"(alltoallv","samples_us":[3.25,1.0,2.0]})"
                                             "\n"));
}

TEST(Formats, JsonHasTheChangesOfWhatRan) {
  Result result = example("auto", 1);
  EXPECT_EQ(to_json_line(result).find("ran\""), std::string::npos);
  result.ran = {"a", "a", "b:radix=2", "a", "a"};
  EXPECT_TRUE(
      to_json_line(result).ends_with(R"(alltoallv","ran":[[0,"a"],[2,"b:radix=2"],[3,"a"]]})"
                                     "\n"));
}

TEST(Formats, CsvHasAsManyFieldsAsItsHeader) {
  const auto commas = [](const std::string& line) { return std::ranges::count(line, ','); };
  EXPECT_EQ(commas(csv_header(false)), commas(to_csv_line(example("mpi", 1))));
  Result started = example("mpi", 1);
  started.overlap.emplace();
  EXPECT_EQ(commas(csv_header(true)), commas(to_csv_line(started)));
  EXPECT_EQ(commas(csv_header(true)), commas(csv_header(false)) + 7);
  EXPECT_TRUE(csv_header(true).starts_with("collective,algorithm,parameters,ranks,"));
}

TEST(Formats, CsvQuotesSeparators) {
  Result result = example("mpi", 1);
  result.distribution = "matrix:a,\"b\".txt";
  EXPECT_TRUE(test::says(to_csv_line(result), R"(,"matrix:a,""b"".txt",)"));
}

TEST(Formats, TableMarksTheFastest) {
  const Result results[] = {example("mpi", 20), example("fused_bruck", 10)};
  const std::string table = to_table(results, "a note");
  EXPECT_TRUE(test::says(table, "\n* fused_bruck"));
  EXPECT_TRUE(test::says(table, "\n  mpi"));
  EXPECT_TRUE(test::says(table, "\na note\n"));
}

/// A row, and which one has the star: the fastest whose figure counts.
struct Stars {
  const char* what;
  std::vector<std::optional<std::uint64_t>> errors;  ///< of the fastest, the next and the slowest
  std::string disturbed;
  const char* star;  ///< null: none
};

const Stars kStars[] = {
    {"nobody checked", {{}, {}, {}}, "", "first"},
    {"all bytes are right", {0, 0, 0}, "", "first"},
    {"wrong bytes", {1, 0, 0}, "", "second"},
    {"more wrong bytes", {1, 1, 0}, "", "third"},
    {"wrong bytes everywhere", {1, 2, 3}, "", nullptr},
    {"other programs", {0, 0, 0}, "other programs took 40 % of the cores", nullptr},
};

TEST(Formats, WhatDoesNotCountHasNoStar) {
  for (const Stars& row : kStars) {
    std::vector<Result> results{example("first", 10), example("second", 20), example("third", 30)};
    for (std::size_t i = 0; i < results.size(); ++i) {
      results[i].errors = row.errors[i];
      results[i].disturbed = row.disturbed;
    }
    const std::string table = to_table(results, "");
    for (const Result& result : results)
      EXPECT_EQ(test::says(table, "\n* " + result.algorithm),
                row.star != nullptr && result.algorithm == row.star)
          << row.what << '\n'
          << table;
    if (!row.disturbed.empty()) {
      EXPECT_TRUE(test::says(table, "\nDisturbed: " + row.disturbed + ". Measure again"));
    }
  }
}

TEST(Formats, TableSaysHowAutoBegan) {
  std::vector<Result> results{example("mpi", 10), example("auto", 20)};
  for (Result& result : results)
    result.first_calls = {.calls = 100, .auto_us = 7, .mpi_us = 5, .all_calls = 240};
  EXPECT_TRUE(test::says(to_table(results, ""),
                         "auto's first 100 calls on a new communicator: 7.00 us each "
                         "(mpi: 5.00 us).\n  The rows show what follows after 240 calls; it was "
                         "still learning.\n"));
  results[0].first_calls->has_learned = true;
  EXPECT_TRUE(test::says(to_table(results, ""), " 240 calls, when it had learned.\n"));
}

/// What a program waits for decides.
TEST(Formats, TableOfStartedMarksTheLeastVisible) {
  Result results[] = {example("mpi", 10), example("node_aware", 20)};
  results[0].overlap = results[1].overlap = kOverlap;
  results[0].overlap->visible = 5;
  const std::string table = to_table(results, "");
  EXPECT_TRUE(test::says(table, "\n* node_aware"));
  EXPECT_TRUE(test::says(table, "\n  mpi"));
}

TEST(Formats, TableHasEachFigureInItsColumn) {
  Result result = example("mpi", 0);
  result.microseconds = kTimes;
  result.speedup = 0.5;
  result.errors = 0;
  const auto figures = [&] {
    const std::string table = to_table({&result, 1}, "");
    std::istringstream words(table.substr(table.find("\n* mpi") + 6));
    return std::vector(std::istream_iterator<std::string>(words), {});
  };
  EXPECT_EQ(figures(),
            (std::vector<std::string>{"12.35", "11.00", "-", "13.00", "30.00", "0.50", "0"}));
  result.overlap = kOverlap;
  EXPECT_EQ(figures(),
            (std::vector<std::string>{"12.35", "1.00", "2.00", "4.00", "3.00", "60", "0.50", "0"}));
}

TEST(Formats, TableSaysHowFarApartTheCoresWere) {
  Result result = example("mpi", 20);
  EXPECT_FALSE(test::says(to_table({&result, 1}, ""), "core"));
  result.round_trips = {.before = 57.4, .after = 60};
  const std::string near = to_table({&result, 1}, "");
  EXPECT_TRUE(
      test::says(near, "\nA flag goes to another core and back in 57 ns before, 60 ns after.\n"));
  result.round_trips.after = 330;
  EXPECT_TRUE(test::says(to_table({&result, 1}, ""), "57 ns before, 330 ns after.\n"));
}

TEST(Formats, TableFitsATerminalAndHasParametersInALegend) {
  std::vector<Result> results{example("mpi", 123456.7), example("zero_rotation_bruck", 98765.4),
                              example("tunable_bruck:radix=2", 1),
                              example("tunable_bruck:radix=4", 2)};
  for (Result& result : results) {
    result.microseconds.low = result.microseconds.high = result.microseconds.p95 = 123456;
    result.errors = 0;
    result.ranks = 1024;
    result.nodes = 100;
    result.bytes = 1 << 30;
    result.iterations = 1000000;
    result.batch = 1000000;
    result.bytes_per_rank = 1e12;
  }
  results[1].parameters = "radix=4:ports=3";
  results[1].rounds = 6;
  const std::string table = to_table(results, "");
  for (std::size_t begin = 0; begin < table.size(); begin = table.find('\n', begin) + 1)
    EXPECT_LE(table.find('\n', begin) - begin, 80U) << table.substr(begin);
  EXPECT_TRUE(test::says(table, "\n  zero_rotation_bruck  "));
  EXPECT_TRUE(test::says(table, "\n  zero_rotation_bruck: 6 rounds, radix=4:ports=3\n"));
  EXPECT_TRUE(test::says(table, "\n* tunable_bruck:radix=2 "));
}

}  // namespace
}  // namespace rondo::bench
