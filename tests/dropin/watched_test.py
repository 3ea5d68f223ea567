#!/usr/bin/env python3
"""A rank that waits for long says who is missing and where.

watched_test.py --family openmpi --ranks 4 --linked PROGRAM --plain PROGRAM --exec RONDO_EXEC
    [--component] --mpirun tools/mpirun
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import calling
from calling import Failures, options, processes_with

WATCH = "500ms"
SECONDS = 60  # for all that a row expects; it comes within two on a quiet machine
RECOVERY = {"openmpi": "--enable-recovery", "mpich": "-disable-auto-cleanup"}

IDLE = r"in no exchange; it (runs|sleeps)"
STOPPED = "stopped, by a signal or a debugger, in no exchange"
ENDED = "its process has ended"
OF_LIBRARY = "exchange: MPI_Alltoallv of the MPI library"
OTHER_FUNCTION = "another exchange came in this one: the ranks call different functions"
ALONE = "no rank of this node is missing"


@dataclass
class Row:
    """A run, and what it says; lines are regular expressions without the first words."""

    name: str
    case: str
    reason: str = ""  # what is said of the victim
    lines: list = field(default_factory=list)
    ranks: int = 4
    victim: int = 2
    calls: int = 6
    seconds: float = 60
    node_ranks: int = 0
    way: str = "linked"
    algorithm: str = "node_aware"
    variables: dict = field(default_factory=dict)
    blocks: int = 1
    ends: bool = False  # by itself, well

    def expected(self):
        missing = f"missing: rank {self.victim} (rank {self.victim} of the job, process "
        return self.lines + (
            [re.escape(missing) + rf"\d+\): {self.reason}$"] if self.reason else []
        )


LATE = {"seconds": 2, "ends": True}
TWO_NODES = {"node_ranks": 2, "blocks": 2}
ROWS = [
    Row(
        "late",
        "late",
        IDLE,
        [r"waiting here: ranks 0-1,3", "by node_aware", "sends 48 bytes, at most 12"],
        **LATE,
    ),
    Row("computes", "computes", "in no exchange; it runs", **LATE),
    Row("in another function of MPI", "receives", IDLE),
    Row("stopped", "stopped", STOPPED),
    Row("killed", "killed", ENDED),
    Row("the first rank", "late", IDLE, ["waiting here: ranks 1-3"], victim=0, **LATE),
    Row("two ranks", "late", IDLE, ["waiting here: rank 0"], ranks=2, victim=1, **LATE),
    Row(
        "another form",
        "other_form",
        "calls alltoall where this rank calls alltoallv",
        variables={"RONDO_ALLTOALL": "tunable_bruck"},
    ),
    Row(
        "another communicator",
        "other_comm",
        "in exchange 7 on the second one: alltoall",
        ["has waited for .* in exchange 7 on the second one"],
        blocks=2,
    ),
    Row(
        "an exchange behind",
        "behind",
        "in exchange 7 on this communicator: alltoallv",
        [r"missing: rank 0 .*: in no exchange", "have passed it: ranks 1,3"],
        algorithm="spread_out",
        blocks=2,
    ),
    Row("messages, late", "late", IDLE, ["by spread_out"], algorithm="spread_out", **LATE),
    Row("messages, stopped", "stopped", STOPPED, algorithm="pairwise"),
    Row("the library's by choice", "late", IDLE, [OF_LIBRARY], algorithm="mpi", **LATE),
    Row("the library's at first", "stopped", STOPPED, [OF_LIBRARY], algorithm="auto"),
    Row(
        "the first exchange",
        "late",
        lines=["not known to this rank: ranks 1-3", "exchange: the first exchange there"],
        calls=0,
        blocks=3,
        **LATE,
    ),
    Row(
        "a part of the ranks",
        "part",
        lines=[
            "in exchange 2 on a communicator of 2 ranks",
            "of the job these: 0,2",
            r"missing: rank 1 \(rank 2 of the job, process \d+\): in no exchange",
        ],
        calls=0,
        blocks=2,  # the other ranks are in the exchange after it
        **LATE,
    ),
    Row(
        "the first exchange with neighbours",
        "neighbors",
        STOPPED,
        ["waiting here: ranks 0-1,3", "in exchange 1 on a communicator of 4 ranks"],
    ),
    Row("two nodes, late", "late", IDLE, [ALONE, "on other nodes: ranks 0-1"], **LATE, **TWO_NODES),
    Row("two nodes, stopped", "stopped", STOPPED, [ALONE], **TWO_NODES),
    Row("two nodes, killed", "killed", ENDED, [ALONE], **TWO_NODES),
    Row("two nodes, the library's", "stopped", STOPPED, [OF_LIBRARY], algorithm="mpi", **TWO_NODES),
    Row(
        "four nodes",
        "stopped",
        lines=[
            "on other nodes: ranks 1-3",
            "on other nodes: ranks 0,2-3",
            "on other nodes: ranks 0-2",
        ],
        node_ranks=1,
        blocks=3,
    ),
    Row("not recompiled", "late", IDLE, [OF_LIBRARY], way="preload", algorithm="auto", **LATE),
    Row("not recompiled, stopped", "stopped", STOPPED, ["by node_aware"], way="preload"),
    Row(
        "not recompiled, before an exchange",
        "stopped",
        STOPPED,
        way="preload",
        algorithm="auto",
        calls=1,
        variables={"RONDO_STATS": "1"},
    ),
    Row("not recompiled, in turns", "stopped", STOPPED, way="preload", variables={"RONDO_AB": "1"}),
    Row("inside Open MPI", "late", IDLE, [OF_LIBRARY], way="component", algorithm="auto", **LATE),
    Row("inside Open MPI, stopped", "stopped", STOPPED, ["by node_aware"], way="component"),
]
# Says nothing; one rank of two is late by less, and then the exchanges follow each other.
QUIET = Row(
    "quiet",
    "quiet",
    ranks=2,
    seconds=4,
    blocks=0,
    ends=True,
    variables={"RONDO_WATCH": "1s"},
)


class Job:
    """A job that is ended at the end of a with statement."""

    def __init__(self, row, **variables):
        self.folder = tempfile.TemporaryDirectory(prefix="rondo-watched-", dir="/tmp")
        self.token = f"rondo-watched-{os.getpid()}-{time.monotonic_ns():x}"
        self.output = Path(self.folder.name) / "output"
        environment = dict(os.environ, OMPI_MCA_mpi_yield_when_idle="1", RONDO_WATCH=WATCH)
        environment.update(XDG_CONFIG_HOME="/no/profile", **row.variables)
        for form in ("ALLTOALL", "ALLTOALLV"):
            environment.setdefault(f"RONDO_{form}", row.algorithm)
        if row.node_ranks:
            environment["RONDO_TEST_NODE_RANKS"] = str(row.node_ranks)
        if options.family in RECOVERY:
            environment["RONDO_MPIRUN_ARGUMENTS"] = RECOVERY[options.family]
        environment.update(variables)
        program = [options.linked]
        if row.way != "linked":
            program = [options.exec, "--via", row.way, options.plain]
        words = [row.case, row.victim, row.calls, row.seconds, self.token]
        command = [*options.mpirun, "-n", row.ranks, *program, *words]
        with self.output.open("w") as file:
            self.process = subprocess.Popen(
                [str(word) for word in command], stdout=file, stderr=file, env=environment
            )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for pid in [*processes_with(self.token)]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self.process.kill()
        self.process.wait()
        self.folder.cleanup()

    def said(self):
        """The lines, without the first words."""
        text = self.output.read_text(errors="replace")
        return re.findall(r"^.*?rondo: watch: +(.*)$", text, re.MULTILINE)

    def blocks(self):
        return sum(" has waited for " in line for line in self.said())

    def says(self, lines, blocks):
        """Whether all has come that is expected."""
        said = self.said()
        has_all = all(any(re.search(line, one) for one in said) for line in lines)
        return has_all and self.blocks() >= blocks

    def wait_for(self, lines, blocks):
        """Also whether it has ended meanwhile."""
        return calling.wait_until(
            lambda: self.says(lines, blocks) or self.process.poll() is not None, SECONDS
        )

    def ends_well(self):
        try:
            return self.process.wait(SECONDS) == 0
        except subprocess.TimeoutExpired:
            return False

    def text(self):
        return self.output.read_text(errors="replace")


def check_row(failures, row):
    with Job(row) as job:
        job.wait_for(row.expected(), row.blocks)
        has_ended_well = not row.ends or job.ends_well()
        time.sleep(0.5)  # more blocks would be wrong
        is_right = job.says(row.expected(), row.blocks) and job.blocks() == row.blocks
        named = {line.partition(" (")[0] for line in job.said() if line.startswith("missing")}
        names_others = bool(row.reason) and named != {f"missing: rank {row.victim}"}
        is_right = is_right and (row.blocks > 1 or not names_others)
        failures.expect(is_right and has_ended_well, f"{row.name}: {row.expected()}\n{job.text()}")


def check_asked(failures):
    """SIGUSR1 to the launcher reaches all ranks."""
    lines = [r"process \d+ is in no exchange"]
    row = Row("asked", "computes", IDLE, lines, way="preload")  # the signal would end a sleep
    with Job(row, RONDO_WATCH="1h") as job:
        calling.wait_until(lambda: len(processes_with(job.token)) > row.ranks, SECONDS)
        time.sleep(2)  # until Rondo is there
        for _ in range(10):
            job.process.send_signal(signal.SIGUSR1)
            if calling.wait_until(lambda: job.says(row.expected(), 1), 3):
                break
        is_right = job.says(row.expected(), 1) and job.blocks() == 1
        failures.expect(is_right, f"asked\n{job.text()}")


def check_suspended(failures):
    """A job that is stopped as a whole has not waited."""
    row = Row("suspended", "quiet", ranks=2, seconds=5, blocks=0, ends=True)
    with Job(row) as job:
        calling.wait_until(lambda: len(processes_with(job.token)) > row.ranks, SECONDS)
        time.sleep(2)  # until they exchange
        stopped = [*processes_with(job.token)]
        for number in (signal.SIGSTOP, signal.SIGCONT):
            for pid in stopped:
                os.kill(pid, number)
            time.sleep(2)
        failures.expect(job.ends_well() and not job.said(), f"suspended\n{job.text()}")


def check_abort(failures):
    row = Row("abort", "stopped", STOPPED)
    with Job(row, RONDO_WATCH_ABORT="1", RONDO_MPIRUN_ARGUMENTS="") as job:
        job.wait_for(row.expected(), 1)
        is_right = job.says(row.expected(), 1) and not job.ends_well()
        failures.expect(is_right, f"abort\n{job.text()}")


def check_error(failures):
    """A rank that takes the message of another function for its own names the cause."""
    row = Row(
        "an error",
        "other_form",
        ranks=8,
        node_ranks=2,
        variables={"RONDO_ALLTOALL": "tunable_bruck"},
    )
    with Job(row, RONDO_WATCH="1h", RONDO_MPIRUN_ARGUMENTS="") as job:
        has_ended = calling.wait_until(lambda: job.process.poll() is not None, SECONDS)
        is_right = has_ended and OTHER_FUNCTION in job.text()
        failures.expect(is_right, f"an error\n{job.text()}")


def main():
    programs = ("linked", "plain", "exec")
    parser_words = {"flags": ("component",), "optional": ("family", "ranks")}
    calling.parse(__doc__, *programs, **parser_words)
    options.family = str(options.family)
    most = int(str(options.ranks))
    failures = Failures()
    for row in [*ROWS, QUIET]:
        if row.ranks > most or (row.way == "component" and not options.component):
            continue
        check_row(failures, row)
    check_suspended(failures)
    if most >= 4:
        check_asked(failures)
        check_abort(failures)
        check_error(failures)
    return failures.status()


if __name__ == "__main__":
    sys.exit(main())
