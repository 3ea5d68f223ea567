"""Runs of rondo-bench in which `auto` begins on a new communicator, and what they have written."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from regret_lib import race
from regret_lib.candidates import AUTO, Cell, algorithm_of
from regret_lib.verdict import best_of

from .calls import Calls, calls_of
from .cells import Learned

WARMUP = 20  # iterations of the fixed algorithms
FINALISTS = 4


def full_name(row: dict) -> str:
    """With the values of all parameters, as `ran` has them."""
    name = algorithm_of(row["algorithm"])
    return f"{name}:{row['parameters']}" if row["parameters"] else name


class Run(NamedTuple):
    """All calls of `auto` and of the fixed algorithms, interleaved."""

    rows: dict[str, dict]  # by the name that rondo-bench was given

    @property
    def calls(self) -> Calls:
        auto = self.rows[AUTO]
        return calls_of(auto["ran"], len(auto["samples_us"]))

    def times(self, name: str) -> list[float]:
        return self.rows[name]["samples_us"]

    def best(self) -> str:
        return best_of({name: row["samples_us"] for name, row in self.rows.items()})

    def fixed(self) -> dict[str, list[float]]:
        """The times of the fixed algorithms by their full names."""
        rows = (row for name, row in self.rows.items() if name != AUTO)
        return {full_name(row): row["samples_us"] for row in rows}

    def check_first(self, first: str) -> None:
        """Whether `auto` began as the profile says."""
        began = self.calls.first
        if began is not None and began != full_name(self.rows[first]):
            raise race.RaceError(f"the profile is not used: `auto` began with {began}, not {first}")


def bench_cell(cell: Learned) -> Cell:
    return Cell("constant" if cell.collective == "alltoall" else "uniform", cell.bytes)


def contenders(bench: race.Bench, cell: Learned) -> list[str]:
    """The fastest of all, in short runs, and the first choice."""
    asked = bench_cell(cell)
    _, algorithms = race.look_around(bench, asked.distribution)
    names = race.all_candidates(bench, asked, algorithms)
    excesses = race.run_short(bench, asked, names, race.MOST_CANDIDATES).excesses
    return list(dict.fromkeys([*race.finalists(excesses, FINALISTS), cell.first]))


def measure(
    bench: race.Bench, cell: Learned, names: list[str], calls: int, *more: str
) -> list[dict]:
    """The rows of a run, with all samples and with what `auto` ran."""
    return bench.run(bench_cell(cell), names, calls, WARMUP, "--unprepared", *more)


class Measured(NamedTuple):
    """The runs of a cell, in their order."""

    cell: Learned
    one_core: list[int] | None  # from which call to which one the ranks were on one core
    runs: list[Run]


def to_lines(kind: str, run: int, cell: Learned, one_core, rows: list[dict]) -> str:
    common = {"learning": kind, "run": run, "cell": list(cell), "one_core": one_core}
    return "".join(json.dumps({**common, **row}) + "\n" for row in rows)


def read(files: Iterable[Path], kind: str) -> list[Measured]:
    """What learning.py has written; lines of other kinds are passed over."""
    found: dict[tuple, dict[int, Run]] = {}
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if row.get("learning") != kind:
                continue
            key = (tuple(row["cell"]), tuple(row["one_core"] or ()))
            run = found.setdefault(key, {}).setdefault(row["run"], Run({}))
            run.rows[row["algorithm"]] = row
    return [
        Measured(Learned(*cell), list(one_core) or None, [runs[at] for at in sorted(runs)])
        for (cell, one_core), runs in found.items()
    ]
