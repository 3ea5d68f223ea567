#include "communicator/announcement.hpp"

#include <unistd.h>

#include <array>
#include <cstring>
#include <string_view>
#include <vector>

#include "mpi/error.hpp"

namespace rondo::communicator {

using mpi::check;

namespace {

/// The info keys: the algorithm of each form, and whether a plan measures.
constexpr std::array kKeys = {"rondo_alltoall",           "rondo_alltoallv",
                              "rondo_alltoallw",          "rondo_sparse_alltoallv",
                              "rondo_neighbor_alltoallv", "rondo_measure"};
constexpr std::size_t kMeasure = kKeys.size() - 1;

using AnnouncedText = std::optional<std::string>;

/// The part that is always sent. Most environments set at most numbers, and a communicator that
/// lives for a few calls should not pay for texts that nobody set.
struct AnnouncedNumbers {
  std::uint64_t text_bytes = 0;  ///< of the texts that follow; 0 if none is set
#define RONDO_TEXT_SETTING(field, variable, meaning)
#define RONDO_NUMBER_SETTING(field, variable, least, value, most, meaning) std::int64_t field = 0;
#include "registry/settings.def"
};

struct AnnouncedTexts {
  AnnouncedText error;  ///< why rank 0 could not read the rest
  std::array<AnnouncedText, kKeys.size()> hints;
#define RONDO_TEXT_SETTING(field, variable, meaning) AnnouncedText field;
#define RONDO_NUMBER_SETTING(field, variable, least, value, most, meaning)
#include "registry/settings.def"

  /// Visits all texts, always in the same order.
  template <class Visit>
  void visit(Visit&& one) {
    one(error);
    for (AnnouncedText& hint : hints) one(hint);
#define RONDO_TEXT_SETTING(field, variable, meaning) one(field);
#define RONDO_NUMBER_SETTING(field, variable, least, value, most, meaning)
#include "registry/settings.def"
  }
};

/// What rank 0 broadcasts: the settings or the hints.
struct Announcement : AnnouncedNumbers, AnnouncedTexts {};

constexpr char kIsSet = '=';

/// Each text ends with a 0 byte; a text that is set begins with kIsSet. Empty if no text is set.
std::string encoded(AnnouncedTexts& texts) {
  std::string out;
  bool has_one = false;
  texts.visit([&](const AnnouncedText& one) {
    has_one = has_one || one;
    if (one) out.append(1, kIsSet).append(*one);
    out += '\0';
  });
  return has_one ? out : std::string();
}

void decode(const std::string& text, AnnouncedTexts& texts) {
  const char* at = text.c_str();
  texts.visit([&](AnnouncedText& one) {
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

 private:
  std::vector<const char*> entries_;
};

void put(AnnouncedText& out, const std::string& value) {
  if (!value.empty()) out = value;
}
void put(std::int64_t& out, std::int64_t value) {
  out = value;
}
void take(std::string& out, const AnnouncedText& value) {
  out = value.value_or("");
}
void take(std::int64_t& out, std::int64_t value) {
  out = value;
}

void put_environment(Announcement& announcement) {
  const registry::Settings settings = registry::read_settings(Environment());
#define RONDO_TEXT_SETTING(field, variable, meaning) put(announcement.field, settings.field);
#define RONDO_NUMBER_SETTING(field, variable, least, value, most, meaning) \
  put(announcement.field, settings.field);
#include "registry/settings.def"
}

void put_hints(Announcement& announcement, MPI_Info info) {
  if (info == MPI_INFO_NULL) return;
  std::array<char, MPI_MAX_INFO_VAL + 1> value{};
  for (std::size_t i = 0; i < kKeys.size(); ++i) {
    int is_set = 0;
    check(PMPI_Info_get(info, kKeys[i], MPI_MAX_INFO_VAL, value.data(), &is_set), "MPI_Info_get");
    if (is_set) announcement.hints[i] = value.data();
  }
}

void put_hints_of(Announcement& announcement, MPI_Comm comm) {
  MPI_Info hints = MPI_INFO_NULL;
  check(PMPI_Comm_get_info(comm, &hints), "MPI_Comm_get_info");
  put_hints(announcement, hints);
  check(PMPI_Info_free(&hints), "MPI_Info_free");
}

/// Broadcasts rank 0's announcement, which `write` fills in there. If `write` throws, all ranks
/// throw.
template <class Write>
Announcement broadcast(MPI_Comm comm, Write&& write) {
  int rank = 0;
  check(PMPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  Announcement announcement;
  std::string text;
  if (rank == 0) {
    const auto failure = failure_of([&] { write(announcement); });
    if (failure) announcement.error = failure->what();
    text = encoded(announcement);
    announcement.text_bytes = text.size();
  }
  AnnouncedNumbers& numbers = announcement;
  mpi::broadcast_on(comm, &numbers, sizeof numbers);
  if (announcement.text_bytes != 0) {
    text.resize(announcement.text_bytes);
    mpi::broadcast_on(comm, text.data(), text.size());
    decode(text, announcement);
  }
  if (announcement.error) throw Error(ErrorClass::argument, *announcement.error);
  return announcement;
}

Hints hints_of(const Announcement& announcement) {
  Hints hints;
  for (std::size_t form = 0; form < hints.algorithms.size(); ++form)
    hints.algorithms[form] = announcement.hints[form];
  hints.measure = announcement.hints[kMeasure];
  return hints;
}

}  // namespace

registry::Settings agree_on_settings(MPI_Comm comm) {
  const Announcement announcement = broadcast(comm, [&](Announcement& own) {
    put_environment(own);
    put_hints_of(own, comm);
  });
  registry::Settings settings;
#define RONDO_TEXT_SETTING(field, variable, meaning) take(settings.field, announcement.field);
#define RONDO_NUMBER_SETTING(field, variable, least, value, most, meaning) \
  take(settings.field, announcement.field);
#include "registry/settings.def"
  const Hints hints = hints_of(announcement);
  std::string* const fields[] = {&settings.alltoall, &settings.alltoallv, &settings.alltoallw,
                                 &settings.sparse_alltoallv, &settings.neighbor_alltoallv};
  for (std::size_t form = 0; form < hints.algorithms.size(); ++form)
    if (hints.algorithms[form]) *fields[form] = *hints.algorithms[form];
  return settings;
}

Hints agree_on_hints(MPI_Comm comm, MPI_Info info) {
  return hints_of(broadcast(comm, [&](Announcement& own) { put_hints(own, info); }));
}

bool requests_measuring(const Hints& hints) {
  const std::string value = hints.measure.value_or("0");
  if (value == "1" || value == "true") return true;
  if (value == "0" || value == "false") return false;
  throw Error(ErrorClass::argument, text("the info key ", kKeys[kMeasure], " is '", value,
                                         "'; it must be 1, true, 0 or false"));
}

std::string announce(const mpi::TaggedComm& tagged_comm, const char* what,
                     const std::function<std::string()>& write) {
  std::string announced;
  std::optional<Error> failure;
  if (tagged_comm.rank == 0) failure = failure_of([&] { announced = write(); });
  std::uint64_t bytes = announced.size();
  mpi::broadcast(tagged_comm, reinterpret_cast<std::byte*>(&bytes), sizeof bytes);
  if (failure) throw Error(*failure);
  if (bytes == 0)
    throw Error(ErrorClass::other, text("rank 0 of the communicator failed to ", what));
  announced.resize(bytes);
  mpi::broadcast(tagged_comm, reinterpret_cast<std::byte*>(announced.data()), bytes);
  return announced;
}

}  // namespace rondo::communicator
