#include "api/announcement.hpp"

#include <array>
#include <cstdlib>
#include <string_view>

#include "exchange/mpi_error.hpp"

namespace rondo::api {

using exchange::check;

namespace {

constexpr std::size_t kTextBytes = 1024;

/// Of info objects: an algorithm by form, and whether a plan measures.
constexpr std::array kKeys = {"rondo_alltoall", "rondo_alltoallv", "rondo_alltoallw",
                              "rondo_measure"};
constexpr std::size_t kMeasure = 3;

/// A text of bounded length that can be broadcast; the first character says whether there is one.
struct Text {
  char characters[kTextBytes] = "";

  void set(std::string_view value, std::string_view what) {
    if (value.size() + 2 > kTextBytes)
      throw Error(ErrorClass::argument,
                  text(what, " is longer than ", kTextBytes - 2, " characters"));
    characters[0] = '=';
    characters[1 + value.copy(characters + 1, value.size())] = '\0';
  }
  bool is_set() const { return characters[0] == '='; }
  std::optional<std::string> get() const {
    return is_set() ? std::optional<std::string>(characters + 1) : std::nullopt;
  }
};

/// What always travels. Most environments name numbers at most, and a communicator that lives for a
/// few calls should not pay for texts that nobody gave.
struct AnnouncedNumbers {
  std::int64_t has_texts = 0;
#define RONDO_TEXT_SETTING(field, variable, meaning)
#define RONDO_NUMBER_SETTING(field, variable, value, most, meaning) std::int64_t field = 0;
#include "registry/settings.def"
#undef RONDO_TEXT_SETTING
#undef RONDO_NUMBER_SETTING
};

struct AnnouncedTexts {
  Text error;  ///< why rank 0 cannot read the rest
  Text hints[kKeys.size()];
#define RONDO_TEXT_SETTING(field, variable, meaning) Text field;
#define RONDO_NUMBER_SETTING(field, variable, value, most, meaning)
#include "registry/settings.def"
#undef RONDO_TEXT_SETTING
#undef RONDO_NUMBER_SETTING
};

/// What is broadcast: the settings or hints.
struct Announcement : AnnouncedNumbers, AnnouncedTexts {};

void put(Text& out, const std::string& value, const char* variable) {
  if (!value.empty()) out.set(value, variable);
}
void put(std::int64_t& out, std::int64_t value, const char*) {
  out = value;
}
void take(std::string& out, const Text& value) {
  out = value.get().value_or("");
}
void take(std::int64_t& out, std::int64_t value) {
  out = value;
}

void put_environment(Announcement& announcement) {
  const registry::Settings settings =
      registry::read_settings([](const char* name) -> const char* { return std::getenv(name); });
#define RONDO_TEXT_SETTING(field, variable, meaning) \
  put(announcement.field, settings.field, variable);
#define RONDO_NUMBER_SETTING(field, variable, value, most, meaning) \
  put(announcement.field, settings.field, variable);
#include "registry/settings.def"
#undef RONDO_TEXT_SETTING
#undef RONDO_NUMBER_SETTING
}

void put_hints(Announcement& announcement, MPI_Info info) {
  if (info == MPI_INFO_NULL) return;
  for (std::size_t i = 0; i < kKeys.size(); ++i) {
    std::string value(MPI_MAX_INFO_VAL + 1, '\0');
    int is_set = 0;
    check(PMPI_Info_get(info, kKeys[i], MPI_MAX_INFO_VAL, value.data(), &is_set), "MPI_Info_get");
    if (is_set) announcement.hints[i].set(value.c_str(), kKeys[i]);
  }
}

void put_hints_of(Announcement& announcement, MPI_Comm comm) {
  MPI_Info hints = MPI_INFO_NULL;
  check(PMPI_Comm_get_info(comm, &hints), "MPI_Comm_get_info");
  put_hints(announcement, hints);
  check(PMPI_Info_free(&hints), "MPI_Info_free");
}

bool has_texts(const AnnouncedTexts& texts) {
  bool has_one = texts.error.is_set();
  for (const Text& hint : texts.hints) has_one = has_one || hint.is_set();
#define RONDO_TEXT_SETTING(field, variable, meaning) has_one = has_one || texts.field.is_set();
#define RONDO_NUMBER_SETTING(field, variable, value, most, meaning)
#include "registry/settings.def"
#undef RONDO_TEXT_SETTING
#undef RONDO_NUMBER_SETTING
  return has_one;
}

/// Rank 0's announcement, which `write` fills there; an error there is one everywhere.
template <class Write>
Announcement broadcast(MPI_Comm comm, Write&& write) {
  int rank = 0;
  check(PMPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  Announcement announcement;
  if (rank == 0) {
    try {
      write(announcement);
    } catch (const std::exception& error) {
      const std::string_view what(error.what());
      announcement.error.set(what.substr(0, kTextBytes - 2), "");
    }
    announcement.has_texts = has_texts(announcement) ? 1 : 0;
  }
  AnnouncedNumbers& numbers = announcement;
  check(PMPI_Bcast(&numbers, sizeof numbers, MPI_BYTE, 0, comm), "MPI_Bcast");
  AnnouncedTexts& texts = announcement;
  if (announcement.has_texts != 0)
    check(PMPI_Bcast(&texts, sizeof texts, MPI_BYTE, 0, comm), "MPI_Bcast");
  if (const auto error = announcement.error.get()) throw Error(ErrorClass::argument, *error);
  return announcement;
}

Hints hints_of(const Announcement& announcement) {
  Hints hints;
  for (std::size_t form = 0; form < hints.algorithms.size(); ++form)
    hints.algorithms[form] = announcement.hints[form].get();
  hints.measure = announcement.hints[kMeasure].get();
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
#define RONDO_NUMBER_SETTING(field, variable, value, most, meaning) \
  take(settings.field, announcement.field);
#include "registry/settings.def"
#undef RONDO_TEXT_SETTING
#undef RONDO_NUMBER_SETTING
  const Hints hints = hints_of(announcement);
  std::string* const fields[] = {&settings.alltoall, &settings.alltoallv, &settings.alltoallw};
  for (std::size_t form = 0; form < hints.algorithms.size(); ++form)
    if (hints.algorithms[form]) *fields[form] = *hints.algorithms[form];
  return settings;
}

Hints agree_on_hints(MPI_Comm comm, MPI_Info info) {
  return hints_of(broadcast(comm, [&](Announcement& own) { put_hints(own, info); }));
}

bool asks_to_measure(const Hints& hints) {
  const std::string value = hints.measure.value_or("0");
  if (value == "1" || value == "true") return true;
  if (value == "0" || value == "false") return false;
  throw Error(ErrorClass::argument, text("the info key ", kKeys[kMeasure], " is '", value,
                                         "', must be 1, true, 0 or false"));
}

std::string announce(MPI_Comm comm, const char* what, const std::function<std::string()>& write) {
  int rank = 0;
  check(PMPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  std::string announced;
  std::optional<Error> failure;
  if (rank == 0) failure = failure_of([&] { announced = write(); });
  std::uint64_t bytes = announced.size();
  check(PMPI_Bcast(&bytes, 1, MPI_UINT64_T, 0, comm), "MPI_Bcast");
  if (failure) throw Error(*failure);
  if (bytes == 0)
    throw Error(ErrorClass::other, text("rank 0 of the communicator failed to ", what));
  announced.resize(bytes);
  check(PMPI_Bcast(announced.data(), static_cast<int>(bytes), MPI_CHAR, 0, comm), "MPI_Bcast");
  return announced;
}

}  // namespace rondo::api
