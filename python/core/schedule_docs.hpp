// What Python's help says of flat schedules.
#pragma once

namespace rondo::python::docs {

inline constexpr const char kRound[] = R"(One message sent and one received by every rank.

Examples
--------
>>> bruck(ranks=8, radix=2).rounds[1]
Round(hop=2, 4 blocks)
)";

inline constexpr const char kReport[] = R"(The result of Schedule.check().

Examples
--------
>>> bruck(ranks=8).check()
Report(ok=True, violation='', rounds=3, blocks=12, in_transit=3)
)";

inline constexpr const char kSchedule[] =
    R"(Which blocks travel how far in which round, the same for all ranks.

A block's name, in 0..P-1, is difference(destination, source).
Rounds of one phase move disjoint blocks and may all be in flight together.

Examples
--------
>>> exchange = bruck(ranks=9, radix=3)
>>> exchange
Schedule(ranks=9, K=4, D=12)
>>> [len(phase) for phase in exchange.phases]
[2, 2]
)";

inline constexpr const char kAdd[] = R"(The rank that a hop or a block of that name leads to.

Parameters
----------
rank : int
    Where it comes from, in 0..P-1.
name : int
    The name of the block, or the hop of a round.

Returns
-------
int
    The rank that it reaches.

Examples
--------
>>> bruck(ranks=8).add(7, 2)
1
)";

inline constexpr const char kSubtract[] =
    R"(The rank from which a hop or a block of that name leads to `rank`.

Where an algorithm works downward, it is the rank to which it leads from there.

Parameters
----------
rank : int
    Where it arrives, in 0..P-1.
name : int
    The name of the block, or the hop of a round.

Returns
-------
int
    The rank that it comes from.

Examples
--------
>>> bruck(ranks=8).subtract(1, 2)
7
)";

inline constexpr const char kDifference[] = R"(The name of the block from one rank to another.

Parameters
----------
destination : int
    The rank that receives the block.
source : int
    The rank that sends the block.

Returns
-------
int
    The name, in 0..P-1.

Examples
--------
>>> bruck(ranks=8).difference(1, 7)
2
)";

inline constexpr const char kCheck[] =
    R"(Prove, without running the schedule, that every block reaches its rank exactly once.

Returns
-------
Report
    Whether that is so, and what was counted on the way.

Examples
--------
>>> linear(ranks=5, window=2).check().ok
True
)";

inline constexpr const char kLinear[] =
    R"(P-1 rounds that send every block straight to its rank, in phases of `window` rounds.

Parameters
----------
ranks : int
    P.
window : int
    How many rounds may be in flight together.

Returns
-------
Schedule
    The schedule.

Raises
------
ValueError
    If a number is less than 1.

Examples
--------
>>> linear(ranks=6, window=2)
Schedule(ranks=6, K=5, D=5)
)";

inline constexpr const char kPairwise[] = R"(P-1 rounds, one at a time.

If P is a power of two, each round has a single partner.

Parameters
----------
ranks : int
    P.

Returns
-------
Schedule
    The schedule.

Raises
------
ValueError
    If `ranks` is less than 1.

Examples
--------
>>> pairwise(ranks=8).add(5, 1)
4
)";

inline constexpr const char kBruck[] =
    R"(ceil(log_r P) phases, one for each digit of the block's name in the radix.

Parameters
----------
ranks : int
    P.
radix : int
    The base in which names are written, at least 2.

Returns
-------
Schedule
    The schedule.

Raises
------
ValueError
    If `ranks` is less than 1 or `radix` is less than 2.

Examples
--------
>>> bruck(ranks=64, radix=2)
Schedule(ranks=64, K=6, D=192)
>>> bruck(ranks=64, radix=8)
Schedule(ranks=64, K=14, D=112)
)";

inline constexpr const char kTwoLayer[] =
    R"(bruck(per_node, intra) on every node, then bruck(nodes, inter) between the nodes.

Parameters
----------
nodes : int
    N.
per_node : int
    Q, the ranks of every node.
intra : int
    The radix inside a node.
inter : int
    The radix between nodes.

Returns
-------
Schedule
    The schedule.

Raises
------
ValueError
    If a number is too small, or there are more ranks than an int can count.

Examples
--------
>>> two_layer(nodes=4, per_node=8, intra=2, inter=4)
Schedule(ranks=32, K=6, D=72)
)";

}  // namespace rondo::python::docs
