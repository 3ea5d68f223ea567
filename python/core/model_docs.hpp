// What Python's help says of predictions.
#pragma once

namespace rondo::python::docs {

inline constexpr const char kCost[] = R"(Predicted seconds, split into parts.

Examples
--------
>>> cost = Contest(ranks=300).predict("spread_out", bytes=64).cost
>>> cost.latency < cost.total
True
)";

inline constexpr const char kPrediction[] =
    R"(An algorithm's predicted cost, and the work of the busiest rank.

Examples
--------
>>> one = Contest(ranks=300).predict("two_phase_bruck:radix=4", bytes=64)
>>> one.name, one.radices
('two_phase_bruck', {'radix': 4})
)";

inline constexpr const char kCrossover[] =
    R"(A block length from which another algorithm is the fastest.

Examples
--------
>>> first = Contest(ranks=300).crossovers(to_bytes=1 << 16)[0]
>>> first.after.cost.total <= first.before.cost.total
True
)";

inline constexpr const char kContest[] =
    R"(The algorithms of a collective, compared on nodes of `per_node` ranks.

With one rank on each node all messages cost the same, as in the papers' formulas.

Parameters
----------
ranks : int
    P.
per_node : int
    Q; the ranks fill the nodes.
collective : str
    "alltoall", "alltoallv", "alltoallw", "alltoallv_dynamic", "sparse_alltoallv" or
    "neighbor_alltoallv".
distribution : str
    "constant" if all blocks have the same length; "uniform" if lengths are uniformly distributed
    from 0 to that.
prices : Prices
    The machine; by default a typical cluster, in Hockney's model.
partners : int, optional
    The other ranks to which a rank sends, drawn at random. By default 4 in sparse and neighbourhood
    exchanges, and all in the others.

Raises
------
ValueError
    If an argument is none of these.

Examples
--------
>>> contest = Contest(ranks=300, distribution="uniform")
>>> contest
Contest(ranks=300, per_node=1, collective='alltoallv')
>>> costs = [one.cost.total for one in contest.ranking(bytes=400)]
>>> costs == sorted(costs)
True
>>> few = Contest(ranks=4096, per_node=8, collective="sparse_alltoallv", partners=2)
>>> few.predict("nbx", bytes=64).messages < few.predict("node_aware", bytes=64).messages
True
)";

inline constexpr const char kPredict[] = R"(Predict an algorithm.

Parameters
----------
algorithm : str
    The algorithm. Parameters that are not given have their defaults. "mpi", whose algorithm is
    unknown, counts as spread_out.
bytes : int
    S.

Returns
-------
Prediction
    What it costs.

Raises
------
ValueError
    If there is no such algorithm, or `bytes` is negative.

Examples
--------
>>> Contest(ranks=300).predict("spread_out", bytes=64).messages
299.0
)";

inline constexpr const char kBest[] = R"(Predict an algorithm with its best radices.

Parameters
----------
algorithm : str
    The algorithm. Radices that are given are kept.
bytes : int
    S.

Returns
-------
Prediction
    What it costs, and with which radices.

Raises
------
ValueError
    If there is no such algorithm, or `bytes` is negative.

Examples
--------
>>> contest = Contest(ranks=300)
>>> best = contest.best("two_phase_bruck", bytes=64).cost.total
>>> best <= contest.predict("two_phase_bruck:radix=2", bytes=64).cost.total
True
)";

inline constexpr const char kRanking[] =
    R"(All algorithms except "mpi", each with its best radices.

Parameters
----------
bytes : int
    S.

Returns
-------
list of Prediction
    The fastest first.

Raises
------
ValueError
    If `bytes` is negative.

Examples
--------
>>> ranking = Contest(ranks=300).ranking(bytes=8)
>>> ranking[0].cost.total <= ranking[-1].cost.total
True
)";

inline constexpr const char kCrossovers[] =
    R"(The block lengths at which another algorithm becomes the fastest.

Parameters
----------
from_bytes : int
    The shortest length.
to_bytes : int
    The longest length.

Returns
-------
list of Crossover
    Ascending.

Raises
------
ValueError
    If a length is negative, or `to_bytes` is less than `from_bytes`.

Examples
--------
>>> lengths = [one.bytes for one in Contest(ranks=300).crossovers(to_bytes=1 << 16)]
>>> lengths == sorted(lengths)
True
)";

inline constexpr const char kWhyFaster[] =
    R"(The main reason why a prediction is faster, as in "34 messages instead of 299".

Parameters
----------
better : Prediction
    The faster one.
other : Prediction
    The slower one, for the same exchange.

Returns
-------
str
    A few words.

Examples
--------
>>> contest = Contest(ranks=300)
>>> bruck = contest.predict("two_phase_bruck:radix=2", bytes=8)
>>> "messages instead of 299" in why_faster(bruck, contest.predict("spread_out", bytes=8))
True
)";

}  // namespace rondo::python::docs
