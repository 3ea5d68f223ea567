// Derives what follows from the tuples of the last round.
#pragma once

#include <deque>
#include <vector>

#include "relalg/outbox.hpp"
#include "relalg/plan.hpp"
#include "relalg/table.hpp"

namespace rondo::relalg {

/// Runs one rule. The loops are nested as its steps are, and share only the registers.
class Join {
 public:
  Join(RulePlan plan, std::deque<Table>& tables, int rank, int ranks);

  /// Adds to the outbox what the rule derives from the last round's tuples on this rank.
  void run(Outbox& outbox);

 private:
  bool worth_running();
  void enter(std::size_t depth);
  void visit_all(const Step& step, std::size_t begin, std::size_t depth);
  void visit_found(const Step& step, std::size_t depth);
  bool visit(const Step& step, std::size_t position, std::size_t depth);
  bool compute(const Computation& computation);
  void derive();

  Table& table_of(const Step& step) { return tables_[static_cast<std::size_t>(step.relation)]; }
  Word& reg(int number) { return registers_[static_cast<std::size_t>(number)]; }

  RulePlan plan_;
  std::deque<Table>& tables_;
  int rank_;
  int ranks_;
  std::vector<Word> registers_;
  std::vector<std::vector<Word>> keys_;  ///< one for each depth
  std::vector<Word> in_, out_, tuple_;
  const Variant* variant_ = nullptr;
  Outbox* outbox_ = nullptr;
};

}  // namespace rondo::relalg
