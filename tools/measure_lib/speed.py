"""How much faster `auto` is than the MPI library's own call, in single calls and in batches."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

from measure_lib.ranks import Ranks, program
from measure_lib.tasks import NotMeasured, Part, Task
from rondo.report.judge import AUTO, ratio_of
from rondo.report.state import LEAST_SAMPLES, tell_more
from rondo.results import MPI, Row

EXCHANGES = (
    ("alltoallv", "uniform"),
    ("alltoallv", "constant"),
    ("alltoallv", "power:0.99"),
    ("alltoall", "constant"),
)
SHORT = (1, 16, 64, 256, 1024, 4096)
LONG = tuple(1 << power for power in range(14, 23, 2))  # 16 KiB to 4 MiB
BATCH = 20
_KINDS = ((SHORT, 1), (SHORT, BATCH), (LONG, 1))
_LEAST_SECONDS = 1.5
_MOST_SAMPLES = 60
_OVERHEAD = 2.5  # of a sample, over the time that it tells: the barrier, and preparing
_MEMORY_SHARE = 8  # buffers take at most this part of a node's memory
_BUFFERS = 4  # of a rank, as long as what it sends: both sides, and what an algorithm needs


class Series(NamedTuple):
    """Exchanges that one run of rondo-bench measures."""

    collective: str
    distribution: str
    ranks: int
    sizes: tuple[int, ...]
    batch: int

    @property
    def title(self) -> str:
        lengths = "short" if self.sizes == SHORT else "long"
        batch = f", batches of {self.batch}" if self.batch > 1 else ""
        return f"{self.collective}, {self.distribution}, {self.ranks} ranks, {lengths}{batch}"


def all_series(ranks: Ranks) -> Iterator[Series]:
    for number in ranks.numbers:
        for sizes, batch in _KINDS:
            for collective, distribution in EXCHANGES:
                yield Series(collective, distribution, number, sizes, batch)


def part(ranks: Ranks) -> Part:
    tasks = [
        Task(f"speed: {one.title}", _LEAST_SECONDS, partial(_measure, ranks, one))
        for one in all_series(ranks)
    ]
    return Part("speed", 3, tasks)


def cells(results: dict[str, Any], series: Series) -> dict[int, list[float] | None]:
    """The library's time over that of `auto`, with its interval, by S; None if disturbed."""
    measured = results.get(f"speed: {series.title}", {"ratios": []})
    return {size: ratio for size, ratio in measured["ratios"]}


def _measure(ranks: Ranks, series: Series, seconds: float) -> dict[str, Any]:
    """A few samples first, which tell what more of them cost."""
    begin = time.monotonic()
    rows, is_whole = _rows(ranks, series, LEAST_SAMPLES, seconds)
    left = seconds - (time.monotonic() - begin)
    if is_whole and rows:
        sample = 1e-6 * _OVERHEAD * series.batch * sum(row["median_us"] for row in rows)
        start = max(seconds - left - 2 * LEAST_SAMPLES * sample, 0)
        samples = min(int((left - start) / sample), _MOST_SAMPLES)
        if samples > LEAST_SAMPLES:
            more, _ = _rows(ranks, series, samples, 2 * left)
            rows = _merged(rows, more)
    if not rows:
        raise NotMeasured("no length was measured in its part of the budget")
    return {"rows": rows, "ratios": _ratios(rows)}


def _rows(ranks: Ranks, series: Series, samples: int, seconds: float) -> tuple[list[Row], bool]:
    """The rows of every length for which both algorithms have one."""
    sizes = fitting(ranks, series)
    words = [
        *(program("rondo-bench"), series.collective, "--distribution", series.distribution),
        *("--algorithm", f"{MPI},{AUTO}", "--bytes", ",".join(map(str, sizes))),
        *("--iterations", samples, "--warmup", LEAST_SAMPLES, "--batch", series.batch),
        *("--learn", samples),
        *("--samples", "--format", "json", "--quiet"),
    ]
    found, is_whole = ranks.lines(series.ranks, words, seconds)
    rows = [row for row in found if row.get("algorithm") in (MPI, AUTO)]
    counts = {size: sum(row["bytes"] == size for row in rows) for size in sizes}
    return [row for row in rows if counts[row["bytes"]] == 2], is_whole


def fitting(ranks: Ranks, series: Series) -> list[int]:
    """The lengths whose buffers fit into memory on every node."""
    most = min(
        (node.memory_bytes or 1 << 30) // (_MEMORY_SHARE * _BUFFERS * max(node.ranks, 1))
        for node in ranks.plan.topology.nodes
    )
    return [size for size in series.sizes if size * series.ranks <= most] or [series.sizes[0]]


def _merged(few: list[Row], more: list[Row]) -> list[Row]:
    """For each length those that tell more."""
    earlier, later = _by_size(few), _by_size(more)
    better = {
        size: rows
        for size, rows in later.items()
        if size not in earlier or tell_more(rows, earlier[size])
    }
    return [row for rows in {**earlier, **better}.values() for row in rows]


def _by_size(rows: list[Row]) -> dict[int, list[Row]]:
    found: dict[int, list[Row]] = {}
    for row in rows:
        found.setdefault(row["bytes"], []).append(row)
    return found


def _ratios(rows: list[Row]) -> list[tuple[int, list[float] | None]]:
    ratios: list[tuple[int, list[float] | None]] = []
    for size, there in sorted(_by_size(rows).items()):
        two = {row["algorithm"]: row for row in there}
        ratios.append((size, _ratio(two[MPI], two[AUTO])))
    return ratios


def _ratio(mpi: Row, auto: Row) -> list[float] | None:
    if mpi.get("disturbed"):
        return None
    return [round(number, 4) for number in ratio_of(mpi, auto)]
