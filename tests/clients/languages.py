"""Programs in languages that bind MPI in their own way. Fortran and mpi4py have their own rows."""

import os
from functools import partial
from pathlib import Path

from launching import carried_out, expect, expect_exchanges, run_ranks
from mpis import FINDERS, OPEN_MPI_HERE
from outcome import Skip, rows_of
from workspace import DEBIANS_PYTHON, SOURCE, installed, succeed

CLIENTS = SOURCE / "tests/clients"
RANKS = 3
ROUNDS = 3  # as in the programs
LOOKED_UP = {"alltoall": ROUNDS}  # what looked_up.py calls


def rust(workspace, mpi):
    """Calls from Rust, as rsmpi makes them."""
    words = ("--edition", "2021", "-C", f"linker={mpi.cc}", CLIENTS / "exchanges.rs")
    program = workspace.compiled("exchanges-rust", installed("rustc", "rustc"), *words)
    return [program], {"alltoall": ROUNDS, "alltoallv": ROUNDS}


def _library(mpi):
    return Path(mpi.variables["LD_LIBRARY_PATH"]) / "libmpi.so.40"


def looked_up(workspace, mpi):
    """Functions that are looked up by name in the whole process, as Julia's MPI.jl does."""
    return [DEBIANS_PYTHON, CLIENTS / "looked_up.py", _library(mpi)], LOOKED_UP


def in_a_library(workspace, mpi):
    """Functions that are looked up in one library, as ctypes does.

    Nothing that is preloaded is seen there, but what the library needs is. So it is one that needs
    librondo_preload and MPI's library, unless MPI's library itself has Rondo.
    """
    if mpi.via == "component":
        return [DEBIANS_PYTHON, CLIENTS / "looked_up.py", _library(mpi), "handle"], LOOKED_UP
    workspace.install()
    modules = {**os.environ, "PKG_CONFIG_PATH": str(workspace.prefix / "lib/pkgconfig")}
    words = ("pkg-config", "--libs", "rondo-preload")
    flags = succeed(*words, reason="there is no pkg-config", env=modules).split()
    library = workspace.compiled("librondo_mpi.so", mpi.cc, "-shared", *flags, "-Wl,--no-as-needed")
    return [DEBIANS_PYTHON, CLIENTS / "looked_up.py", library, "handle"], LOOKED_UP


def mpi4py_fft(workspace, mpi):
    """A library that exchanges by MPI_Alltoallw, from Python."""
    reason = "there is no mpi4py-fft (Debian: python3-mpi4py-fft)"
    succeed(DEBIANS_PYTHON, "-c", "import mpi4py_fft", reason=reason)
    # It cuts the first dimension alone, so each direction redistributes once.
    return [DEBIANS_PYTHON, CLIENTS / "mpi4py_transform.py"], {"alltoallw": 2 * ROUNDS}


WAYS = {
    "Rust": rust,
    "functions looked up in the process": looked_up,
    "functions looked up in a library": in_a_library,
    "mpi4py-fft": mpi4py_fft,
}


def _run(workspace, name, mpi_name):
    mpi = FINDERS[mpi_name](workspace)
    if not Path(DEBIANS_PYTHON).exists():
        raise Skip(f"there is no {DEBIANS_PYTHON}")
    program, wanted = WAYS[name](workspace, mpi)
    done = run_ranks(workspace, mpi, RANKS, program)
    expect("right" in done.stdout, "it does not say that it is right", done)
    report = expect_exchanges(done, RANKS, *wanted)
    for call, times in wanted.items():
        calls = report.calls(call=call, ranks=RANKS)
        expect(calls == times * RANKS, f"{calls} calls of {call}, not {times * RANKS}", done)
    return f"{mpi.name}, {carried_out(report, RANKS)}"


def rows(workspace):
    return rows_of("{0}, {1}", partial(_run, workspace), WAYS, OPEN_MPI_HERE)
