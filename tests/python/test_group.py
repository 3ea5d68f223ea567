"""Exchanges without MPI, among processes that multiprocessing starts."""

import gc
import os
import signal
import sys
import threading
import time
import weakref
from array import array
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from calling import run, seed
from document_text import SOURCE
from group_support import SECONDS, in_shared_memory, on_ranks
from groups import FailingMessages, NeverComplete, exchange_at_random

import rondo

# How many ranks, and how many of them a node has; 0 for all, without messages.
PLACES = [(1, 0), (2, 0), (3, 0), (5, 0), (8, 0), (2, 1), (4, 2), (5, 2)]


@pytest.mark.parametrize("ranks, per_node", PLACES)
def test_random(ranks, per_node):
    drawn_from = f"{seed()} {ranks} {per_node}"
    print(f"drawn from {drawn_from!r}")
    on_ranks(exchange_at_random, ranks, drawn_from, per_node=per_node)


def run_alone(*words):
    """In a process that loads no library of MPI's folder, which may have another Python's, too."""
    program = Path(__file__).parent / "groups.py"
    done = run(sys.executable, program, *words, variables={"LD_LIBRARY_PATH": ""})
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("start", ["spawn", "forkserver"])
def test_other_ways_to_start(start):
    run_alone("random", start, seed())


WRONG = {
    "alltoall": [
        (TypeError, "expecting memory, [memory, counts]", ([1], np.zeros(6))),
        (TypeError, "send: expecting contiguous memory of numbers, such as an array of numpy",
         (1, np.zeros(6))),
        (TypeError, "got ndarray", (np.array([None] * 6), np.zeros(6))),
        (TypeError, "got ndarray", (np.zeros(6, [("O", "i4"), ("field", "O")]), np.zeros(6))),
        (TypeError, "got ndarray", (np.zeros(6, "V0"), np.zeros(6))),
        (TypeError, "dates as int64", (np.zeros(6, "M8[s]"), np.zeros(6))),
        (TypeError, "got ndarray", (np.zeros((6, 6))[:, 0], np.zeros(6))),
        (TypeError, "receive: expecting contiguous, writable memory", (np.zeros(6), b"6" * 48)),
        (TypeError, "takes no counts", ([np.zeros(6), [2] * 3], np.zeros(6))),
        (ValueError, "send has 7 elements, which 3 ranks cannot share", (np.zeros(7), np.zeros(6))),
        (ValueError, "differ in size", (np.zeros(6), np.zeros(9))),
    ],
    "alltoallv": [
        (ValueError, "the block of rank 1 has 3 elements from 1 on, but the memory has 2",
         ([np.zeros(2), [1, 3, 0]], np.zeros(6))),
        (ValueError, "the block of rank 2 has 1 elements from 9 on",
         ([np.zeros(2), ([1, 1, 1], [0, 0, 9])], np.zeros(6))),
        (ValueError, "send: -1 is among the counts", ([np.zeros(2), [1, -1, 2]], np.zeros(6))),
        (ValueError, "receive: -2 is among the displacements",
         (np.zeros(6), [np.zeros(6), ([0] * 3, [0, 0, -2])])),
        (TypeError, "expecting 3 integers as counts", ([np.zeros(2), [1, 1]], np.zeros(6))),
        (TypeError, "expecting 3 integers as counts", ([np.zeros(2), 2], np.zeros(6))),
        (TypeError, "expecting 3 integers as counts", ([np.zeros(2), [2**63, 0, 0]], np.zeros(6))),
        (TypeError, "expecting 3 integers as displacements",
         ([np.zeros(2), ([1, 1, 0], [0.5, 0, 0])], np.zeros(6))),
        (TypeError, "expecting memory, [memory, counts]", ([np.zeros(2), [1], [0]], np.zeros(6))),
    ],
    "alltoallv_dynamic": [
        (TypeError, "got str", ("text",)),
        (ValueError, "but the memory has 2", ([np.zeros(2), [1, 3, 0]],)),
    ],
}  # fmt: skip
RIGHT = {
    "alltoall": lambda: (np.zeros(6), np.zeros(6)),
    "alltoallv": lambda: (np.zeros(6), np.zeros(6)),
    "alltoallv_dynamic": lambda: (np.zeros(6),),
}


def make_mistakes(rank):
    """The other ranks do not wait for the one that is wrong, and the next exchange is right."""
    overlapping = np.zeros(9)
    wrong = dict(WRONG)
    wrong["alltoall"] = [
        *WRONG["alltoall"],
        (ValueError, "overlap", (overlapping[:6], overlapping[3:])),
    ]
    with rank.group() as group:
        for name, rows in wrong.items():
            for kind, sentence, arguments in rows:
                if rank.rank == 1:
                    with pytest.raises(kind) as told:
                        getattr(group, name)(*arguments)
                    assert sentence in str(told.value)
                else:
                    with pytest.raises(rondo.GroupError, match="rank 1 could not take part"):
                        getattr(group, name)(*RIGHT[name]())
                getattr(group, name)(*RIGHT[name]())
        send = np.zeros(6, "u1" if rank.rank == 1 else "u2")
        if rank.rank == 1:
            assert group.alltoallv_dynamic(send).counts.tolist() == [4, 2, 4]
        else:
            assert group.alltoallv_dynamic(send).counts.tolist() == [2, 1, 2]
        counts = [2, 2, 2] if rank.rank != 1 else [2, 3, 1]
        with suppress(rondo.GroupError):
            group.alltoallv([np.zeros(6), counts], np.zeros(6))
        group.alltoall(*RIGHT["alltoall"]())


@pytest.mark.parametrize("per_node", [0, 2])
def test_mistakes(per_node):
    on_ranks(make_mistakes, 3, per_node=per_node)


def alone():
    return rondo.Group(0, 1, allgather=lambda own: [own])


@pytest.mark.parametrize(
    "counts",
    [[2], (np.int8(2),), range(2, 3), array("l", [2])]
    + [np.array([2], kind) for kind in ("i2", "u8", ">i8")],
    ids=str,
)
def test_counts_in_any_form(counts):
    came = alone().alltoallv_dynamic([np.arange(3), (counts, [1])])
    assert (came.data.tolist(), came.counts.tolist()) == ([1, 2], [2])


@pytest.mark.parametrize(
    "sent",
    [b"abc", bytearray(b"abc"), memoryview(b"abc"), array("d", [1, 2]), np.array(2.5)]
    + [np.zeros(2, dtype) for dtype in (">f4", "U3", "f2", [("O", "i1"), ("a", "f8", 3)], "g")],
    ids=str,
)
def test_memory_of_any_type(sent):
    came = alone().alltoallv_dynamic(sent).data
    assert came.tobytes() == bytes(memoryview(sent))
    assert came.dtype == np.asarray(memoryview(sent)).dtype


def gather_wrongly(rank):
    """What goes wrong in the program's own functions is raised where the group is made."""
    told = []
    for gather in (
        lambda own: [own],
        lambda own: [own, own[:1]],
        lambda own: [own, None],
        lambda own: 1 // 0,
        lambda own: sys.exit("done"),
    ):
        with pytest.raises((ValueError, TypeError, ZeroDivisionError, SystemExit)) as raised:
            rondo.Group(rank.rank, 2, allgather=gather)
        told.append(f"{raised.type.__name__}: {raised.value}")
    return told


def test_functions_that_fail():
    wrong = "ValueError: allgather returned"
    assert on_ranks(gather_wrongly, 2)[1] == [
        f"{wrong} 1 items for 2 ranks",
        *[told for told in on_ranks(gather_wrongly, 2)[1][1:3] if told.startswith(wrong)],
        "ZeroDivisionError: integer division or modulo by zero",
        "SystemExit: done",
    ]
    for arguments, sentence in [
        ((2, 2), "rank 2 of 2"),
        ((-1, 2), "rank -1 of 2"),
        ((0, 0), "rank 0 of 0"),
    ]:
        with pytest.raises(rondo.GroupError, match=sentence):
            rondo.Group(*arguments, allgather=lambda own: [own])
    with pytest.raises(ValueError, match="timeout is -1"):
        rondo.Group(0, 1, allgather=lambda own: [own], timeout=-1)
    with pytest.raises(TypeError):
        rondo.Group(0, 1)


def send_in_vain(rank):
    messages = FailingMessages()
    with pytest.raises(ConnectionError, match=f"no way to rank {1 - rank.rank}"):
        group = rondo.Group(
            rank.rank,
            2,
            allgather=rank.allgather,
            messages=messages,
            node=str(rank.rank),
            timeout=2,
        )
        group.alltoall(np.zeros(2), np.zeros(2))
    return messages.cancelled


def test_messages_that_fail():
    assert min(on_ranks(send_in_vain, 2)) > 0


def wait_for_the_dead(rank, timeout):
    group = rank.group(timeout)
    group.alltoall(np.zeros(3), np.zeros(3))
    if rank.rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    before = time.monotonic()
    with pytest.raises(rondo.GroupError, match="has waited for other ranks"):
        while True:
            group.alltoall(np.zeros(3), np.zeros(3))
    waited = time.monotonic() - before
    with pytest.raises(rondo.GroupError, match="make a new group"):
        group.alltoall(np.zeros(3), np.zeros(3))
    group.free()
    return waited


@pytest.mark.parametrize("per_node", [0, 2])
def test_a_rank_that_dies(per_node):
    """The others end in time, and nothing stays in shared memory."""
    before = in_shared_memory()
    waited = on_ranks(wait_for_the_dead, 3, 1.0, per_node=per_node, killed=1)
    assert waited[1] is None
    assert all(0.9 < one < SECONDS / 2 for one in (waited[0], waited[2])), waited
    assert in_shared_memory() <= before


def wait_until_interrupted(rank):
    group = rank.group(timeout=None)
    group.alltoall(np.zeros(2), np.zeros(2))
    if rank.rank == 1:
        rank.allgather(b"")
        return 0
    before = time.monotonic()
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        group.alltoall(np.zeros(2), np.zeros(2))
    waited = time.monotonic() - before
    rank.allgather(b"")
    return waited


@pytest.mark.parametrize("per_node", [0, 1])
def test_ctrl_c(per_node):
    """It ends an exchange for which another rank does not come."""
    assert 0.4 < on_ranks(wait_until_interrupted, 2, per_node=per_node)[0] < SECONDS / 2


@pytest.mark.parametrize("per_node", [0, 1])
def test_the_end_of_python(per_node):
    run_alone("end", per_node)


def make_many(rank):
    """Groups that are freed give back what they have, however they are freed."""

    def open_files():
        return len(list(Path("/proc/self/fd").iterdir()))

    def exchange(group):
        group.alltoall(np.zeros(2), np.zeros(2))

    exchange(rank.group())
    gc.collect()
    before = open_files()
    for number in range(30):
        group = rank.group()
        exchange(group)
        if number % 2:
            group.free()
            group.free()
            with pytest.raises(rondo.GroupError, match="group is a null pointer"):
                group.alltoall(np.zeros(2), np.zeros(2))
    del group
    gc.collect()
    one, other = rank.group(), rank.group()
    for _ in range(3):
        exchange(one)
        exchange(other)
    one.free()
    exchange(other)
    other.free()
    return open_files() - before


def test_many_groups():
    assert max(on_ranks(make_many, 2)) <= 0


def test_messages_that_refer_to_their_group():
    messages = NeverComplete()
    messages.group = rondo.Group(0, 1, allgather=lambda own: [own], messages=messages)
    alive = weakref.ref(messages)
    del messages
    gc.collect()
    assert alive() is None


def test_example():
    """The one of the documents."""
    done = run(sys.executable, SOURCE / "examples/processes.py", timeout=60)
    assert done.returncode == 0, done.stderr
    assert "rank 3 has received [3, 13, 23, 33]" in done.stdout, done.stdout


def test_nothing_of_mpi_is_imported():
    asked = (
        "import sys, rondo; rondo.Group(0, 1, allgather=lambda own: [own]); "
        "print({'mpi4py', 'rondo._mpi', 'rondo._library'} & set(sys.modules))"
    )
    assert run(sys.executable, "-c", asked).stdout.strip() == "set()"
