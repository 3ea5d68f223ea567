"""Runs of rondo-bench that find the best of all candidates at a cell.

First come short runs: one if all candidates fit into it, else several, compared by the MPI
library's own call, which is in each. A candidate that takes more than twice as long as the best
there, beyond doubt, is not the best: it is thrown out. But on which cores the ranks come to lie is
settled when a run starts, and that can make one kind of algorithm slow in that run (two ranks on
one core that wait for each other's memory take ten times as long): so every short run is repeated,
and only what was too slow each time is thrown out. All others, `mpi` and `auto` meet in one run,
the one that counts, and nothing of the short runs enters it.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import time
from typing import NamedTuple

from .candidates import AUTO, BESIDE, MPI, Cell, Shape, candidates, is_tuned
from .verdict import Excess, excess

SHORT_STARTS = 3
SHORT_ITERATIONS = 11
SHORT_WARMUP = 3
HOPELESS = 2

LEAST_ITERATIONS = 40
MOST_ITERATIONS = 2000
WARMUP = 5
MOST_CANDIDATES = 30  # in a run: each has a communicator and shared memory of its own

# Of the samples' own time, what an iteration takes with its barriers.
WITH_BARRIERS = 2

ENDING_SECONDS = 10

Rows = list[dict]  # of rondo-bench


class RaceError(Exception):
    """A sentence that tells what went wrong."""


class Bench(NamedTuple):
    """How to start rondo-bench."""

    launcher: list[str]
    program: str
    collective: str
    seed: int
    patience: float  # seconds after which a run is ended

    def run(
        self, cell: Cell, algorithms: list[str], iterations: int, warmup: int, *more: str
    ) -> Rows:
        begins = [] if {"--learn", "--unprepared"} & set(more) else ["--learn", "0"]
        rows = self._rows(
            cell,
            {
                "--algorithm": ",".join(algorithms),
                "--iterations": str(iterations),
                "--warmup": str(warmup),
                "--seed": str(self.seed),
            },
            "--samples",
            "--quiet",
            *begins,
            *more,
        )
        return [row for row in rows if row["algorithm"] not in BESIDE]

    def variants(self, cell: Cell) -> Rows:
        return self._rows(cell, {}, "--variants")

    def _rows(self, cell: Cell, options: dict[str, str], *switches: str) -> Rows:
        options = {
            "--bytes": str(cell.bytes),
            "--distribution": cell.distribution,
            "--format": "json",
            **options,
        }
        words = [word for option in options.items() for word in option]
        command = [*self.launcher, self.program, self.collective, *words, *switches]
        output = run_within(self.patience, command)
        # Launchers may write to the same stream.
        rows = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
        if not rows:
            raise RaceError(f"{command[0]} printed no rows of rondo-bench")
        return rows


def end(running: subprocess.Popen) -> None:
    """A launcher that is asked to end can end its ranks; a launcher that is killed cannot."""
    if running.poll() is None:
        running.terminate()
        try:
            running.wait(ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            running.kill()


def run_within(seconds: float, command: list[str]) -> str:
    """What the command printed."""
    try:
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
            try:
                output, _ = running.communicate(timeout=seconds)
            except subprocess.TimeoutExpired:
                raise RaceError(f"a run did not end in {seconds:.0f} s and was ended") from None
            finally:
                end(running)
    except OSError as error:
        raise RaceError(f"cannot start {command[0]}: {error.strerror}") from error
    if running.returncode != 0:
        raise RaceError(f"a run ended with exit status {running.returncode}: {' '.join(command)}")
    return output


def look_around(bench: Bench, distribution: str) -> tuple[Shape, set[str]]:
    """How many ranks on how many nodes there are, and which algorithms can run on them."""
    rows = bench.run(Cell(distribution, 0), ["all"], iterations=1, warmup=0)
    shape = Shape(rows[0]["ranks"], rows[0]["nodes"])
    return shape, {row["algorithm"] for row in rows} - {AUTO}


class ShortRuns(NamedTuple):
    """What they told of the candidates, each at its best start."""

    excesses: dict[str, Excess]  # over the time of `mpi` in the same run
    microseconds: dict[str, float]  # mean, for what a run will take
    setup_seconds: float  # for each candidate of a run, besides its iterations


def run_short(bench: Bench, cell: Cell, names: list[str], most: int) -> ShortRuns:
    starters = [name for name in [*names, AUTO] if name != MPI]
    excesses: dict[str, Excess] = {}
    microseconds: dict[str, float] = {}
    setup = 0.0
    fields = [starters[first : first + most] for first in range(0, len(starters), most)]
    for field in fields * SHORT_STARTS:
        start = time.monotonic()
        entered = [MPI, *field]
        rows = bench.run(cell, entered, SHORT_ITERATIONS, SHORT_WARMUP)
        took = time.monotonic() - start
        samples = {row["algorithm"]: row["samples_us"] for row in rows}
        means = {name: statistics.fmean(series) for name, series in samples.items()}
        for name, series in samples.items():
            found = excess(series, samples[MPI])
            if name in excesses and excesses[name].value <= found.value:
                continue
            excesses[name] = found
            microseconds[name] = means[name]
        iterations = (SHORT_ITERATIONS + SHORT_WARMUP) * iteration_seconds(means)
        setup = max(setup, (took - iterations) / len(entered))
    return ShortRuns(excesses, microseconds, setup)


def iteration_seconds(microseconds: dict[str, float]) -> float:
    return sum(microseconds.values()) * WITH_BARRIERS / 1e6


def finalists(excesses: dict[str, Excess], most: int) -> list[str]:
    """The candidates that can still be the best, the fastest first; always `mpi` and `auto`."""
    others = {name: found for name, found in excesses.items() if name != AUTO}
    best = min(others.values(), key=lambda found: found.value)
    enough = HOPELESS * (1 + best.high)
    hopeful = [
        name for name, found in others.items() if name != MPI and not found.is_beyond(enough - 1)
    ]
    return [MPI, AUTO, *sorted(hopeful, key=lambda name: excesses[name].value)[:most]]


def iterations_within(seconds: float, short: ShortRuns, names: list[str]) -> int:
    """Even, so that as many iterations choose the best as judge it."""
    means = {name: short.microseconds[name] for name in names}
    fitting = (seconds - len(names) * short.setup_seconds) / iteration_seconds(means)
    return int(min(max(fitting, LEAST_ITERATIONS), MOST_ITERATIONS)) // 2 * 2


def all_candidates(bench: Bench, cell: Cell, algorithms: set[str]) -> list[str]:
    if not is_tuned(bench.collective):
        return sorted(algorithms)
    return candidates(bench.variants(cell), algorithms)


class Result(NamedTuple):
    """The run of a cell that counts, and a record of its short runs."""

    rows: Rows
    record: dict


class Effort(NamedTuple):
    """What a cell may take."""

    seconds: float
    most: int = MOST_CANDIDATES  # of a run
    learn: int = 0  # calls of `auto` alone before the run that counts

    def learned_within(self, call_seconds: float) -> int:
        """How many of these calls there is time for; those of long blocks may be fewer."""
        return min(self.learn, int(self.seconds / call_seconds))


def race(bench: Bench, entered: tuple[Shape, set[str]], cell: Cell, effort: Effort) -> Result:
    start = time.monotonic()
    shape, algorithms = entered
    names = all_candidates(bench, cell, algorithms)
    short = run_short(bench, cell, names, effort.most)
    staying = finalists(short.excesses, effort.most)
    call_seconds = short.microseconds[AUTO] / 1e6
    learned = effort.learned_within(call_seconds)
    left = effort.seconds - (time.monotonic() - start) - learned * call_seconds
    iterations = iterations_within(left, short, staying)
    rows = bench.run(cell, staying, iterations, WARMUP, "--learn", str(learned))
    thrown_out = {
        name: [round(1 + bound, 3) for bound in found]
        for name, found in short.excesses.items()
        if name not in staying
    }
    record = {
        "program": "regret",
        "collective": bench.collective,
        "ranks": shape.ranks,
        "nodes": shape.nodes,
        "distribution": cell.distribution,
        "bytes": cell.bytes,
        "candidates": len(names),
        "learned_calls": learned,
        "thrown_out_over_mpi": thrown_out,
    }
    return Result(rows, record)
