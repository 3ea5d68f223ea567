"""What ranks that wait say together."""

import os
import signal
import sys
import time

import pytest
from calling import write_program
from document_text import SOURCE, blocks

from rondo import watching

WORLD = "4 ranks, all of the job"
SIGNALS = (signal.SIGUSR1, signal.SIGUSR2, signal.SIGHUP, signal.SIGTERM, signal.SIGINT)


@pytest.fixture(autouse=True)
def _leave_handlers():
    handlers = {number: signal.getsignal(number) for number in SIGNALS}
    yield
    for number, handler in handlers.items():
        signal.signal(number, handler)


def block(rank, details, number=41, communicator="MPI_COMM_WORLD", node="n1", members=WORLD):
    """The lines of a block."""
    lines = [
        f"rank {rank} (process {100 + rank} on {node}) has waited for 60 s in exchange {number} on "
        f"{communicator}",
        f"  communicator: {members}",
        "  exchange: alltoallv by node_aware; this rank sends 48 bytes, at most 12 to a rank",
        *(f"  {detail}" for detail in details),
    ]
    return [f"rondo: watch: {line}" for line in lines]


def missing(rank, reason):
    return f"missing: rank {rank} (rank {rank} of the job, process {100 + rank}): {reason}"


IDLE = "in no exchange; it sleeps"
WAIT = "in exchange 41 on MPI_COMM_WORLD: alltoallv by node_aware"
NOT_THERE = "have not come there, or came late"
NO_BLOCK = "no rank of the same node has printed a block"
ELSEWHERE = "each node prints a block of its own"


def part(first, details):
    """A block on one of two communicators that have the same name."""
    members = f"2 ranks, of the job these: {first}-{first + 1}"
    return block(0, details, communicator="a communicator of 2 ranks", members=members)


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
        [f"ranks 0-1 wait {WAIT}", f"ranks 2-3 {NOT_THERE}: {NO_BLOCK}"],
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
        [f"ranks 0-1 wait {WAIT}", "rank 2 has not come there, or came late"],
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
    (  # many
        [block(0, ["waiting here: rank 0", *(missing(rank, IDLE) for rank in range(1, 40))])],
        [f"rank 0 waits {WAIT}", f"all wait for ranks 1-39 of the job: {IDLE}"],
    ),
    (  # two communicators with the same name
        [
            part(0, ["waiting here: rank 0", missing(1, IDLE)]),
            part(2, ["waiting here: rank 1", f"on other nodes: rank 0; {ELSEWHERE}"]),
        ],
        [
            "rank 0 waits in exchange 41 on a communicator of 2 ranks (of the job these: 0-1): "
            "alltoallv by node_aware",
            "rank 1 waits in exchange 41 on a communicator of 2 ranks (of the job these: 2-3): "
            "alltoallv by node_aware",
            f"rank 0 has not come there, or came late: {NO_BLOCK}",
            f"all wait for rank 1 of the job (process 101 on n1): {IDLE}",
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


def test_blocks_of_other_nodes_may_come_late():
    summary = watching.Summary()
    on_two_nodes = f"on other nodes: ranks 2-3; {ELSEWHERE}"
    for line in block(0, ["waiting here: ranks 0-1", on_two_nodes]):
        summary.take(line)
    assert summary.lines()[2].endswith(NO_BLOCK)
    here = ["waiting here: rank 2", missing(3, IDLE), f"on other nodes: ranks 0-1; {ELSEWHERE}"]
    for line in block(2, here, node="n2"):
        summary.take(line)
    assert summary.lines()[1:] == [
        f"rondo: watch:   ranks 0-2 wait {WAIT}",
        f"rondo: watch:   all wait for rank 3 of the job (process 103 on n2): {IDLE}",
    ]
    assert summary.lines() == []


def test_a_block_may_begin_in_a_line_that_was_cut():
    lines = block(0, ["waiting here: rank 0", missing(1, IDLE)])
    summary = watching.Summary()
    for line in ["rondo: watch:   missing: rank 7 (ra" + lines[0], *lines[1:]]:
        summary.take(line)
    assert summary.lines()[1:] == [
        f"rondo: watch:   rank 0 waits {WAIT}",
        f"rondo: watch:   all wait for rank 1 of the job (process 101 on n1): {IDLE}",
    ]


def test_prefixes_keep_mixed_blocks_apart():
    one = [f"[1,0]<stderr>:{line}" for line in block(0, ["waiting here: rank 0"])]
    other = [
        f"[1,1]<stderr>:{line}"
        for line in block(1, ["waiting here: rank 1", missing(2, IDLE)], 42, node="n2")
    ]
    summary = watching.Summary()
    # In turns, the longer one last.
    for pair in zip([*one, "hello"], other):
        for line in pair:
            summary.take(line)
    assert summary.lines()[1:] == [
        f"rondo: watch:   rank 0 waits {WAIT}",
        f"rondo: watch:   rank 1 waits {WAIT.replace('41', '42')}",
        f"rondo: watch:   all wait for rank 2 of the job (process 102 on n2): {IDLE}",
    ]


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
    text = b"".join(said).decode().splitlines()
    summary = text.index("rondo: watch: summary")
    assert text[:summary] == ["before", *lines]
    assert text[-1] == "after"
    assert text.count("rondo: watch: summary") == 1


def shell(words, write):
    return watching.run(["sh", "-c", words], write)


def test_what_a_program_writes_is_not_changed():
    said = []
    assert shell(r"printf '10%%\r20%%\r\377' >&2", said.append) == 0
    assert b"".join(said) == b"10%\r20%\r\xff"


def test_a_program_goes_on_if_nobody_reads_what_it_writes():
    def refuse(_):
        raise BrokenPipeError

    assert shell("head -c 1000000 /dev/zero >&2; exit 3", refuse) == 3


def test_a_process_that_is_left_behind_does_not_hold_it():
    begin = time.monotonic()
    assert shell("sleep 30 & echo here >&2", lambda _: None) == 0
    assert time.monotonic() - begin < 20


@pytest.mark.parametrize("name", ["USR1", "USR2", "HUP", "TERM"])
def test_a_signal_is_passed_on(name):
    words = f"trap 'exit 5' {name}; echo ready >&2; for wait in $(seq 200); do sleep 0.1; done"
    number = signal.Signals[f"SIG{name}"]
    signal.signal(number, signal.SIG_DFL)  # nohup ignores one

    def tell(said):
        if said:
            os.kill(os.getpid(), number)

    assert shell(words, tell) == 5


def test_a_signal_ends_it_as_in_shells():
    command = [sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"]
    assert watching.run(command, lambda _: None) == 128 + 9
