// Analyses the programs of a JSON file in one launch: [{"text": ..., "k": [...]}, ...], or "generate"
// instead of "text". Prints a JSON array with the result for each program and each of its k.
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "common/options.hpp"
#include "kcfa/analysis.hpp"
#include "kcfa/flow.hpp"
#include "kcfa/generate.hpp"
#include "support/program.hpp"

namespace {

using namespace rondo;
using Json = nlohmann::ordered_json;

struct BatchOptions {
  std::string file;
  std::string algorithm;
};

struct Item {
  std::string text;
  int k = 0;
};

class Batch {
 public:
  explicit Batch(const std::string& algorithm) : comm_(MPI_COMM_WORLD), timer_(comm_, false) {
    apps::choose_algorithm(comm_.get(), algorithm);
  }

  Json analyse(const Item& item) {
    kcfa::Analysis analysis(comm_, timer_, {.k = item.k});
    const kcfa::Term term = kcfa::read_term({"batch", item.text});
    if (comm_.rank() == 0) analysis.set_term(term);
    const std::size_t rounds = analysis.run().size();
    const kcfa::Counts counts = analysis.counts();
    return {{"text", item.text},
            {"k", item.k},
            {"counts",
             {{"points", counts.points},
              {"returns", counts.returns},
              {"bindings", counts.bindings},
              {"environments", counts.environments},
              {"calls", counts.calls}}},
            {"flow", kcfa::flow_lines(comm_, analysis, term)},
            {"rounds", rounds}};
  }

 private:
  support::Communicator comm_;
  apps::ExchangeTimer timer_;
};

std::vector<Item> read_items(const std::string& file) {
  std::vector<Item> items;
  std::ifstream in(file);
  for (const Json& program : Json::parse(in))
    for (const int k : program["k"]) {
      if (program.contains("generate"))
        items.push_back({kcfa::generate_program(program["generate"]).text, k});
      else
        items.push_back({program["text"], k});
    }
  return items;
}

int analyse_all(const BatchOptions& options, int rank) {
  Batch batch(options.algorithm);
  Json found = Json::array();
  for (const Item& item : read_items(options.file)) found.push_back(batch.analyse(item));
  if (rank == 0) fmt::print("{}\n", found.dump());
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  return support::run_program<BatchOptions>(
      "kcfa_batch",
      [&]() -> std::variant<BatchOptions, std::string> {
        if (argc != 3) throw Error(ErrorClass::argument, "usage: kcfa_batch FILE ALGORITHM");
        return BatchOptions{argv[1], argv[2]};
      },
      analyse_all);
}
