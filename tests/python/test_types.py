"""mypy --strict accepts correct programs, rejects wrong ones, and finds nothing in the package."""

import re
import sys
from importlib.util import find_spec
from typing import NamedTuple

import pytest
from calling import run

from rondo import mpi_library

pytest.importorskip("mypy")
pytest.importorskip("mpi4py")
if not mpi_library.families():
    pytest.skip("the package was built without MPI", allow_module_level=True)

START = """
import array
from typing import Any
import numpy as np
import rondo
import rondo.arrow
from mpi4py import MPI
from rondo.typing import Collective, UniformReceive, UniformSend, VectorSend

comm = MPI.COMM_WORLD
world: MPI.Comm = comm
a = np.zeros(8)
i = np.zeros(8, np.int32)
counts = [1, 2]
kinds = [MPI.DOUBLE, MPI.INT]
"""


class Row(NamedTuple):
    """One line of a program, and what mypy says of it; nothing if that is right."""

    line: str
    wrong: str = ""


ARGUMENT = "has incompatible type"
NONE_FITS = "No overload variant"
ROWS = [
    # Buffers.
    Row("rondo.alltoall(comm, a, a)"),
    Row("rondo.alltoall(world, a.reshape(2, 4), i)"),
    Row("rondo.alltoall(comm, b'12345678', bytearray(8))"),
    Row("rondo.alltoall(comm, memoryview(b'12345678'), array.array('d', a))"),
    Row("rondo.alltoall(comm, MPI.buffer.frombuffer(a), MPI.buffer.allocate(64))"),
    Row("rondo.alltoall(comm, 3, a)", ARGUMENT),
    Row("rondo.alltoall(comm, a, 3)", ARGUMENT),
    Row("rondo.alltoall(comm, 3.0, a)", ARGUMENT),
    Row("rondo.alltoall(comm, 'text', a)", ARGUMENT),
    Row("rondo.alltoall(comm, a, b'12345678')", ARGUMENT),
    Row("rondo.alltoall(comm, counts, a)", ARGUMENT),
    Row("rondo.alltoall(comm, {1: a}, a)", ARGUMENT),
    Row("rondo.alltoall(comm, a, None)", ARGUMENT),
    # In place.
    Row("rondo.alltoall(comm, MPI.IN_PLACE, a)"),
    Row("rondo.alltoallv(comm, None, (a, counts))"),
    Row("rondo.alltoall(comm, a, MPI.IN_PLACE)", ARGUMENT),
    # Communicators.
    Row("rondo.alltoall(0, a, a)", ARGUMENT),
    Row("rondo.alltoall(a, a, comm)", ARGUMENT),
    Row("rondo.alltoall(MPI.COMM_WORLD.Get_group(), a, a)", ARGUMENT),
    Row("rondo.alltoall(a, a)", "Missing positional argument"),
    # Equal blocks.
    Row("rondo.alltoall(comm, (a, 1), (a, MPI.DOUBLE))"),
    Row("rondo.alltoall(comm, (a, np.int64(1), 'd'), (a, 1, MPI.DOUBLE))"),
    Row("rondo.alltoall(comm, [a, 1, MPI.DOUBLE], [a, MPI.DOUBLE])"),
    Row("rondo.alltoall(comm, (MPI.BOTTOM, 1, MPI.DOUBLE), (None, 1, MPI.DOUBLE))"),
    Row("rondo.alltoall(comm, (a, 1.5), a)", ARGUMENT),
    Row("rondo.alltoall(comm, (a, counts), a)", ARGUMENT),
    Row("rondo.alltoall(comm, (MPI.DOUBLE, a), a)", ARGUMENT),
    Row("rondo.alltoall(comm, (MPI.BOTTOM, 1), a)", ARGUMENT),
    Row("rondo.alltoall(comm, a, (b'12345678', 1))", ARGUMENT),
    # Blocks of any lengths.
    Row("rondo.alltoallv(comm, (a, counts), (a, i))"),
    Row("rondo.alltoallv(comm, (a, counts, MPI.DOUBLE), (a, range(8), 'd'))"),
    Row("rondo.alltoallv(comm, (a, (counts, counts)), (a, (i, i), MPI.DOUBLE))"),
    Row("rondo.alltoallv(comm, (a, counts, counts, MPI.DOUBLE), (a, i, i, MPI.DOUBLE))"),
    Row("rondo.alltoallv(comm, (a, (counts, None)), (a, ((1, 2), (0, 1)), 'd'))"),
    Row("rondo.alltoallv(comm, (a, [np.int32(1)]), (a, array.array('i', [1])))"),
    Row("rondo.alltoallv(comm, (a, 1), (a, MPI.DOUBLE))"),
    Row("rondo.alltoallv(comm, [a, counts, counts, MPI.DOUBLE], [a, counts])"),
    Row("both = [a, counts]; rondo.alltoallv(comm, both, both)"),
    Row("rondo.alltoallv(comm, (a, (1, 2, 3)), (a, counts))", ARGUMENT),
    Row("rondo.alltoallv(comm, (a, [1.5]), (a, counts))", ARGUMENT),
    Row("rondo.alltoallv(comm, (a, a), (a, counts))", ARGUMENT),
    Row("rondo.alltoallv(comm, (a, 'ab', 'cd', 'd'), (a, counts))", ARGUMENT),
    Row("rondo.alltoallv(comm, counts, counts)", ARGUMENT),
    # A datatype for each block.
    Row("rondo.alltoallw(comm, (a, counts, counts, kinds), (a, (i, i), kinds))"),
    Row("rondo.alltoallw(comm, (a, kinds), [a, kinds])"),
    Row("rondo.alltoallw(comm, a, a)", ARGUMENT),
    Row("rondo.alltoallw(comm, (a, counts, counts, MPI.DOUBLE), (a, kinds))", ARGUMENT),
    # Counts that nobody knows.
    Row("done: bool = rondo.ialltoallv(comm, (a, counts), (a, counts)).test()"),
    Row("rondo.ialltoall(comm, a, a).wait()"),
    Row("rondo.ialltoall(comm, a, a).status", "has no attribute"),
    Row("total: int = int(rondo.alltoallv_dynamic(comm, (a, counts)).counts.sum())"),
    Row("rondo.alltoallv_dynamic(comm, (a, counts), np.float32).data.astype(float)"),
    Row("rondo.alltoallv_dynamic(comm, MPI.IN_PLACE)", ARGUMENT),
    Row("rondo.alltoallv_dynamic(comm, (a, counts)).lengths", "has no attribute"),
    # Few partners.
    Row("total: int = int(rondo.sparse_alltoallv(comm, [0, 1], (a, counts)).sources.sum())"),
    Row("rondo.sparse_alltoallv(comm, i, (a, counts), np.float32).blocks()[0].astype(float)"),
    Row("rondo.sparse_alltoallv(comm, range(2), (a, counts, counts, MPI.DOUBLE))"),
    Row("rondo.sparse_alltoallv(comm, [0.5], (a, counts))", ARGUMENT),
    Row("rondo.sparse_alltoallv(comm, [0], MPI.IN_PLACE)", ARGUMENT),
    Row("rondo.sparse_alltoallv(comm, [0], (a, counts)).ranks", "has no attribute"),
    # Plans.
    Row("rondo.plan('alltoall', comm, a, a).execute()"),
    Row("rondo.plan('alltoallv', comm, (a, counts), (a, counts), MPI.INFO_NULL).execute(a, a)"),
    Row("rondo.plan('alltoallw', comm, None, (a, kinds)).execute(recv=a)"),
    Row("name: str = rondo.plan('alltoall', comm, a, a).algorithm"),
    Row("def of(what: Collective) -> None: rondo.set_algorithm(comm, what)"),
    Row("rondo.plan('alltoal', comm, a, a)", NONE_FITS),
    Row("rondo.plan('alltoallw', comm, a, a)", NONE_FITS),
    Row("rondo.plan('alltoall', comm, 3, a)", NONE_FITS),
    Row("rondo.plan('alltoall', comm, a, a).execute(3)", ARGUMENT),
    Row("rondo.plan('alltoall', comm, a, a).execute(a, b'1')", ARGUMENT),
    Row("rondo.plan('alltoall', comm, a, a).radix", "has no attribute"),
    # Tables.
    Row(
        "table: Any = None; rondo.arrow.shuffle(table, ['key'], comm, slice_bytes=1 << 20).num_rows"
    ),
    Row("table: Any = None; rondo.arrow.join(table, table, 'key', comm, join_type='inner')"),
    Row("table: Any = None; rondo.arrow.join(table, table, ['k'], comm, broadcast='right')"),
    Row("table: Any = None; rondo.arrow.join(table, table, 'k', comm, broadcast='up')", ARGUMENT),
    Row("table: Any = None; rondo.arrow.drop_duplicates(table, 'key', comm).num_rows"),
    Row("table: Any = None; rondo.arrow.sort(table, [('key', 'descending'), 'other'], comm)"),
    Row("table: Any = None; rondo.arrow.sort(table, 3, comm)", ARGUMENT),
    Row("rondo.arrow.shuffle(table=a, by='key', comm=comm)", ARGUMENT),
    Row("rondo.arrow.group_by([1], 'key', [('v', 'sum')], comm)", ARGUMENT),
    # The rest.
    Row("rondo.set_algorithm(comm, 'alltoallv', 'fused_bruck:radix=4')"),
    Row("rondo.prepare(comm)"),
    Row("def f(send: UniformSend, recv: UniformReceive) -> None: rondo.alltoall(comm, send, recv)"),
    Row("spec: VectorSend = (a, counts)"),
    Row("k: int = rondo.schedule.bruck(8, radix=2).K"),
    Row("seconds: float = rondo.model.Contest(300).best('spread_out', 8).cost.total"),
    Row("table: list[dict[Any, Any]] = rondo.Results.read('runs.json').pivot().rows()"),
    Row("rondo.set_algorithm(comm, 'gather')", ARGUMENT),
    Row("rondo.set_algorithm(comm, 'alltoall', 4)", ARGUMENT),
    Row("rondo.schedule.bruck('8')", ARGUMENT),
    Row("rondo.Results.read(3)", ARGUMENT),
]


@pytest.fixture(scope="module")
def mypy(tmp_path_factory):
    """Runs mypy, which keeps what it has found out of numpy and mpi4py for the next time."""
    options = ["--strict", "--no-color-output", "--no-error-summary"]
    options += ["--cache-dir", tmp_path_factory.mktemp("cache")]

    def run_it(*arguments):
        return run(sys.executable, "-m", "mypy", *options, *arguments, timeout=600)

    return run_it


@pytest.fixture(scope="module")
def said(mypy, tmp_path_factory):
    """What mypy says of each row, all rows checked at once."""
    folder = tmp_path_factory.mktemp("programs")
    files = [folder / f"row_{number}.py" for number in range(len(ROWS))]
    for file, row in zip(files, ROWS):
        file.write_text(f"{START}\n{row.line}\n", encoding="utf-8")
    done = mypy(*files)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return [
        "\n".join(line for line in done.stdout.splitlines() if re.search(rf"\b{file.name}:", line))
        for file in files
    ]


@pytest.mark.parametrize("number", range(len(ROWS)), ids=[row.line for row in ROWS])
def test_a_program(said, number):
    wrong = ROWS[number].wrong
    assert wrong in said[number] if wrong else not said[number], said[number]


def test_the_package(mypy):
    """Without rondo.torch where PyTorch is not there; test_torch.py has its types."""
    without = [] if find_spec("torch") else ["--exclude", "/rondo/torch/"]
    done = mypy("-p", "rondo", *without)
    assert done.returncode == 0, done.stdout + done.stderr
