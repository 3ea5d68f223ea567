#include "support/runner.hpp"

#include <rondo/rondo.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "seed_of_run.hpp"
#include "support/environment.hpp"
#include "support/random.hpp"

namespace rondo::testing {

namespace {

/// Longer than every name of a row with the command that repeats it.
std::array<char, 1500> current_row{};

void say(const char* what) {
  std::array<char, current_row.size() + 20> line{};
  const int length = std::snprintf(line.data(), line.size(), "%s: %s\n", what, current_row.data());
  const auto bytes = std::min(static_cast<std::size_t>(std::max(length, 0)), line.size() - 1);
  if (write(STDERR_FILENO, line.data(), bytes) < 0) _exit(4);
}

void on_alarm(int) {
  say("HUNG");
  _exit(3);
}

void on_crash(int signal_number) {
  say("CRASH");
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

constexpr const char* kHelp = R"(Options:
  --all          all rows instead of a sample
  --exchanges N  so many exchanges in the rows of stress together
  --from N       of the first test only row N and those after it
  --list         only name the tests, and say which need threads
  --row N        only row N; with --seed it repeats a failure
  --seed N       as printed by an earlier run; else RONDO_TEST_SEED, else another one each time
  --verbose      name every row before it runs
)";

/// Whether a variable of the environment changes what a test does.
bool is_setting(std::string_view variable) {
  const auto is = [&](const char* prefix) { return variable.starts_with(prefix); };
  return (is("RONDO_") && !is("RONDO_TEST_SEED=")) || is("OMPI_MCA_btl_vader_");
}

}  // namespace

Options read_options(int argc, char** argv) {
  Options options;
  options.seed = test::seed_of_run();
  if (const char* seconds = std::getenv("RONDO_TEST_TIMEOUT"))
    options.timeout_seconds = static_cast<unsigned>(std::strtoul(seconds, nullptr, 10));
  const auto number = [&](int& i) {
    return i + 1 < argc ? std::strtoull(argv[++i], nullptr, 10) : 0;
  };
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--help") {
      std::fputs(kHelp, stdout);
      std::exit(0);
    }
    if (word == "--all")
      options.all = true;
    else if (word == "--verbose")
      options.verbose = true;
    else if (word == "--list")
      options.list = true;
    else if (word == "--row")
      options.only_row = static_cast<long>(number(i));
    else if (word == "--from")
      options.first_row = static_cast<long>(number(i));
    else if (word == "--exchanges")
      options.exchanges = static_cast<int>(number(i));
    else if (word == "--seed")
      options.seed = number(i);
    else
      options.words.push_back(word);
  }
  return options;
}

void must(int code, std::source_location call) {
  if (code == MPI_SUCCESS) return;
  std::fprintf(stderr, "the test's own call failed: %s:%u: %s (row %s)\n", call.file_name(),
               static_cast<unsigned>(call.line()), error_text(code).c_str(), current_row.data());
  std::fflush(stderr);
  _exit(5);
}

int rank_of(MPI_Comm comm) {
  int rank = 0;
  must(MPI_Comm_rank(comm, &rank));
  return rank;
}

int ranks_of(MPI_Comm comm) {
  int ranks = 0;
  int is_inter = 0;
  must(MPI_Comm_test_inter(comm, &is_inter));
  must((is_inter != 0 ? MPI_Comm_remote_size : MPI_Comm_size)(comm, &ranks));
  return ranks;
}

int class_of(int code) {
  int error_class = code;
  if (code != MPI_SUCCESS) MPI_Error_class(code, &error_class);
  return error_class;
}

std::string error_text(int code) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  if (MPI_Error_string(code, text.data(), &length) != MPI_SUCCESS) return rondo::text(code);
  return {text.data(), static_cast<std::size_t>(length)};
}

void Row::expect_success(int code, const std::string& call) {
  expect(code == MPI_SUCCESS, call, " returned ", error_text(code), "; last error: '",
         Rondo_Get_last_error(), "'");
}

void Row::expect_error(int code, int error_class, const std::string& words) {
  const std::string said = Rondo_Get_last_error();
  expect(class_of(code) == error_class, "returned ", error_text(code), " instead of ",
         error_text(error_class), "; last error: '", said, "'");
  expect(said.find(words) != said.npos, "the text '", said, "' does not say '", words, "'");
}

Runner::Runner(int argc, char** argv, int thread_level)
    : program_(argv[0]), options_(read_options(argc, argv)) {
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (is_setting(*variable)) environment_ += *variable + std::string(" ");
  must(MPI_Init_thread(&argc, &argv, thread_level, &provided_));
  rank_ = rank_of(MPI_COMM_WORLD);
  ranks_ = ranks_of(MPI_COMM_WORLD);
  must(MPI_Bcast(&options_.seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD));
  seed_ = options_.seed;
  signal(SIGALRM, on_alarm);
  for (const int crash : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE}) signal(crash, on_crash);
}

void Runner::run_test(const Test& test) {
  test_ = test.name;
  command_ = command();
  reasons_.clear();
  next_row_ = passed_ = failed_ = skipped_ = 0;
  if (rank_ == 0)
    std::printf("%s: ranks %d, seed %llu\n", test_.c_str(), ranks_,
                static_cast<unsigned long long>(seed_));
  std::fflush(stdout);
  for (std::size_t number = 0; number < test.settings.size(); ++number) {
    setting_ = test.settings[number];
    options_.seed = number == 0 ? seed_ : hash(seed_, number);
    const Environments environment(setting_.environment);
    test.run(*this);
  }
  options_.first_row = 0;
  const bool nothing = next_row_ <= std::max(options_.only_row, 0L);
  if (nothing) ++failed_;
  is_right_ = is_right_ && failed_ == 0;
  if (rank_ != 0) return;
  if (nothing) std::printf("FAIL %s: there is no such row\n", test_.c_str());
  std::printf("rows: %ld passed, %ld failed, %ld skipped\n", passed_, failed_, skipped_);
  std::fflush(stdout);
}

bool Runner::is_drawn(std::uint64_t share, int salt) const {
  return options_.all || options_.only_row == next_row_ ||
         hash(options_.seed, next_row_, ranks_, salt) % share == 0;
}

std::string Runner::command() const {
  return rondo::text(environment_, "tools/mpirun -n ", ranks_, " ", program_, " ", test_,
                     options_.all ? " --all" : "",
                     options_.exchanges > 0 ? rondo::text(" --exchanges ", options_.exchanges) : "",
                     " --seed ", seed_);
}

Runner::Outcome Runner::agree(const Row& row, std::string& text, int& from) const {
  const Outcome mine = row.failed()                ? Outcome::failed
                       : row.skip_reason().empty() ? Outcome::passed
                                                   : Outcome::skipped;
  // The worst outcome wins, and of its ranks the lowest.
  const int vote = static_cast<int>(mine) * ranks_ + (ranks_ - 1 - rank_);
  int worst = 0;
  must(MPI_Allreduce(&vote, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
  const auto outcome = static_cast<Outcome>(worst / ranks_);
  if (outcome == Outcome::passed) return outcome;
  from = ranks_ - 1 - worst % ranks_;
  std::array<char, 1024> line{};
  const auto& own = mine == Outcome::failed ? row.failure() : row.skip_reason();
  std::strncpy(line.data(), own.c_str(), line.size() - 1);
  must(MPI_Bcast(line.data(), static_cast<int>(line.size()), MPI_CHAR, from, MPI_COMM_WORLD));
  text = line.data();
  return outcome;
}

void Runner::run(const std::string& plain_name, const std::function<void(Row&)>& body) {
  const bool runs = is_drawn(setting_.one_in, 1);
  const long number = next_row_++;
  if (!runs || number < options_.first_row ||
      (options_.only_row >= 0 && options_.only_row != number))
    return;
  const auto& environment = setting_.environment;
  const std::string name = environment.empty() ? plain_name : plain_name + ", " + environment;
  std::snprintf(current_row.data(), current_row.size(), "%s rank=%d %s\nrepeat: %s --row %ld",
                test_.c_str(), rank_, name.c_str(), command_.c_str(), number);
  if (options_.verbose && rank_ == 0) std::fprintf(stderr, "row %ld %s\n", number, name.c_str());
  alarm(options_.timeout_seconds);
  Row row;
  try {
    body(row);
  } catch (const std::exception& error) {
    row.expect(false, "threw: ", error.what());
  }
  std::string text;
  int from = 0;
  const Outcome outcome = agree(row, text, from);
  alarm(0);
  report(outcome, number, rondo::text(name, ", rank ", from), text);
}

void Runner::report(Outcome outcome, long number, const std::string& name,
                    const std::string& text) {
  ++(outcome == Outcome::failed ? failed_ : outcome == Outcome::skipped ? skipped_ : passed_);
  if (rank_ != 0 || outcome == Outcome::passed) return;
  if (outcome == Outcome::failed)
    std::printf("FAIL %s %s: %s\nrepeat: %s --row %ld\n", test_.c_str(), name.c_str(), text.c_str(),
                command_.c_str(), number);
  else if (reasons_.insert(text).second)
    std::printf("SKIP %s %s: %s\n", test_.c_str(), name.c_str(), text.c_str());
  std::fflush(stdout);
}

int Runner::finish() {
  std::snprintf(current_row.data(), current_row.size(), "MPI_Finalize");
  alarm(options_.timeout_seconds);
  must(MPI_Finalize());
  alarm(0);
  return is_right_ ? 0 : 1;
}

}  // namespace rondo::testing
