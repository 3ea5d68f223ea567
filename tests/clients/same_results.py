"""Programs that calculate something, whose results are compared with those without Rondo."""

from functools import partial

from ab_places import PLACES
from ab_programs import PROGRAMS
from launching import Report, by_rondo, expect
from mpis import FINDERS, OPEN_MPI_HERE
from outcome import rows_of
from whole_runs import cell_of

NAMES = ("CP2K", "LAMMPS", "GROMACS", "NEURON")
SECONDS = 600
HERE = {where.name: where for where in PLACES if where.nodes == 1}
CALLS = ("ALLTOALL", "ALLTOALLV", "ALLTOALLW")
# auto would leave many of the exchanges to the MPI library.
VARIABLES = ["RONDO_FORWARD_CALLS=0", *(f"RONDO_{call}=node_aware" for call in CALLS)]


def _run(workspace, name, mpi_name, where):
    mpi = FINDERS[mpi_name](workspace)
    (program,) = (one for one in PROGRAMS if one.name == name)
    with cell_of(workspace, program, HERE[where], SECONDS) as cell:
        cell.timed()
        rondo_exec = [workspace.exec_path(), "--via", mpi.via, "--stats"]
        _, done = cell.timed("env", *VARIABLES, *rondo_exec)
    report = Report(done.stderr)
    ours = by_rondo(report)
    expect(ours > 0, "Rondo carried nothing out", done)
    return f"the same {len(cell.results)} numbers, {ours} exchanges"


def rows(workspace):
    title = "{0} calculates the same, {1}, {2}"
    return rows_of(title, partial(_run, workspace), NAMES, OPEN_MPI_HERE, HERE)
