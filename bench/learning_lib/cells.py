"""The cells that are measured, and profiles whose choice is wrong there."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import NamedTuple

from regret_lib import race

REASON = "wrong on purpose"

# Each first choice takes 1.3 to 5 times as long as the best where two cores share all ranks.
WRONG_FIRST = [
    "alltoall,8,4k,mpi",
    "alltoallv,8,64,spread_out",
    "alltoallv,8,64k,two_phase_bruck:radix=2",
    "alltoall,2,64k,tunable_bruck:radix=2",
    "alltoallv,2,64,two_phase_bruck",
]
DRIFTING = ["alltoallv,2,64", "alltoall,8,1k"]

# Those that a change of the cores may turn round.
DRIFTERS = {
    "alltoall": ["spread_out", "tunable_bruck", "node_aware"],
    "alltoallv": ["spread_out", "fused_bruck", "node_aware"],
}

TUNING = "2s"


class Learned(NamedTuple):
    """Calls of `collective` with blocks of `bytes` bytes, which begin with `first`."""

    collective: str
    ranks: int
    bytes: str
    first: str = ""  # empty: the choice of `auto`

    def title(self) -> str:
        return f"{self.collective}, {self.ranks} ranks, S = {self.bytes}"


def parse_cell(text: str) -> Learned:
    collective, _, rest = text.partition(",")
    ranks, _, rest = rest.partition(",")
    size, _, first = rest.partition(",")
    if collective not in DRIFTERS or not (ranks.isascii() and ranks.isdigit()) or not size:
        raise argparse.ArgumentTypeError(
            f"'{text}' is no cell: {' or '.join(DRIFTERS)}, ranks, bytes and perhaps the first "
            "choice, as in alltoall,8,4k,mpi"
        )
    return Learned(collective, int(ranks), size, first)


def write_profile(launcher: list[str], tune: Path, path: Path, cell: Learned) -> None:
    """What rondo-tune writes for these ranks, with the cell's first choice at all lengths."""
    path.unlink(missing_ok=True)
    command = [*launcher, str(tune), "--budget", TUNING, "--quiet", "--output", str(path)]
    race.run_within(300, command)
    profile = json.loads(path.read_text(encoding="utf-8"))
    for layout in profile["layouts"]:
        layout[cell.collective] = [{"algorithm": cell.first, "reason": REASON}]
    path.write_text(json.dumps(profile, indent=2) + "\n", encoding="utf-8")
