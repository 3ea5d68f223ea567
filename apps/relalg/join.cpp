#include "relalg/join.hpp"

#include <algorithm>
#include <utility>

namespace rondo::relalg {

Join::Join(RulePlan plan, std::deque<Table>& tables, int rank, int ranks)
    : plan_(std::move(plan)),
      tables_(tables),
      rank_(rank),
      ranks_(ranks),
      registers_(plan_.registers),
      keys_(plan_.variants.size()) {}

void Join::run(Outbox& outbox) {
  outbox_ = &outbox;
  for (const Variant& variant : plan_.variants) {
    variant_ = &variant;
    if (!worth_running()) continue;
    const Step& first = variant.steps.front();
    visit_all(first, table_of(first).old_end, 0);
  }
}

/// Whether every relation has something that could match. Indices are made and updated only here,
/// so an index that never finds anything costs nothing.
bool Join::worth_running() {
  for (const Step& step : variant_->steps) {
    const Table& table = table_of(step);
    const std::size_t begin = &step == &variant_->steps.front() ? table.old_end : 0;
    if (begin == (step.old_only ? table.old_end : table.delta_end)) return false;
  }
  for (const Step& step : variant_->steps) {
    Table& table = table_of(step);
    if (step.access == Step::Access::lookup)
      table.indices[step.index].catch_up(table.tuples, table.delta_end);
  }
  return true;
}

void Join::enter(std::size_t depth) {
  if (depth == variant_->steps.size()) {
    derive();
    return;
  }
  const Step& step = variant_->steps[depth];
  if (step.access == Step::Access::scan)
    visit_all(step, 0, depth);
  else
    visit_found(step, depth);
}

void Join::visit_all(const Step& step, std::size_t begin, std::size_t depth) {
  const Table& table = table_of(step);
  const std::size_t end = step.old_only ? table.old_end : table.delta_end;
  for (std::size_t position = begin; position < end; ++position)
    if (visit(step, position, depth) && step.any_one) return;
}

void Join::visit_found(const Step& step, std::size_t depth) {
  const Table& table = table_of(step);
  const std::size_t end = step.old_only ? table.old_end : table.delta_end;
  std::vector<Word>& key = keys_[depth];
  key.clear();
  for (const int number : step.key) key.push_back(reg(number));
  if (step.access == Step::Access::member) {
    const Position position = table.tuples.find(key.data());
    if (position < end) visit(step, position, depth);
    return;
  }
  const Index& index = table.indices[step.index];
  for (Position position = index.last(table.tuples, key.data()); position != kNowhere;
       position = index.before(position))
    if (position < end && visit(step, position, depth) && step.any_one) return;
}

/// Whether the tuple matches. If so, everything that follows from it has been derived.
bool Join::visit(const Step& step, std::size_t position, std::size_t depth) {
  const Table& table = table_of(step);
  const Word* tuple = table.tuples[position];
  for (const Move& bind : step.binds) reg(bind.reg) = tuple[bind.column];
  for (const Move& check : step.checks)
    if (reg(check.reg) != tuple[check.column]) return false;
  if (step.counted_only && !table.counted_here(tuple, rank_, ranks_)) return false;
  for (const std::size_t number : step.computed)
    if (!compute(variant_->computations[number])) return false;
  enter(depth + 1);
  return true;
}

bool Join::compute(const Computation& computation) {
  in_.clear();
  for (const int number : computation.in) in_.push_back(reg(number));
  out_.assign(computation.out, 0);
  if (!computation.function(in_, out_)) return false;
  for (const Move& bind : computation.binds)
    reg(bind.reg) = out_[static_cast<std::size_t>(bind.column)];
  for (const Move& check : computation.checks)
    if (reg(check.reg) != out_[static_cast<std::size_t>(check.column)]) return false;
  return true;
}

void Join::derive() {
  for (const Head& head : plan_.heads) {
    tuple_.clear();
    for (const int number : head.registers) tuple_.push_back(reg(number));
    outbox_->add(head.relation, tuple_.data());
  }
}

}  // namespace rondo::relalg
