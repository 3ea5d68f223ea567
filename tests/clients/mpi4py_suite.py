"""mpi4py's own tests, from its source distribution."""

import re
from functools import partial

from launching import (
    FORMS,
    STARTED,
    WAYS,
    carried_out,
    expect,
    expect_exchanges,
    fail,
    primed,
    run_ranks,
)
from mpis import FINDERS, OPEN_MPI, system
from outcome import rows_of
from workspace import SOURCE

# Also between groups, nonblocking, persistent, of neighbours, of wrong arguments, of pickles.
EVERY_FORM = ["-k", "lltoall", "-i", r"test_(cco_\w+|msgspec|util_pkl5)\.py"]
PARTS = {
    # by part of a row's name, the arguments that choose the tests, and some of the calls in them
    "collective tests": (["-i", r"test_cco_(buf|vec|obj)\.py"], FORMS),
    "tests of all-to-all in every form": (EVERY_FORM, (*FORMS, "neighbor_alltoallv")),
}
# Otherwise edges that MPI libraries match differently are left to them.
ON_EDGES = {"RONDO_NEIGHBOR_ALLTOALLV": "spread_out"}
STARTS = {"auto": ON_EDGES, **WAYS}
CHOSEN = {
    # the variables that name the algorithm, the collectives, and the tests that call them
    "alltoall": (["RONDO_ALLTOALL"], ["alltoall"], r"test_cco_(buf|obj)\.py"),
    "alltoallv": (
        ["RONDO_ALLTOALLV", "RONDO_ALLTOALLW"],
        ["alltoallv", "alltoallw"],
        r"test_cco_vec\.py",
    ),
}


def command(workspace, arguments):
    # A failing test ends the run, because its other ranks would wait for ever.
    tests = workspace.mpi4py_tests()
    return [workspace.python() / "bin/python", tests / "main.py", "-q", "--failfast", *arguments]


def expect_passed(done, ranks):
    """Every rank must have run the same number of tests, and all must have passed.

    The ranks' lines may be mixed up, so nobody counts who said OK. A rank on which a test has
    failed has another status.
    """
    said = done.stdout + done.stderr
    ran = [int(number) for number in re.findall(r"Ran (\d+) tests? in", said)]
    is_same = len(ran) == ranks and len(set(ran)) == 1 and ran[0] > 0
    if done.returncode != 0 or "FAILED" in said or not is_same:
        fail(f"of {ranks} ranks, these numbers of tests were run: {ran}", done)
    return ran[0]


def _expect_right(workspace, mpi, program, calls, **settings):
    variables = {"MPI4PY_MPIABI": mpi.family, **settings}
    done = run_ranks(workspace, mpi, mpi.ranks, program, timeout=900, **variables)
    tests = expect_passed(done, mpi.ranks)
    report = expect_exchanges(done, mpi.ranks, *calls)
    return f"{mpi.name}, {tests} tests, {carried_out(report, mpi.ranks, calls)}"


def _under(workspace, mpi_name, part):
    mpi = FINDERS[mpi_name](workspace)
    arguments, calls = PARTS[part]
    return _expect_right(workspace, mpi, command(workspace, arguments), calls, **ON_EDGES)


def _starting(workspace, mpi_name, way):
    mpi = FINDERS[mpi_name](workspace)
    program = primed(workspace, mpi, command(workspace, EVERY_FORM))
    calls = (*STARTED, "ineighbor_alltoallv")
    return _expect_right(workspace, mpi, program, calls, **STARTS[way])


def algorithms(collective):
    """The names in the registry, and auto."""
    text = (SOURCE / "src/registry/algorithms.def").read_text()
    return [*re.findall(rf"^RONDO_\w+\({collective}, (\w+),", text, re.MULTILINE), "auto"]


def _forced(workspace, collective, algorithm):
    mpi = system(workspace, "openmpi")
    names, calls, modules = CHOSEN[collective]
    program = command(workspace, ["-k", "Alltoall", "-k", "alltoall", "-i", modules])
    variables = {"MPI4PY_MPIABI": mpi.family, **dict.fromkeys(names, algorithm)}
    done = run_ranks(workspace, mpi, mpi.ranks, program, **variables)
    tests = expect_passed(done, mpi.ranks)
    asked = None if algorithm == "auto" else algorithm
    report = expect_exchanges(done, mpi.ranks, *calls, algorithm=asked)
    for call in calls if asked else []:
        others = report.calls(call=call) - report.calls(call=call, algorithm=asked)
        expect(others == 0, f"{others} calls of {call} were not by {asked}", done)
    return f"{mpi.name}, {tests} tests, {carried_out(report, mpi.ranks)}"


def rows(workspace):
    found = rows_of("mpi4py's {1}, {0}", partial(_under, workspace), FINDERS, PARTS)
    title = "mpi4py's tests of all-to-all in every form, starts by {1}, {0}"
    found += rows_of(title, partial(_starting, workspace), OPEN_MPI, STARTS)
    for collective in CHOSEN:
        forced = f"mpi4py's tests with {'='.join(CHOSEN[collective][0])}={{}}"
        found += rows_of(forced, partial(_forced, workspace, collective), algorithms(collective))
    return found
