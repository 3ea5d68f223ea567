"""The same programs on four nodes. The ranks have the environment of a login, so only the launch
command brings Rondo in."""

import contextlib
import os
import shutil
import sys

import fftw
import fortran
import hpcc
import mpi4py_suite
import mpich_suite
from launching import carried_out, clean_environment, expect, expect_exchanges, finish
from mpis import system
from outcome import Row, Skip
from workspace import SOURCE

sys.path.append(str(SOURCE / "tools"))
from cluster_lib import remote  # noqa: E402

CLUSTER = SOURCE / "tools/cluster"
NODES = 4
SECONDS = 600
# Algorithms of alltoall, and of alltoallv and alltoallw.
ONE_A_NODE = ("tunable_bruck", "fused_bruck")
SEVERAL_A_NODE = ("node_aware", "node_aware")
CANNOT = 2  # the status of tools/cluster on a machine that cannot have one
# mpirun is called by its name if a login finds it. Called by its absolute path, it changes PATH on
# the nodes.
LAUNCHER = """\
#!/bin/sh
# mpirun for tools/cluster, with `rondo run` before it.
if [ "$1" = --version ]; then exec {mpirun} --version; fi
PATH={prefix}/bin:$PATH
exec {rondo} run --stats -- {mpirun} "$@"
"""


def _cluster(*words):
    return finish([CLUSTER, *words], 120, SOURCE, clean_environment())


@contextlib.contextmanager
def up(nodes=NODES):
    """Yields the name of a cluster that exists meanwhile."""
    check = _cluster("check")
    if check.returncode == CANNOT:
        raise Skip(check.stderr.strip())
    name = f"clients-{os.getpid()}"
    made = _cluster("up", nodes, "--name", name)
    expect(made.returncode == 0, "the cluster cannot be made", made)
    try:
        yield name
    finally:
        removed = _cluster("down", "--name", name)
        expect(removed.returncode == 0, "the cluster cannot be taken down", removed)


def _launcher(workspace, mpi):
    workspace.require_family(mpi.family)
    by_name = shutil.which(mpi.launcher.name, path=remote.PATH) == str(mpi.launcher)
    mpirun = mpi.launcher.name if by_name else mpi.launcher
    rondo = workspace.python() / "bin/rondo"
    path = workspace.folder / "mpirun"
    path.write_text(LAUNCHER.format(mpirun=mpirun, prefix=workspace.prefix, rondo=rondo))
    path.chmod(0o755)
    return path


def _variables(per_node):
    """Names algorithms, because auto may leave exchanges between few nodes to the MPI library."""
    one, uneven = ONE_A_NODE if per_node == 1 else SEVERAL_A_NODE
    names = [("ALLTOALL", one), ("ALLTOALLV", uneven), ("ALLTOALLW", uneven)]
    settings = ["RONDO_FORWARD_CALLS=0", "RONDO_NONBLOCKING=1"]
    return [*settings, *(f"RONDO_{name}={algorithm}" for name, algorithm in names)]


def run(workspace, per_node, program, folder):
    """The finished process of a program with Rondo on all nodes."""
    mpi = system(workspace, "openmpi")
    launcher = _launcher(workspace, mpi)
    with up() as name:
        options = ["--name", name, "--ranks-per-node", per_node, "--mpirun", launcher]
        options += ["--mca", "mpi_yield_when_idle", 1]
        for variable in _variables(per_node):
            options += ["--env", variable]
        for path in (workspace.folder, SOURCE):
            options += ["--share", path]
        words = [CLUSTER, "run", *options, "--", *program]
        return finish(words, SECONDS, folder, clean_environment())


def _mpi4py(workspace):
    ranks = NODES
    program = mpi4py_suite.command(workspace, ["-k", "Alltoall", "-i", r"test_cco_(buf|vec)\.py"])
    done = run(workspace, 1, program, workspace.folder)
    mpi4py_suite.expect_passed(done, ranks)
    report = expect_exchanges(done, ranks, *mpi4py_suite.FORMS)
    return carried_out(report, ranks)


def _mpich(workspace, test):
    per_node = 2
    program = mpich_suite.program(workspace, system(workspace, "openmpi"), test)
    done = run(workspace, per_node, program, workspace.folder)
    return mpich_suite.expect_right(done, test, NODES * per_node, mpich_suite.STARTING[test])


def _hpcc(workspace):
    folder = hpcc.prepare(workspace, "hpcc-cluster")
    done = run(workspace, hpcc.RANKS // NODES, [hpcc.program()], folder)
    report = expect_exchanges(done, hpcc.RANKS, "alltoall")
    hpcc.expect_right(done, folder)
    return carried_out(report, hpcc.RANKS)


def _fortran(workspace):
    per_node, interface = 2, "use mpi_f08"
    mpi = system(workspace, "openmpi")
    done = run(workspace, per_node, [fortran.compiled(workspace, mpi, interface)], workspace.folder)
    return fortran.expect_counts(done, mpi, interface, NODES * per_node)


def _fftw(workspace, call):
    per_node = 2
    program = fftw.compiled(workspace, system(workspace, "openmpi"))
    done = run(workspace, per_node, fftw.command(program, call), workspace.folder)
    report = fftw.expect_right(done, NODES * per_node, call)
    return carried_out(report, NODES * per_node)


def rows(workspace):
    where = f"{NODES} nodes"
    return [
        Row(f"mpi4py's tests of all-to-all, {where}", lambda: _mpi4py(workspace)),
        *(
            Row(f"MPICH's test {test}, {where}", lambda t=test: _mpich(workspace, t))
            for test in ("nonblocking2", "nonblocking3")
        ),
        Row(f"HPCC, {where}", lambda: _hpcc(workspace)),
        Row(f"Fortran, use mpi_f08, {where}", lambda: _fortran(workspace)),
        *(
            Row(f"FFTW by {call}, {where}", lambda c=call: _fftw(workspace, c))
            for call in fftw.SIZES
        ),
    ]
