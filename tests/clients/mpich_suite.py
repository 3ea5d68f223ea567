"""MPICH's own tests of all-to-all exchanges, from Debian's source package, under Open MPI, too."""

import re
import shutil
from functools import partial

import fortran
from launching import (
    STARTED,
    WAYS,
    carried_out,
    expect,
    expect_exchanges,
    primed,
    run_ranks,
)
from mpis import FINDERS, OPEN_MPI_HERE
from outcome import rows_of
from workspace import installed, remembered, succeed

SOURCES = "deb-src [signed-by={}] http://deb.debian.org/debian bookworm main\n"
KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
# What MPICH's `configure` would find out, and what Open MPI 4.1 calls persistent exchanges.
CONFIGURATION = """\
#include <mpi.h>
#define HAVE_STDARG_H 1
#define HAVE_STRING_H 1
#define HAVE_UNISTD_H 1
#define THREAD_PACKAGE_NAME THREAD_PACKAGE_NONE
#define TEST_NEIGHB_COLL 1
#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define MPI_Alltoall_init MPIX_Alltoall_init
#define MPI_Alltoallv_init MPIX_Alltoallv_init
#define MPI_Alltoallw_init MPIX_Alltoallw_init
#define MPI_Neighbor_alltoall_init MPIX_Neighbor_alltoall_init
#define MPI_Neighbor_alltoallv_init MPIX_Neighbor_alltoallv_init
#define MPI_Neighbor_alltoallw_init MPIX_Neighbor_alltoallw_init
#endif
"""
# Two tests store datatypes in ints, which only MPICH's fit into.
TYPES_IN_INTS = re.compile(r"int \*(sendtypes|recvtypes)\b")
COMMON = ("mtest.c", "mtest_common.c", "mtest_single.c")
RANKS = {"openmpi": 4, "mpich": 2}
LEAST_RANKS = {"alltoallv0": 3}  # on fewer it exchanges nothing
# By the test's name, what it exchanges. Those with `nb` before their name start what others call.
AMONG_NEIGHBOURS = ("neighbor_alltoallv",)
PERSISTENT_AMONG_NEIGHBOURS = ("neighbor_alltoallv_init",)
CALLING = {
    "alltoall1": ("alltoall",),
    "alltoallv": ("alltoallv",),
    "alltoallv0": ("alltoallv",),
    "alltoallw1": ("alltoallw",),
    "alltoallw2": ("alltoallw",),
    "alltoallw_zeros": ("alltoallw",),
    "neighb_alltoallv": AMONG_NEIGHBOURS,
    "neighb_alltoallw": AMONG_NEIGHBOURS,
    "alltoallvf": ("alltoallv",),
    "alltoallwf": ("alltoallw",),
    "vw_inplacef": ("alltoall", "alltoallv", "alltoallw"),
}
STARTING = {
    "nballtoall1": ("ialltoall",),
    "nonblocking": STARTED,
    "nonblocking2": STARTED,
    "nonblocking3": STARTED,
    "nonblockingf": STARTED,
    "nonblocking_inpf": STARTED,
}
PERSISTENT = {
    "p_alltoall": ("alltoall_init",),
    "p_alltoallv": ("alltoallv_init",),
    "p_alltoallw": ("alltoallw_init",),
    "p_neighb_alltoall": PERSISTENT_AMONG_NEIGHBOURS,
    "p_neighb_alltoallv": PERSISTENT_AMONG_NEIGHBOURS,
    "p_neighb_alltoallw": PERSISTENT_AMONG_NEIGHBOURS,
}
KINDS = {
    "calls": (CALLING, (*OPEN_MPI_HERE, "MPICH here")),
    "starts": (STARTING, OPEN_MPI_HERE),
    "persistent requests": (PERSISTENT, ("Open MPI here with the component",)),
}


@remembered
def sources(workspace):
    """The folder of MPICH's tests, `test/mpi`."""
    folder = workspace.folder / "mpich"
    lists = folder / "lists"
    (lists / "partial").mkdir(parents=True, exist_ok=True)
    (folder / "sources.list").write_text(SOURCES.format(KEYS))
    settings = {
        "Dir::Etc::SourceList": folder / "sources.list",
        "Dir::Etc::SourceParts": "-",
        "Dir::State::Lists": lists,
    }
    apt = [installed("apt-get", "apt"), *(f"-o{name}={value}" for name, value in settings.items())]
    reason = "MPICH's source package cannot be had"
    succeed(*apt, "update", cwd=folder, reason=reason)
    succeed(*apt, "source", "--download-only", "mpich", cwd=folder, reason=reason)
    (archive,) = folder.glob("mpich_*.orig.tar.*")
    shutil.unpack_archive(archive, folder)
    (unpacked,) = folder.glob("mpich-*/test/mpi")
    (folder / "mpitestconf.h").write_text(CONFIGURATION)
    return unpacked


def _in_c(workspace, mpi, test):
    tests = sources(workspace)
    source = tests / "coll" / f"{test.removeprefix('nb')}.c"
    path = workspace.folder / "mpich" / source.name
    path.write_text(TYPES_IN_INTS.sub(r"MPI_Datatype *\1", source.read_text()))
    words = ["-w", "-O1", f"-I{path.parent}", f"-I{tests / 'include'}", path]
    words += [tests / "util" / name for name in COMMON]
    words += ["-DUSE_MTEST_NBC"] if test.startswith("nb") else []
    return workspace.compiled(f"{mpi.family}-{test}", mpi.cc, *words)


def _in_fortran(workspace, mpi, test):
    tests = sources(workspace)
    files = [tests / "f77/coll" / f"{test}.f", tests / "util/mtest_f77.f"]
    return workspace.compiled(f"{mpi.family}-{test}", mpi.fortran, *fortran.LEGACY, *files)


def program(workspace, mpi, test):
    """The command of a test. One that starts exchanges does so on communicators that are set up."""
    made = (_in_fortran if test.endswith("f") else _in_c)(workspace, mpi, test)
    return [made] if test in CALLING else primed(workspace, mpi, [made])


def expect_right(done, test, ranks, calls):
    """All of the test's exchanges must be right and Rondo's."""
    expect("No Errors" in done.stdout, "it does not say that there are no errors", done)
    report = expect_exchanges(done, ranks, *calls)
    expect(not report.unhandled, f"forwarded: {report.unhandled}", done)
    return f"{test} on {carried_out(report, ranks, calls)}"


def _run(workspace, kind, mpi_name, way):
    mpi = FINDERS[mpi_name](workspace)
    ranks = RANKS[mpi.family]
    said = []
    for test, calls in KINDS[kind][0].items():
        if LEAST_RANKS.get(test, 1) <= ranks:
            done = run_ranks(workspace, mpi, ranks, program(workspace, mpi, test), **WAYS[way])
            said.append(expect_right(done, test, ranks, calls))
    return f"{mpi.name}, {'; '.join(said)}"


def rows(workspace):
    found = []
    for kind, (_, mpis) in KINDS.items():
        title = f"MPICH's tests, {kind} by {{1}}, {{0}}"
        found += rows_of(title, partial(_run, workspace, kind), mpis, WAYS)
    return found
