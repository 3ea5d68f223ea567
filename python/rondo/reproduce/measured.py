"""Times of exchanges on this machine, by rondo-bench."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, field

from rondo.reproduce.figures import Figure
from rondo.reproduce.points import Point
from rondo.results import Row, rows_of

_ITERATIONS = 50


@dataclass
class Bench:
    """What rondo-bench has measured; `start` is the launcher's words up to the number of ranks,
    `program` those that start rondo-bench."""

    start: list[str]
    program: list[str]
    seed: int
    rows: dict[tuple[int, str, int, str], Row] = field(default_factory=dict)
    library: str = ""

    def measure(self, figure: Figure, points: Iterable[Point], sizes: list[int]) -> None:
        """All points: one run for each P and distribution, so that their algorithms take turns."""
        self.rows.clear()
        runs: dict[tuple[int, str], list[Point]] = {}
        for point in points:
            runs.setdefault((point.ranks, point.distribution), []).append(point)
        for (ranks, distribution), of_run in runs.items():
            names = {name: None for one in of_run for name in (one.algorithm, one.over) if name}
            lengths = sorted({one.bytes for one in of_run if one.bytes} or sizes)
            words = ["--algorithm", ",".join(names), "--bytes", ",".join(map(str, lengths))]
            words += ["--distribution", distribution]
            for row in self._run(ranks, [figure.collective, *words]):
                self.rows[ranks, distribution, row["bytes"], row["algorithm"]] = row
                self.library = f"{row['mpi']} {row['mpi_version']}"

    def row(self, point: Point, algorithm: str, size: int) -> Row:
        return self.rows[point.ranks, point.distribution, size, algorithm]

    def seconds(self, point: Point, algorithm: str, size: int) -> float:
        """The median."""
        return float(self.row(point, algorithm, size)["median_us"]) / 1e6

    def disturbed(self) -> str:
        """What a reader must know of the times; empty if nothing disturbed them."""
        count = len({key[:3] for key, row in self.rows.items() if row.get("disturbed")})
        return f"{count} of {len({key[:3] for key in self.rows})} points disturbed" if count else ""

    def _run(self, ranks: int, words: list[str]) -> list[Row]:
        how = ["--iterations", str(_ITERATIONS), "--seed", str(self.seed), "--quiet"]
        command = [*self.start, "-n", str(ranks), *self.program, *words, *how, "--format", "json"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as error:
            raise ValueError(f"cannot start {command[0]}: {error.strerror}") from error
        if done.returncode != 0:
            said = (done.stderr.strip() or done.stdout.strip()).splitlines()
            raise ValueError(f"rondo-bench on {ranks} ranks: {said[-1] if said else 'failed'}")
        return rows_of(done.stdout.splitlines())
