#include "simulate/exchange.hpp"
#include "simulate/flat.hpp"
#include "simulate/node.hpp"

namespace rondo::simulate {

namespace {

/// In place of the MPI library's own call what the machine says that it does.
choice::Choice known_choice(const Exchange& exchange, const Machine& machine) {
  const registry::Algorithm& row = *exchange.choice.algorithm;
  if (row.shape != registry::Shape::library) return exchange.choice;
  const bool is_uniform = row.collective == registry::Collective::alltoall;
  const std::string& known = is_uniform ? machine.mpi_alltoall : machine.mpi_alltoallv;
  return choice::resolve(choice::parse(row.collective, known), exchange.layout);
}

}  // namespace

Outcome simulate(const Exchange& asked, const Machine& machine) {
  require_valid(machine);
  const choice::Layout& layout = asked.layout;
  if (layout.uneven_nodes != 0 || layout.nodes * layout.per_node != layout.ranks)
    throw Error(ErrorClass::argument, text("nodes of ", layout.per_node, " ranks do not hold ",
                                           layout.ranks, ": all nodes must have as many"));
  Exchange exchange = asked;
  exchange.choice = known_choice(asked, machine);
  if (exchange.choice.algorithm->collective == registry::Collective::alltoall)
    exchange.load.distribution = {};
  Run run(exchange, machine);
  if (exchange.choice.algorithm->shape == registry::Shape::node)
    run_nodes(run, exchange);
  else
    run_flat(run, exchange);
  return run.outcome();
}

}  // namespace rondo::simulate
