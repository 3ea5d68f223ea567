#include "communicator/announcement.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "mpi/collectives.hpp"
#include "mpi/error.hpp"

namespace rondo::communicator {

using mpi::check;

namespace {

/// The info keys: the algorithm of each form, and whether a plan measures.
constexpr std::array kKeys = {"rondo_alltoall",           "rondo_alltoallv",
                              "rondo_alltoallw",          "rondo_sparse_alltoallv",
                              "rondo_neighbor_alltoallv", "rondo_measure"};
constexpr std::size_t kMeasure = kKeys.size() - 1;

/// How many settings are numbers.
constexpr std::size_t kNumbers = 0
#define RONDO_TEXT_SETTING(field, variable, meaning)
#define RONDO_NUMBER_SETTING(field, variable, least, value, most, meaning) +1
#include "registry/settings.def"
    ;

/// What rank 0 announces: the settings or the hints.
struct Announcement {
  std::optional<std::string> error;  ///< why rank 0 could not read the rest
  Hints hints;
  registry::Settings settings;

  /// Visit all numbers and all texts, always in the same order.
  template <class Visit>
  void visit_numbers(Visit&& one) {
#define RONDO_TEXT_SETTING(field, variable, meaning)
#define RONDO_NUMBER_SETTING(field, variable, least, value, most, meaning) one(settings.field);
#include "registry/settings.def"
  }
  template <class Visit>
  void visit_texts(Visit&& one) {
    one(error);
    for (auto& algorithm : hints.algorithms) one(algorithm);
    one(hints.measure);
#define RONDO_TEXT_SETTING(field, variable, meaning) one(settings.field);
#define RONDO_NUMBER_SETTING(field, variable, least, value, most, meaning)
#include "registry/settings.def"
  }
};

constexpr char kIsSet = '=';

void encode(const std::string& setting, std::string& out) {
  if (!setting.empty()) out.append(1, kIsSet).append(setting);
}
void encode(const std::optional<std::string>& text, std::string& out) {
  if (text) out.append(1, kIsSet).append(*text);
}

/// Each text ends with a 0 byte; a text that is set begins with kIsSet. Empty if no text is set.
std::string encoded_texts(Announcement& announcement) {
  std::string out;
  announcement.visit_texts([&](const auto& one) {
    encode(one, out);
    out += '\0';
  });
  return out.find(kIsSet) == out.npos ? std::string() : out;
}

void decode_texts(const std::string& text, Announcement& announcement) {
  const char* at = text.c_str();
  announcement.visit_texts([&](auto& one) {
    if (*at == kIsSet) one = at + 1;
    at += std::strlen(at) + 1;
  });
}

/// Rondo's environment variables, found in one pass, since an environment has hundreds of others.
class Environment {
 public:
  Environment() {
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
      if (**entry == 'R' && std::strncmp(*entry, "RONDO_", 6) == 0) entries_.push_back(*entry);
  }

  const char* operator()(std::string_view variable) const {
    for (const char* const entry : entries_)
      if (std::string_view(entry).starts_with(variable) && entry[variable.size()] == '=')
        return entry + variable.size() + 1;
    return nullptr;
  }

  /// Calls visit(name) for each.
  template <class Visit>
  void for_each_name(Visit&& visit) const {
    for (const std::string_view entry : entries_) visit(entry.substr(0, entry.find('=')));
  }

 private:
  std::vector<const char*> entries_;
};

/// Whether this process is rank 0 of the program. With sessions alone there is no such rank.
bool is_first_in_world() {
  int has_world = 0;
  int rank = 0;
  check(PMPI_Initialized(&has_world), "MPI_Initialized");
  if (has_world) check(PMPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  return rank == 0;
}

/// Once in a process. A misspelt name would otherwise look like a setting that has no effect.
void warn_of_unknown(const Environment& environment) {
  static std::atomic_flag has_looked;
  if (has_looked.test_and_set(std::memory_order_relaxed) || !is_first_in_world()) return;
  environment.for_each_name([](std::string_view name) {
    const std::string why = registry::why_unknown(name);
    if (!why.empty()) std::fprintf(stderr, "rondo: %s\n", why.c_str());
  });
}

void put_hints(Hints& hints, MPI_Info info) {
  if (info == MPI_INFO_NULL) return;
  std::array<char, MPI_MAX_INFO_VAL + 1> value{};
  for (std::size_t i = 0; i < kKeys.size(); ++i) {
    int is_set = 0;
    check(PMPI_Info_get(info, kKeys[i], MPI_MAX_INFO_VAL, value.data(), &is_set), "MPI_Info_get");
    if (is_set) (i == kMeasure ? hints.measure : hints.algorithms[i]) = value.data();
  }
}

/// Fills in an announcement by `write`, and returns its texts. What is wrong with them is one of them.
template <class Write>
std::string written(Announcement& announcement, Write&& write) {
  try {
    write(announcement);
  } catch (const Error& error) {
    announcement.error = error.what();
  }
  return encoded_texts(announcement);
}

/// Replaces the texts of an announcement by those of rank 0, which have `bytes` bytes.
void broadcast_texts(MPI_Comm comm, std::string& text, std::size_t bytes,
                     Announcement& announcement) {
  text.resize(bytes);
  mpi::broadcast_on(comm, text.data(), text.size());
  decode_texts(text, announcement);
}

/// Returns rank 0's announcement, which `write` fills in there. If `write` throws, or any rank has a `failure`, all
/// ranks throw. The other ranks' numbers are below those of rank 0, so that the greatest are rank 0's.
template <class Write>
Announcement announced_by_rank_0(MPI_Comm comm, std::optional<Error> failure, Write&& write) {
  int rank = 0;
  check(PMPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  Announcement announcement;
  std::string text;
  if (rank == 0 && !failure) failure = failure_of([&] { text = written(announcement, write); });
  // The length of the texts and the numbers are always sent. Most environments set at most numbers, and a
  // communicator that lives for a few calls should not pay for texts that nobody set.
  std::array<std::int64_t, 2 + kNumbers> numbers;
  numbers.fill(INT64_MIN);
  std::int64_t& text_bytes = numbers[1];
  if (rank == 0) {
    text_bytes = static_cast<std::int64_t>(text.size());
    auto number = numbers.begin() + 2;
    announcement.visit_numbers([&](std::int64_t one) { *number++ = one; });
  }
  mpi::fail_together_on(comm, failure, numbers);
  auto number = numbers.begin() + 2;
  announcement.visit_numbers([&](std::int64_t& one) { one = *number++; });
  if (text_bytes != 0)
    broadcast_texts(comm, text, static_cast<std::size_t>(text_bytes), announcement);
  if (announcement.error) throw Error(ErrorClass::argument, *announcement.error);
  return announcement;
}

}  // namespace

registry::Settings settings_of_rank_0(MPI_Comm comm) {
  Announcement announcement = announced_by_rank_0(comm, std::nullopt, [&](Announcement& own) {
    const Environment environment;
    warn_of_unknown(environment);
    own.settings = registry::read_settings(environment);
    MPI_Info info = MPI_INFO_NULL;
    check(PMPI_Comm_get_info(comm, &info), "MPI_Comm_get_info");
    put_hints(own.hints, info);
    check(PMPI_Info_free(&info), "MPI_Info_free");
  });
  registry::Settings& settings = announcement.settings;
  Hints& hints = announcement.hints;
  std::string* const fields[] = {&settings.alltoall, &settings.alltoallv, &settings.alltoallw,
                                 &settings.sparse_alltoallv, &settings.neighbor_alltoallv};
  for (std::size_t form = 0; form < hints.algorithms.size(); ++form)
    if (hints.algorithms[form]) *fields[form] = std::move(*hints.algorithms[form]);
  return std::move(settings);
}

Hints hints_of_rank_0(MPI_Comm comm, MPI_Info info, const std::optional<Error>& failure) {
  return announced_by_rank_0(comm, failure, [&](Announcement& own) { put_hints(own.hints, info); })
      .hints;
}

bool requests_measuring(const Hints& hints) {
  const std::string_view value = hints.measure ? std::string_view(*hints.measure) : "0";
  if (value == "1" || value == "true") return true;
  if (value == "0" || value == "false") return false;
  throw error_together([&] {
    return Error(ErrorClass::argument, text("the info key ", kKeys[kMeasure], " is '", value,
                                            "'; it must be 1, true, 0 or false"));
  });
}

}  // namespace rondo::communicator
