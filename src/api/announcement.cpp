#include "api/announcement.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "exchange/mpi_error.hpp"

namespace rondo::api {

using exchange::check;

namespace {

constexpr std::size_t kTextBytes = 1024;

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
  std::optional<std::string> get() const {
    return characters[0] == '=' ? std::optional<std::string>(characters + 1) : std::nullopt;
  }
};

/// What is broadcast: the settings or hints, or why rank 0 cannot read them.
struct Announcement {
  Text error;
  Text hints[3];
#define RONDO_TEXT_SETTING(field, variable, meaning) Text field;
#define RONDO_NUMBER_SETTING(field, variable, value, meaning) std::int64_t field = 0;
#include "registry/settings.def"
#undef RONDO_TEXT_SETTING
#undef RONDO_NUMBER_SETTING
};

void put(Text& out, const std::string& value, const char* variable) {
  out.set(value, variable);
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
#define RONDO_NUMBER_SETTING(field, variable, value, meaning) \
  put(announcement.field, settings.field, variable);
#include "registry/settings.def"
#undef RONDO_TEXT_SETTING
#undef RONDO_NUMBER_SETTING
}

void put_hints(Announcement& announcement, MPI_Info info) {
  if (info == MPI_INFO_NULL) return;
  constexpr const char* kKeys[] = {"rondo_alltoall", "rondo_alltoallv", "rondo_alltoallw"};
  for (std::size_t form = 0; form < std::size(kKeys); ++form) {
    std::string value(MPI_MAX_INFO_VAL + 1, '\0');
    int is_set = 0;
    check(PMPI_Info_get(info, kKeys[form], MPI_MAX_INFO_VAL, value.data(), &is_set),
          "MPI_Info_get");
    if (is_set) announcement.hints[form].set(value.c_str(), kKeys[form]);
  }
}

void put_hints_of(Announcement& announcement, MPI_Comm comm) {
  MPI_Info hints = MPI_INFO_NULL;
  check(PMPI_Comm_get_info(comm, &hints), "MPI_Comm_get_info");
  put_hints(announcement, hints);
  check(PMPI_Info_free(&hints), "MPI_Info_free");
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
  }
  check(PMPI_Bcast(&announcement, sizeof announcement, MPI_BYTE, 0, comm), "MPI_Bcast");
  if (const auto error = announcement.error.get()) throw Error(ErrorClass::argument, *error);
  return announcement;
}

Hints hints_of(const Announcement& announcement) {
  Hints hints;
  std::ranges::transform(announcement.hints, hints.begin(),
                         [](const Text& hint) { return hint.get(); });
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
#define RONDO_NUMBER_SETTING(field, variable, value, meaning) \
  take(settings.field, announcement.field);
#include "registry/settings.def"
#undef RONDO_TEXT_SETTING
#undef RONDO_NUMBER_SETTING
  const Hints hints = hints_of(announcement);
  std::string* const fields[] = {&settings.alltoall, &settings.alltoallv, &settings.alltoallw};
  for (std::size_t form = 0; form < hints.size(); ++form)
    if (hints[form]) *fields[form] = *hints[form];
  return settings;
}

Hints agree_on_hints(MPI_Comm comm, MPI_Info info) {
  return hints_of(broadcast(comm, [&](Announcement& own) { put_hints(own, info); }));
}

}  // namespace rondo::api
