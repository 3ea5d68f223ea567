// What Python's help says of the table of algorithms.
#pragma once

namespace rondo::python::docs {

inline constexpr const char kParameter[] = R"(A parameter of an algorithm.

Examples
--------
>>> row = find("alltoallv", "two_phase_bruck")
>>> [parameter.name for parameter in row.parameters]
['radix', 'ports', 'threshold']
)";

inline constexpr const char kAlgorithm[] = R"(A row of the table of algorithms.

Examples
--------
>>> find("alltoallv", "two_phase_bruck")
Algorithm(collective='alltoallv', name='two_phase_bruck')
)";

inline constexpr const char kAlgorithms[] = R"(All algorithms over MPI.

Returns
-------
list of Algorithm
    The rows of the table, in its order.

Examples
--------
>>> "node_aware" in {row.name for row in algorithms()}
True
)";

inline constexpr const char kGpuAlgorithms[] =
    R"(All algorithms for the memory of GPUs, over NCCL.

Returns
-------
list of Algorithm
    The rows of the table, in its order.

Examples
--------
>>> {row.collective for row in gpu_algorithms()}
{'gpu'}
)";

inline constexpr const char kSparseAlgorithms[] =
    R"(All algorithms of sparse exchanges.

Returns
-------
list of Algorithm
    The rows of the table, in its order.

Examples
--------
>>> "nbx" in {row.name for row in sparse_algorithms()}
True
)";

inline constexpr const char kFind[] = R"(The algorithm of that name.

Parameters
----------
collective : str
    "alltoall", "alltoallv", "alltoallw" or "sparse_alltoallv".
name : str
    The name of the algorithm. Former names are accepted too.

Returns
-------
Algorithm or None
    Its row; None if the collective has no such algorithm.

Raises
------
ValueError
    If there is no such collective.

Examples
--------
>>> find("alltoall", "two_layer_bruck").direction
'upward'
>>> find("alltoall", "no_such_one") is None
True
)";

inline constexpr const char kResolved[] =
    R"(An algorithm, as in "fused_bruck:radix=4", with the values of all its parameters.

Parameters
----------
algorithm : str
    The algorithm, with parameters or without.
ranks : int
    P.
nodes : int
    N; every node has as many ranks.
collective : str
    "alltoall", "alltoallv" or "alltoallw".

Returns
-------
str
    The algorithm as it would run.

Raises
------
ValueError
    If there is no such algorithm or parameter, or the ranks do not fill the nodes.

Examples
--------
>>> resolved("two_phase_bruck:radix=4", ranks=64)
'two_phase_bruck:radix=4:ports=3:threshold=off'
)";

inline constexpr const char kScheduleOf[] = R"(The schedule of an algorithm on equal nodes.

Parameters
----------
algorithm : str
    The algorithm, with parameters or without.
ranks : int
    P, of all nodes.
nodes : int
    N; every node has as many ranks.
collective : str
    "alltoall", "alltoallv" or "alltoallw".

Returns
-------
Schedule or NodeSchedule
    A NodeSchedule if the algorithm exchanges messages between nodes.

Raises
------
ValueError
    If there is no such algorithm, or its schedule is unknown, as that of "mpi".

Examples
--------
>>> schedule_of("two_phase_bruck:radix=4", ranks=64)
Schedule(ranks=64, K=9, D=144)
>>> schedule_of("node_aware", ranks=8, nodes=2)
NodeSchedule(ranks=8, nodes=2, lanes=1)
)";

}  // namespace rondo::python::docs
