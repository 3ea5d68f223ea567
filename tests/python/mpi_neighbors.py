"""Neighbourhood exchanges on grids and graphs."""

import numpy as np
from mpi4py import MPI
from mpi_support import COMM, ME, P, case, require_equal, require_error, require_raised

import rondo

ALGORITHMS = ["auto", "spread_out", "node_aware"]
BELOW, ABOVE = (ME - 1) % P, (ME + 1) % P


def graph():
    """Two edges to the rank above and one to the rank below."""
    return COMM.Create_dist_graph_adjacent([BELOW, ABOVE, BELOW], [ABOVE, BELOW, ABOVE])


@case
def a_ring():
    ring = COMM.Create_cart([P], periods=[True])
    send = np.array([[10 * ME, 10 * ME + 1], [10 * ME + 2, 10 * ME + 3]], np.int32)
    due = np.array([[10 * BELOW + 2, 10 * BELOW + 3], [10 * ABOVE, 10 * ABOVE + 1]], np.int32)
    for algorithm in ALGORITHMS:
        rondo.set_algorithm(ring, "neighbor_alltoallv", algorithm)
        for spec in (lambda it: it, lambda it: (it, 2), lambda it: [it, 2, MPI.INT]):
            recv = np.zeros_like(send)
            rondo.neighbor_alltoall(ring, spec(send), spec(recv))
            require_equal(recv, due)
        with rondo.plan("neighbor_alltoall", ring, send, recv) as plan:
            plan.execute(3 * send)
            require_equal(recv, 3 * due)
    ring.Free()


@case
def blocks_of_any_length():
    comm = graph()
    send = np.array([ME, ME + 0.25, ME + 0.5, ME + 0.75])
    for algorithm in ALGORITHMS:
        rondo.set_algorithm(comm, "neighbor_alltoallv", algorithm)
        recv = np.zeros(4)
        # One number up, none down, three up.
        rondo.neighbor_alltoallv(comm, [send, [1, 0, 3]], [recv, [1, 0, 3]])
        require_equal(recv, send - ME + BELOW)
        spec = [send, [1, 0, 3], [0, 4, 1], "d"]
        with rondo.plan("neighbor_alltoallv", comm, spec, [recv, ([1, 0, 3], [3, 0, 0])]) as plan:
            plan.execute()
            require_equal(recv, [BELOW + 0.25, BELOW + 0.5, BELOW + 0.75, BELOW])
    comm.Free()


@case
def columns():
    comm = COMM.Create_dist_graph_adjacent([BELOW], [ABOVE])
    column = MPI.DOUBLE.Create_vector(3, 1, 4).Commit()
    send, recv = np.full((3, 4), float(ME)), np.zeros((3, 4))
    outgoing, incoming = [send, [1], [24], [column]], [recv, [1], [8], [column]]
    rondo.neighbor_alltoallw(comm, outgoing, incoming)
    require_equal(recv[:, 1], [BELOW] * 3)
    require_equal(recv[:, [0, 2, 3]], np.zeros((3, 3)))
    recv[:] = 0
    with rondo.plan("neighbor_alltoallw", comm, outgoing, incoming) as plan:
        plan.execute()
    require_equal(recv[:, 1], [BELOW] * 3)
    column.Free()
    comm.Free()


@case
def started():
    comm = graph()
    send, recv = np.array([ME, ME + 0.25, ME + 0.5]), np.zeros(3)
    due = send - ME + BELOW
    due[1] += ABOVE - BELOW
    counts, places, kinds = [1, 1, 1], [0, 8, 16], [MPI.DOUBLE] * 3
    ways = [
        lambda: rondo.ineighbor_alltoall(comm, send, recv),
        lambda: rondo.ineighbor_alltoallv(comm, [send, counts], [recv, counts]),
        lambda: rondo.ineighbor_alltoallw(
            comm, [send, counts, places, kinds], [recv, counts, places, kinds]
        ),
    ]
    # Before a call has set the communicator up, a start is the MPI library's, and libraries differ
    # in which of several edges match.
    rondo.neighbor_alltoall(comm, send, recv)
    for algorithm in ALGORITHMS:
        rondo.set_algorithm(comm, "neighbor_alltoallv", algorithm)
        for way in ways:
            recv[:] = -1
            way().wait()
            require_equal(recv, due)
    comm.Free()


@case
def started_before_a_call():
    comm = COMM.Create_dist_graph_adjacent([BELOW], [ABOVE])
    recv = np.zeros(2)
    rondo.ineighbor_alltoall(comm, np.array([ME, ME + 0.5]), recv).wait()
    require_equal(recv, [BELOW, BELOW + 0.5])
    comm.Free()


def typed_pairs(array):
    edges = len(array)
    return [array, [2] * edges, [16 * edge for edge in range(edges)], [MPI.INT64_T] * edges]


PAIRS = {
    "neighbor_alltoall": lambda array: array,
    "neighbor_alltoallv": lambda array: [array, [2] * len(array)],
    "neighbor_alltoallw": typed_pairs,
}


@case
def more_edges_in_one_direction():
    """Every rank sends to itself and to the ranks below it."""
    to, sources = list(range(ME + 1)), list(range(ME, P))
    comm = COMM.Create_dist_graph_adjacent(sources, to)
    send = np.array([[100 * ME + rank, rank] for rank in to])
    due = np.array([[100 * rank + ME, ME] for rank in sources])
    recv = np.zeros_like(due)
    for algorithm in ALGORITHMS:
        rondo.set_algorithm(comm, "neighbor_alltoallv", algorithm)
        for form, pairs in PAIRS.items():
            sides = pairs(send), pairs(recv)
            recv[:] = -1
            getattr(rondo, form)(comm, *sides)
            require_equal(recv, due)
            recv[:] = -1
            getattr(rondo, f"i{form}")(comm, *sides).wait()
            require_equal(recv, due)
            recv[:] = -1
            with rondo.plan(form, comm, *sides) as plan:
                plan.execute()
            require_equal(recv, due)
    comm.Free()


@case
def no_edges():
    comm = COMM.Create_dist_graph_adjacent([], [])
    nothing = np.zeros(0)
    rondo.neighbor_alltoall(comm, nothing, nothing)
    rondo.neighbor_alltoall(comm, np.zeros(3), np.zeros(3))
    rondo.neighbor_alltoallv(comm, [nothing, []], [nothing, []])
    rondo.neighbor_alltoallw(comm, [nothing, [], [], []], [nothing, [], [], []])
    comm.Free()


@case
def wrong_arguments():
    comm = graph()
    three = np.zeros(3)
    require_raised(ValueError, "not in place", rondo.neighbor_alltoall, comm, MPI.IN_PLACE, three)
    require_raised(ValueError, "3 integers", rondo.neighbor_alltoallv, comm, [three, [1, 1]], three)
    require_raised(
        ValueError, "cannot infer count", rondo.neighbor_alltoall, comm, np.zeros(4), three
    )
    require_raised(TypeError, "mpi4py.MPI.Comm", rondo.neighbor_alltoall, None, three, three)
    require_raised(TypeError, "IN_PLACE", rondo.neighbor_alltoall, comm, three, MPI.IN_PLACE)
    comm.Free()
    one = np.zeros(P)
    for function in (rondo.neighbor_alltoall, rondo.neighbor_alltoallv):
        specs = one if function is rondo.neighbor_alltoall else [one, []]
        require_error(MPI.ERR_TOPOLOGY, "no topology", function, COMM, specs, specs)
    require_raised(TypeError, "mpi4py.MPI.Comm", rondo.ineighbor_alltoall, None, three, three)
