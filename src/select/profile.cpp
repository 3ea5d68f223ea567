#include "select/profile.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/file.hpp"
#include "select/item.hpp"

namespace rondo::select {

namespace {

/// Written in the order of the fields.
using Ordered = nlohmann::ordered_json;
using registry::Collective;

constexpr const char* kSchema = "rondo-profile";
constexpr int kFormat = 1;

// Tuning never writes more.
constexpr std::size_t kMostLayouts = 4096;
constexpr std::size_t kMostBands = 256;
constexpr int kMostRanks = 1 << 30;

/// Calls visit(name, number) for every number of a machine.
template <class Machine, class Visit>
void for_each_number(Machine& machine, Visit&& visit) {
  const auto of_link = [&](const std::string& name, auto& link) {
    visit(name + "_alpha_seconds", link.hockney.alpha_seconds);
    visit(name + "_beta_seconds_per_byte", link.hockney.beta_seconds_per_byte);
    visit(name + "_latency_seconds", link.loggp.latency_seconds);
    visit(name + "_overhead_seconds", link.loggp.overhead_seconds);
    visit(name + "_gap_seconds", link.loggp.gap_seconds);
    visit(name + "_gap_seconds_per_byte", link.loggp.gap_seconds_per_byte);
  };
  of_link("inside", machine.inside);
  of_link("between", machine.between);
  visit("adapter_seconds_per_byte", machine.host.adapter_seconds_per_byte);
  visit("copy_seconds_per_byte", machine.host.copy_seconds_per_byte);
  visit("copy_seconds_per_block", machine.host.copy_seconds_per_block);
  visit("typed_seconds_per_block", machine.host.typed_seconds_per_block);
  visit("arrival_seconds", machine.host.arrival_seconds);
  visit("switch_seconds", machine.host.switch_seconds);
}

choice::OpenChoice read_choice(const Item& item, Collective collective) {
  const std::string name = item.string();
  try {
    return choice::parse(collective, name);
  } catch (const Error& error) {
    refuse(item.where(), text("is '", name, "': ", error.what()));
  }
}

Bands read_bands(const Item& item, Collective collective) {
  Bands bands;
  const auto list = item.list(kMostBands);
  if (list.empty()) refuse(item.where(), "is empty");
  for (std::size_t i = 0; i < list.size(); ++i) {
    Band band;
    band.choice = read_choice(list[i].at("algorithm"), collective);
    if (list[i].has("reason")) band.reason = list[i].at("reason").string();
    const std::int64_t least =
        bands.empty() ? 0 : static_cast<std::int64_t>(bands.back().up_to) + 1;
    if (i + 1 < list.size())
      band.up_to = static_cast<std::size_t>(list[i].at("up_to").whole(least, INT64_MAX - 1));
    bands.push_back(std::move(band));
  }
  return bands;
}

choice::Layout read_layout(const Item& item) {
  const auto number = [&](const char* name, std::int64_t least, std::int64_t most) {
    return static_cast<int>(item.at(name).whole(least, most));
  };
  choice::Layout layout;
  layout.ranks = number("ranks", 1, kMostRanks);
  layout.nodes = number("nodes", 1, layout.ranks);
  layout.per_node = number("per_node", 1, layout.ranks);
  layout.uneven_nodes = number("uneven_nodes", 0, layout.ranks);
  if (std::int64_t{layout.nodes} * layout.per_node != layout.ranks)
    refuse(item.where(),
           text("has ", layout.ranks, " ranks, but ", layout.nodes, " nodes of ", layout.per_node));
  return layout;
}

Measured read_measured(const Item& item) {
  return {.layout = read_layout(item),
          .decisions = {.alltoall = read_bands(item.at("alltoall"), Collective::alltoall),
                        .alltoallv = read_bands(item.at("alltoallv"), Collective::alltoallv)}};
}

model::Machine read_machine(const Item& item, int cores) {
  model::Machine machine{};
  for_each_number(machine,
                  [&](const std::string& name, double& number) { number = item.at(name).price(); });
  machine.host.cores = cores;
  return machine;
}

Ordered to_json(const Bands& bands) {
  Ordered list = Ordered::array();
  for (const Band& band : bands) {
    Ordered entry = Ordered::object();
    if (band.up_to != kNoEnd) entry["up_to"] = band.up_to;
    entry["algorithm"] = band.choice.text();
    entry["reason"] = band.reason;
    list.push_back(std::move(entry));
  }
  return list;
}

Ordered to_json(const Measured& measured) {
  const choice::Layout& layout = measured.layout;
  return {{"ranks", layout.ranks},
          {"nodes", layout.nodes},
          {"per_node", layout.per_node},
          {"uneven_nodes", layout.uneven_nodes},
          {"alltoall", to_json(measured.decisions.alltoall)},
          {"alltoallv", to_json(measured.decisions.alltoallv)}};
}

/// Minor versions may differ in their algorithms and choices.
std::string_view series(std::string_view version) {
  return version.substr(0, version.rfind('.'));
}

/// The kernel's name for the processor, if it has one.
std::string processor_name() {
  std::ifstream information("/proc/cpuinfo");
  constexpr std::string_view kKey = "model name";
  for (std::string line; std::getline(information, line);) {
    if (!line.starts_with(kKey)) continue;
    const auto colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

/// The first line, up to a comma: "Open MPI v4.1.4", "MPICH Version: 4.0.2".
std::string first_words(std::string_view text) {
  std::string words(text.substr(0, text.find_first_of("\n\r,")));
  std::ranges::replace(words, '\t', ' ');
  return words;
}

void make_folder_of(const std::string& path) {
  std::error_code error;
  const auto folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error)
    throw Error(ErrorClass::argument, text(path, ": cannot make its folder: ", error.message()));
}

}  // namespace

const Measured* Profile::find(const choice::Layout& layout) const {
  const auto at = std::ranges::find(layouts, layout, &Measured::layout);
  return at == layouts.end() ? nullptr : &*at;
}

void Profile::put(Measured measured) {
  const auto at = std::ranges::find(layouts, measured.layout, &Measured::layout);
  if (at == layouts.end())
    layouts.push_back(std::move(measured));
  else
    *at = std::move(measured);
}

Profile parse_profile(std::string_view content) {
  if (content.size() > kLongestProfile)
    refuse("it", text("is longer than ", kLongestProfile, " bytes"));
  const Json json = Json::parse(content, nullptr, false);
  if (json.is_discarded()) refuse("it", "is not valid JSON (truncated?)");
  const Item root(json, "profile");
  if (root.at("schema").string() != kSchema) refuse("it", text("is not a ", kSchema));
  if (root.at("version").whole(0, INT64_MAX) != kFormat)
    refuse("it", text("is of another version than ", kFormat));
  const Item signature = root.at("signature");
  Profile profile{
      .rondo = root.at("rondo").string(),
      .signature = {.mpi = signature.at("mpi").string(),
                    .processor = signature.at("processor").string(),
                    .cores = static_cast<int>(signature.at("cores").whole(1, kMostRanks))},
      .machine = {},
      .layouts = {}};
  profile.machine = read_machine(root.at("machine"), profile.signature.cores);
  for (const Item& item : root.at("layouts").list(kMostLayouts))
    profile.layouts.push_back(read_measured(item));
  return profile;
}

std::string to_text(const Profile& profile) {
  Ordered machine = Ordered::object();
  for_each_number(profile.machine,
                  [&](const std::string& name, double number) { machine[name] = number; });
  Ordered layouts = Ordered::array();
  for (const Measured& measured : profile.layouts) layouts.push_back(to_json(measured));
  const Signature& signature = profile.signature;
  const Ordered json = {
      {"schema", kSchema},
      {"version", kFormat},
      {"rondo", profile.rondo},
      {"signature",
       {{"mpi", signature.mpi}, {"processor", signature.processor}, {"cores", signature.cores}}},
      {"machine", machine},
      {"layouts", layouts}};
  return json.dump(2, ' ', false, Ordered::error_handler_t::replace) + '\n';
}

Signature signature_here(std::string_view mpi_library) {
  return {.mpi = first_words(mpi_library),
          .processor = processor_name(),
          .cores = static_cast<int>(std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L))};
}

std::string refusal(const Profile& profile, const Signature& here) {
  const Signature& there = profile.signature;
  if (series(profile.rondo) != series(kVersion))
    return text("it is of Rondo ", profile.rondo, ", this is ", kVersion);
  if (there.mpi != here.mpi) return text("it is of '", there.mpi, "', this is '", here.mpi, "'");
  if (there.processor != here.processor || there.cores != here.cores)
    return text("it is of a machine with ", there.cores, " cores '", there.processor,
                "', this one has ", here.cores, " '", here.processor, "'");
  return "";
}

void require_profile_writable(const std::string& path) {
  make_folder_of(path);
  require_writable(path);
}

void write_profile(const Profile& profile, const std::string& path) {
  make_folder_of(path);
  write_file(path, to_text(profile));
}

}  // namespace rondo::select
