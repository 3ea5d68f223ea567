// What Python's help says of simulated machines.
#pragma once

namespace rondo::python::docs {

inline constexpr const char kSimulatedMachine[] =
    R"(A machine on which exchanges are simulated.

Without arguments it is a machine on which nothing takes time.

Examples
--------
>>> theta = machine("theta")
>>> theta.cores
64
>>> theta.between.latency_seconds *= 2
)";

inline constexpr const char kFromModel[] =
    R"(Convert a machine of the cost model. It has no noise and no cost of matching.

Parameters
----------
machine : Machine
    A machine of rondo.model.

Returns
-------
SimulatedMachine
    The same costs, to be simulated.

Examples
--------
>>> from rondo import model
>>> simulated_machine(model.typical_cluster()).cores
64
)";

inline constexpr const char kToModel[] =
    R"(Convert a simulated machine to one of the cost model.

The model leaves out handshakes, what single messages and short bytes cost an adapter, caches,
matching, and noise.

Parameters
----------
machine : SimulatedMachine
    A machine of this module.

Returns
-------
Machine
    Its costs, for rondo.model.

Examples
--------
>>> modelled_machine(machine("theta")).host.cores
64
)";

inline constexpr const char kOutcome[] = R"(The result of a simulation.

If every rank was simulated, or one node that represents all, `low_seconds` and `high_seconds` are
equal to `seconds`. Of a sample they are an interval.

Examples
--------
>>> one = simulate("spread_out", ranks=64, ranks_per_node=64, bytes=8, machine=machine("theta"))
>>> one.ranks, one.seconds > 0
(64, True)
)";

inline constexpr const char kSimulate[] =
    R"(Simulate one exchange on nodes of `ranks_per_node` ranks.

Parameters
----------
algorithm : str
    The algorithm, with parameters or without.
ranks : int
    P.
ranks_per_node : int
    Q; the ranks fill the nodes.
bytes : int
    S, the length of the longest block.
machine : SimulatedMachine
    The machine.
collective : str
    "alltoall", "alltoallv", "alltoallw", "alltoallv_dynamic", "sparse_alltoallv" or
    "neighbor_alltoallv".
distribution : str
    The distribution of block lengths, as in rondo-bench: "sparse:K" for K random partners of each
    rank.
seed : int
    Of lengths and noise.
slot_bytes : int
    The memory of a rank's slot, as in RONDO_SLOT_BYTES.
every_rank : bool
    If all nodes do the same, one represents all, unless this is set.
most_visits : float, optional
    If nodes differ and to simulate all would take more work than this, a sample of nodes and of
    long series of messages is simulated, with about as much. Work is how often ranks are visited,
    to send or copy something. The default takes a few seconds; math.inf is exact.
told : callable, optional
    Called several times a second with the number of messages simulated so far.

Returns
-------
Outcome
    The time until the slowest rank ends. Of a sample it is an estimate: of exchanges with lengths
    and waits of their own, 19 of 20 take between `low_seconds` and `high_seconds`.

Raises
------
ValueError
    If an argument is none of these.

Examples
--------
>>> theta = machine("theta")
>>> one = simulate("two_phase_bruck", ranks=512, ranks_per_node=64, bytes=256, machine=theta)
>>> one.seconds < simulate("mpi", 512, 64, 256, theta).seconds
True
>>> few = {"collective": "sparse_alltoallv", "distribution": "sparse:4"}
>>> made = [simulate(name, 32, 8, 64, theta, **few).seconds for name in ("node_aware", "nbx")]
>>> made[0] < made[1]
True
>>> many = simulate("spread_out", 1 << 15, 64, 256, theta)
>>> many.low_seconds < many.seconds < many.high_seconds
True
)";

}  // namespace rondo::python::docs
