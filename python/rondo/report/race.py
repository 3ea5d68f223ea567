"""A race: all algorithms of an exchange on as many ranks, by one run of rondo-bench."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from rondo.report.start import Voice, require_ranks
from rondo.report.state import Case, State
from rondo.results import Row, rows_of

_SIZES = tuple(4**power for power in range(2, 9))  # 16 bytes to 64 KiB
_MOST_RANK_BYTES = 16 << 20  # that a rank sends; buffers and scratch are several times as long


class Race(NamedTuple):
    collective: str
    ranks: int

    @property
    def title(self) -> str:
        return f"{self.collective}, {self.ranks} ranks"

    @property
    def sizes(self) -> list[int]:
        """Of the largest block."""
        return [size for size in _SIZES if size * self.ranks <= _MOST_RANK_BYTES] or [_SIZES[0]]

    @property
    def sizes_left_out(self) -> list[int]:
        """Which would need too much memory."""
        return [size for size in _SIZES if size not in self.sizes]

    def case(self, size: int) -> Case:
        return Case(self.collective, self.ranks, size)

    def options(self, samples: int, sizes: list[int]) -> list[str]:
        """Of rondo-bench."""
        listed = ",".join(map(str, sizes))
        times = ["--iterations", str(samples), "--warmup", str(min(samples // 3, 5))]
        times += ["--learn", str(samples)]  # no more, within a budget
        output = ["--samples", "--format", "json", "--quiet"]
        return [self.collective, "--algorithm", "all", "--bytes", listed, *times, *output]


class Runs:
    """Puts the rows of a run into the state, a size at a time."""

    def __init__(self, race: Race, state: State, voice: Voice, keep: Callable[[], None]) -> None:
        self._race = race
        self._state = state
        self._voice = voice
        self._keep = keep
        self._rows: list[Row] = []
        self._rows_of_size: int | None = None  # as many as the first size had
        voice.doing(race.title)

    def take(self, line: str) -> bool:
        try:
            rows = rows_of([line])
        except ValueError:  # a line of which the end is missing
            return False
        for row in rows:
            require_ranks(self._race.ranks, row["ranks"])
            if self._rows and row["bytes"] != self._rows[-1]["bytes"]:
                self.complete()
            self._rows.append(row)
            self._voice.doing(f"{self._race.title}, after S = {row['bytes']}")
            if len(self._rows) == self._rows_of_size:
                self.complete()
        return bool(rows)

    def complete(self) -> None:
        """All rows of the size are there."""
        if self._rows:
            self._rows_of_size = len(self._rows)
            self._state.add(self._race.case(self._rows[0]["bytes"]), self._rows)
            self._rows = []
            self._keep()
