"""How long a recorded program's exchanges would take on another machine.

>>> from rondo import record
>>> row = record.Exchanges("0.1", "alltoallv", 8, 1, 8, 100, 512, (record.Length(1.0, 512.0),),
...                        0.8, 99, 0.7, 0.4)
>>> one = record.Record("Open MPI v4.1.4", 8, 1, 8, 8, 2.5, (row,))
>>> there = Target(simulate.machine("theta"), ranks=512, ranks_per_node=64, error=0.5)
>>> answer = predict(row, scaling.recorded(row), there)
>>> answer.algorithm.partition(":")[0], answer.seconds <= answer.library.seconds
('node_aware', True)
"""

from collections.abc import Iterator
from typing import Callable, NamedTuple, Optional

from rondo import scaling, simulate
from rondo.record import Exchanges, Record
from rondo.scaling import Load
from rondo.select import Decisions
from rondo.simulate import SimulatedMachine

__all__ = ["Answer", "Target", "Time", "distribution_of", "loads", "predict"]

_EDGES = "neighbor_alltoallv"
_SEED = 1
Told = Callable[[int], None]


class Target(NamedTuple):
    """Where the program would run."""

    machine: SimulatedMachine
    ranks: int
    ranks_per_node: int
    error: Optional[float]  # Calibration.error of the machine; None if unknown


class Time(NamedTuple):
    """Seconds and the range in which they probably are; without a range if nothing is known."""

    seconds: float
    low_seconds: Optional[float]
    high_seconds: Optional[float]


class Answer(NamedTuple):
    """What one exchange would take."""

    load: Load
    library: Time  # with the MPI library's own call
    rondo: Time
    algorithm: str  # Rondo's choice
    reason: str

    @property
    def seconds(self) -> float:
        return self.rondo.seconds

    @property
    def gain(self) -> float:
        """How many times as fast Rondo is."""
        fast = self.rondo.seconds
        return self.library.seconds / fast if fast > 0 else 1.0


def loads(row: Exchanges, record: Record, target: Target) -> Iterator[tuple[str, Load]]:
    """The exchange as it was recorded, and scaled in each way; by the name of the way."""
    here = scaling.recorded(row)
    yield "recorded", here
    there = scaling.ranks_there(row, record, target.ranks, target.ranks_per_node)
    for way in scaling.WAYS:
        yield way, scaling.scaled(here, *there, way)


def predict(row: Exchanges, load: Load, target: Target, told: Optional[Told] = None) -> Answer:
    """What the exchange takes on a machine, with the MPI library's own call and with Rondo.

    Parameters
    ----------
    row
        The exchange as it was recorded.
    load
        Its lengths and ranks there.
    target
        The machine.
    told
        Called several times a second with the number of messages simulated so far.

    Returns
    -------
    Answer
        Rondo's choice is what `auto` begins with, or the library's own call where that is
        simulated to be as fast, since `auto` measures both.
    """
    algorithm, reason = _choice(row.collective, load, target)
    library = _time("mpi", row.collective, load, target, told)
    ours = _time(algorithm, row.collective, load, target, told)
    if algorithm != "mpi" and ours.seconds >= library.seconds:
        reason = f"as fast as {algorithm} or faster, as auto would measure"
        return Answer(load, library, library, "mpi", reason)
    return Answer(load, library, ours, algorithm, reason)


def distribution_of(collective: str, load: Load) -> str:
    """The lengths as `rondo simulate` and `rondo-bench` take them, for S = the longest block."""
    if collective == _EDGES:
        return f"sparse:{_partners(load)}"
    longest = load.longest_bytes
    is_constant = len(load.lengths) == 1 and load.lengths[0].bytes > 0.95 * longest
    if collective == "alltoall" or longest == 0 or is_constant:
        return "constant"
    parts = (
        f"{min(1.0, one.bytes / longest):.6f}={one.share:.6f}" for one in load.lengths if one.share
    )
    return f"mix:{','.join(parts)}"


def _partners(load: Load) -> int:
    """Of a neighbourhood, on average; a rank is no neighbour of its own here."""
    return max(1, min(load.ranks - 1, round(load.ranks * load.partner_share)))


def _choice(collective: str, load: Load, target: Target) -> tuple[str, str]:
    if load.ranks == 1:
        return "mpi", "there is one rank"
    modelled = simulate.modelled_machine(target.machine)
    decided = Decisions([load.ranks_per_node] * load.nodes, machine=modelled)
    if collective == _EDGES:
        chosen = decided.decision(collective, load.longest_bytes, _partners(load))
        return chosen.algorithm, chosen.reason
    band = decided.band(collective, load.longest_bytes)
    return band.algorithm, band.reason.removeprefix("predicted: ")


def _time(
    algorithm: str, collective: str, load: Load, target: Target, told: Optional[Told]
) -> Time:
    made = simulate.simulate(
        algorithm,
        ranks=load.ranks,
        ranks_per_node=load.ranks_per_node,
        bytes=load.longest_bytes,
        machine=target.machine,
        collective=collective,
        distribution=distribution_of(collective, load),
        seed=_SEED,
        told=told,
    )
    if target.error is None:
        return Time(made.seconds, None, None)
    off = 1 + target.error
    return Time(made.seconds, made.low_seconds / off, made.high_seconds * off)
