#include "watch/scene.hpp"

#include <cctype>

#include "base/error.hpp"

namespace rondo::watch {

namespace {

/// The library carries out a sparse exchange by this one.
std::string mpi_name_of(const std::string& form) {
  std::string name = form == "sparse_alltoallv" ? "alltoallv" : form;
  if (name.empty()) return "a collective";
  name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  return "MPI_" + name;
}

std::string named(const Exchange& exchange) {
  if (exchange.is_in_library) return mpi_name_of(exchange.form) + " of the MPI library";
  return exchange.form.empty() ? "the first exchange there" : exchange.form;
}

/// What a rank does that is not in this exchange, or calls it by another name.
std::string doing(const Exchange& its, const Exchange& here) {
  if (!its.is_same_communicator)
    return text("in exchange ", its.number, " on ", its.communicator, ": ", named(its));
  if (its.number != here.number)
    return text("in exchange ", its.number, " on this communicator: ", named(its));
  if (its.form != here.form && !its.form.empty() && !here.form.empty())
    return text("calls ", its.form, " where this rank calls ", here.form);
  return "in this exchange";
}

std::string activity_text(const Other& other, const Exchange& here) {
  switch (other.activity) {
    case Activity::ended:
      return "its process has ended";
    case Activity::stopped:
      return "stopped, by a signal or a debugger, " +
             (!other.can_be_seen ? std::string("where it was")
              : other.exchange   ? doing(*other.exchange, here)
                                 : std::string("in no exchange"));
    default:
      break;
  }
  if (!other.can_be_seen) return "runs, but its memory may not be looked at";
  if (other.exchange) return doing(*other.exchange, here);
  return other.activity == Activity::runs ? "in no exchange; it runs" : "in no exchange; it sleeps";
}

std::string missing_line(const Other& other, const Exchange& here) {
  return text("  missing: rank ", other.rank, " (rank ", other.rank_of_job, " of the job, process ",
              other.process, "): ", activity_text(other, here));
}

std::string exchange_line(const Scene& scene) {
  std::string line = "  exchange: " + named(scene.exchange);
  if (!scene.exchange.is_in_library && !scene.algorithm.empty()) line += " by " + scene.algorithm;
  if (scene.bytes)
    line +=
        text("; this rank sends ", *scene.bytes, " bytes, at most ", scene.longest, " to a rank");
  return line;
}

void add(std::string& block, const std::string& line) {
  block += kPrefix + line + '\n';
}

/// What can be said if no rank of the node is missing.
const char* none_missing(const Scene& scene) {
  if (!scene.unknown.empty()) return nullptr;
  return scene.on_other_nodes.empty()
             ? "  no rank is missing: the exchange takes long, or the lengths of two ranks differ "
               "(RONDO_CHECK=1 compares them)"
             : "  no rank of this node is missing";
}

}  // namespace

std::string seconds_of(std::int64_t milliseconds) {
  const std::int64_t tenths = milliseconds / 100;
  return tenths % 10 == 0 ? text(tenths / 10, " s") : text(tenths / 10, ".", tenths % 10, " s");
}

std::string ranges_of(const std::vector<int>& ranks) {
  std::string ranges;
  for (std::size_t first = 0; first < ranks.size();) {
    std::size_t last = first;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    ranges += text(ranges.empty() ? "" : ",", ranks[first]);
    if (last != first) ranges += text("-", ranks[last]);
    first = last + 1;
  }
  return ranges;
}

bool Other::waits_in(const Exchange& here) const {
  const bool is_alive = activity != Activity::ended && activity != Activity::stopped;
  return is_alive && exchange && exchange->is_same_communicator &&
         exchange->number == here.number &&
         (exchange->form == here.form || exchange->form.empty() || here.form.empty());
}

std::string text_of(const Scene& scene) {
  const Exchange& here = scene.exchange;
  std::string block;
  add(block, text("rank ", scene.rank, " (process ", scene.process, " on ", scene.node,
                  ") has waited for ", seconds_of(scene.milliseconds), " in exchange ", here.number,
                  " on ", here.communicator));
  add(block, text("  communicator: ", scene.ranks, " ranks, ", scene.members));
  add(block, exchange_line(scene));
  std::vector<int> waiting;
  std::vector<int> passed;
  std::vector<const Other*> missing;
  bool has_listed_self = false;
  for (const Other& other : scene.others) {
    if (!has_listed_self && other.rank > scene.rank) {
      waiting.push_back(scene.rank);
      has_listed_self = true;
    }
    const bool is_gone = other.activity == Activity::ended || other.activity == Activity::stopped;
    if (other.waits_in(here))
      waiting.push_back(other.rank);
    else if (other.has_passed && !is_gone)
      passed.push_back(other.rank);
    else
      missing.push_back(&other);
  }
  if (!has_listed_self) waiting.push_back(scene.rank);
  add(block,
      text("  waiting here: ", waiting.size() == 1 ? "rank " : "ranks ", ranges_of(waiting)));
  if (!passed.empty()) add(block, "  have passed it: ranks " + ranges_of(passed));
  for (const Other* other : missing) add(block, missing_line(*other, here));
  if (!scene.unknown.empty())
    add(block, text("  not known to this rank: ranks ", ranges_of(scene.unknown),
                    scene.is_first ? "; it is the first exchange with them"
                                   : "; they cannot tell it where they are"));
  if (missing.empty())
    if (const char* line = none_missing(scene)) add(block, line);
  if (!scene.on_other_nodes.empty())
    add(block, text("  on other nodes: ranks ", ranges_of(scene.on_other_nodes),
                    "; each node prints a block of its own"));
  return block;
}

}  // namespace rondo::watch
