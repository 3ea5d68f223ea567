// What Python's help says of schedules between nodes.
#pragma once

namespace rondo::python::docs {

inline constexpr const char kNodeReport[] = R"(The result of NodeSchedule.check().

Examples
--------
>>> node_schedule([0, 0, 1, 1]).check()
NodeReport(ok=True, violation='', rounds=1, messages=2, blocks=8)
)";

inline constexpr const char kNodeSchedule[] =
    R"(Which ranks exchange the messages between nodes, and which blocks these contain.

The blocks from one node to another travel in `lanes`. Each lane takes the blocks of some of the
node's ranks.

Examples
--------
>>> exchange = node_schedule([0, 0, 0, 1, 1])
>>> exchange
NodeSchedule(ranks=5, nodes=2, lanes=1)
>>> exchange.between
Schedule(ranks=2, K=1, D=1)
)";

inline constexpr const char kRanksOf[] = R"(The ranks of a node, ascending.

Parameters
----------
node : int
    The node, in 0..N-1, by the first rank of each.

Returns
-------
list of int
    Its ranks.

Raises
------
ValueError
    If there is no such node.

Examples
--------
>>> node_schedule([0, 1, 0, 1]).ranks_of(1)
[1, 3]
)";

inline constexpr const char kSenders[] = R"(The ranks of a node whose blocks a lane takes.

Parameters
----------
node : int
    The node, in 0..N-1.
lane : int
    The lane, in 0..lanes-1.

Returns
-------
list of int
    The ranks, ascending.

Raises
------
ValueError
    If there is no such node or lane.

Examples
--------
>>> node_schedule([0, 0, 1, 1], parts=2).senders(node=1, lane=0)
[2]
)";

inline constexpr const char kLeader[] =
    R"(The rank of a node that sends and receives in a round of a lane.

Parameters
----------
node : int
    The node, in 0..N-1.
round : int
    The round of `between`, from 0.
lane : int
    The lane, in 0..lanes-1.

Returns
-------
int
    The rank.

Raises
------
ValueError
    If there is no such node, round or lane.

Examples
--------
>>> exchange = node_schedule([0, 0, 1, 1])
>>> exchange.leader(node=1, round=0) in exchange.ranks_of(1)
True
)";

inline constexpr const char kCheckNode[] =
    R"(Prove, without running the schedule, that every block reaches the node of its rank.

Returns
-------
NodeReport
    Whether that is so, and what was counted on the way.

Examples
--------
>>> node_schedule([0, 1, 2, 0, 1], between="bruck").check().ok
True
)";

inline constexpr const char kMakeNodeSchedule[] =
    R"(The messages between nodes, straight or by Bruck's rounds, in at most `parts` lanes.

Parameters
----------
node_of_rank : list of int
    The number of each rank's node. Nodes may have any numbers and sizes.
between : str
    "direct" or "bruck".
radix : int
    The radix of "bruck".
parts : int
    The most lanes.

Returns
-------
NodeSchedule
    The schedule.

Raises
------
ValueError
    If there are no ranks, or another argument is not one of the above.

Examples
--------
>>> node_schedule([0] * 4 + [1] * 4 + [2] * 4, between="bruck")
NodeSchedule(ranks=12, nodes=3, lanes=1)
)";

}  // namespace rondo::python::docs
