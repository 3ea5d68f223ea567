"""What ranks that wait say together."""

import sys

import pytest
from calling import write_program
from document_text import SOURCE, blocks

from rondo import watching


def block(rank, details, number=41, communicator="MPI_COMM_WORLD", node="n1"):
    """The lines of a block."""
    lines = [
        f"rank {rank} (process {100 + rank} on {node}) has waited for 60 s in exchange {number} on "
        f"{communicator}",
        "  communicator: 4 ranks, all of the job",
        "  exchange: alltoallv by node_aware; this rank sends 48 bytes, at most 12 to a rank",
        *(f"  {detail}" for detail in details),
    ]
    return [f"rondo: watch: {line}" for line in lines]


def missing(rank, reason):
    return f"missing: rank {rank} (rank {rank} of the job, process {100 + rank}): {reason}"


IDLE = "in no exchange; it sleeps"
WAIT = "in exchange 41 on MPI_COMM_WORLD: alltoallv by node_aware"

# Blocks, and the summary without its first line.
SUMMARIES = [
    (
        [block(0, ["waiting here: ranks 0-1,3", missing(2, IDLE)])],
        [f"ranks 0-1,3 wait {WAIT}", f"all wait for rank 2 of the job (process 102 on n1): {IDLE}"],
    ),
    (  # two nodes
        [
            block(0, ["waiting here: ranks 0-1", "on other nodes: ranks 2-3; each node prints"]),
            block(
                3,
                ["waiting here: rank 3", missing(2, IDLE), "on other nodes: ranks 0-1; each node"],
                node="n2",
            ),
        ],
        [f"ranks 0-1,3 wait {WAIT}", f"all wait for rank 2 of the job (process 102 on n2): {IDLE}"],
    ),
    (  # a node of which no rank has come
        [block(0, ["waiting here: ranks 0-1", "on other nodes: ranks 2-3; each node prints"])],
        [
            f"ranks 0-1 wait {WAIT}",
            "ranks 2-3 have not come there, and no rank of the same node has, either",
        ],
    ),
    (  # the first exchange
        [
            block(
                0, ["waiting here: rank 0", "not known to this rank: ranks 1-2; it is the first"]
            ),
            block(
                1, ["waiting here: rank 1", "not known to this rank: ranks 0,2; it is the first"]
            ),
        ],
        [
            f"ranks 0-1 wait {WAIT}",
            "rank 2 has not come there, and no rank of the same node has, either",
        ],
    ),
    (  # one waits for another that waits for a third
        [
            block(0, ["waiting here: rank 0", missing(1, "in exchange 40 on row: alltoall")]),
            block(1, ["waiting here: rank 1", missing(2, "its process has ended")], 40, "row"),
        ],
        [
            f"rank 0 waits {WAIT}",
            "rank 1 waits in exchange 40 on row: alltoallv by node_aware",
            "all wait for rank 2 of the job (process 102 on n1): its process has ended",
        ],
    ),
    (  # two wait for each other
        [
            block(0, ["waiting here: rank 0", missing(1, "in exchange 40 on row: alltoall")]),
        ],
        [
            f"rank 0 waits {WAIT}",
            "others wait for rank 1 of the job (process 101 on n1): "
            "in exchange 40 on row: alltoall",
        ],
    ),
]


@pytest.mark.parametrize("prefix", ["", "[1,0]<stderr>:"])
@pytest.mark.parametrize(("blocks", "expected"), SUMMARIES)
def test_a_summary_names_those_for_whom_all_wait(prefix, blocks, expected):
    summary = watching.Summary()
    for lines in blocks:
        assert all([summary.take(f"{prefix}{line}\n") for line in lines])
    said = [f"rondo: watch:   {line}" for line in expected]
    assert summary.lines() == ["rondo: watch: summary", *said]


def test_the_document_shows_a_block_and_its_summary():
    shown, said = blocks(SOURCE / "docs/hangs.md", "text")
    summary = watching.Summary()
    assert all([summary.take(line) for line in shown.splitlines()])
    assert summary.lines() == said.splitlines()


def test_other_lines_make_no_summary():
    summary = watching.Summary()
    for line in ("hello\n", "rondo: watch: process 7 is in no exchange\n", "rondo: warning\n"):
        summary.take(line)
    assert summary.lines() == []


def test_lines_are_passed_on_and_a_summary_follows(tmp_path):
    lines = block(0, ["waiting here: rank 0", missing(1, IDLE)])
    words = "\n".join(f"echo '{line}' >&2" for line in ["before", *lines])
    program = write_program(
        tmp_path / "program", f"#!/bin/sh\n{words}\nsleep 3\necho after >&2\nexit 7\n"
    )
    said = []
    assert watching.run([str(program)], said.append) == 7
    text = "".join(said).splitlines()
    summary = text.index("rondo: watch: summary")
    assert text[:summary] == ["before", *lines]
    assert text[-1] == "after"
    assert text.count("rondo: watch: summary") == 1


def test_a_signal_ends_it_as_in_shells():
    command = [sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"]
    assert watching.run(command, lambda _: None) == 128 + 9
