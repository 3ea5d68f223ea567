"""What a picture of a schedule consists of, whatever it is drawn with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from rondo import registry
from rondo._core import suggestion
from rondo.registry import Algorithm
from rondo.schedule import NodeSchedule, Schedule
from rondo.show.follow import Block


class Fact(NamedTuple):
    symbol: str
    value: str
    meaning: str

    @property
    def text(self) -> str:
        return f"{self.symbol} = {self.value}" if self.symbol else self.value


@dataclass(frozen=True)
class Grid:
    """Room for blocks: a column for each rank of its panel, and rows."""

    title: str
    heading: str  # over the rows' labels
    rows: tuple[str, ...]
    digits: tuple[str, ...] = ()  # of each row's distance, where rounds choose blocks by them
    is_by_rank: bool = True  # whether columns are of ranks here


class Group(NamedTuple):
    """Columns that stand together: the ranks of a node."""

    title: str
    ranks: tuple[int, ...]


@dataclass(frozen=True)
class Panel:
    """Grids with the same columns."""

    groups: tuple[Group, ...]
    grids: tuple[Grid, ...]

    @property
    def ranks(self) -> list[int]:
        return [rank for group in self.groups for rank in group.ranks]


class Cell(NamedTuple):
    panel: int
    grid: int
    row: int
    column: int


class Note(NamedTuple):
    """Over a rank's column: to whom it sends in the round, and whether that is on another node."""

    receiver: int
    leaves_node: bool


@dataclass(frozen=True)
class Frame:
    """The blocks at one time, and what has brought them there."""

    title: str
    phase: str
    sentence: str
    cells: Mapping[Block, Cell]
    moved: frozenset[Block]  # in a round, not in a copy
    notes: Mapping[int, Note]  # by rank
    leaders: frozenset[int] = frozenset()
    digit: int | None = None  # of Grid.digits, by which the round chose its blocks


@dataclass(frozen=True)
class Subject:
    """An algorithm with all its parameters, on a number of ranks and nodes.

    Examples
    --------
    >>> subject_of("two_phase_bruck:radix=3", ranks=8).name
    'two_phase_bruck'
    """

    row: Algorithm
    parameters: tuple[str, ...]
    schedule: Schedule | NodeSchedule
    ranks: int
    nodes: int

    @property
    def name(self) -> str:
        """The name of the algorithm, without parameters."""
        return self.row.name

    def node_of(self, rank: int) -> int:
        """The node of a rank, where nodes are full.

        Parameters
        ----------
        rank
            The rank, in 0..P-1.

        Returns
        -------
        int
            The node, in 0..N-1.
        """
        return rank * self.nodes // self.ranks

    @property
    def flat(self) -> Schedule:
        """The schedule of an algorithm that has no messages between nodes of its own."""
        assert isinstance(self.schedule, Schedule)
        return self.schedule

    @property
    def of_nodes(self) -> NodeSchedule:
        """The schedule of an algorithm that has messages between nodes."""
        assert isinstance(self.schedule, NodeSchedule)
        return self.schedule

    @property
    def remark(self) -> str:
        """What the schedule does not show."""
        if self.row.uses_library:
            return "The MPI library moves the blocks; the picture sends each straight to its rank."
        words = dict(word.split("=") for word in self.parameters)
        threshold = words.get("threshold", "off")
        if threshold == "off":
            return ""
        return f"Blocks of more than {threshold} bytes go straight to their ranks instead."


class Sample(NamedTuple):
    """A label of the picture, and what it means."""

    label: str
    meaning: str


@dataclass(frozen=True)
class Picture:
    """Where every block is, frame by frame.

    Examples
    --------
    >>> from rondo.show import picture_of
    >>> len(picture_of(subject_of("two_phase_bruck:radix=2", ranks=4)).blocks)
    16
    """

    subject: Subject
    facts: tuple[Fact, ...]
    panels: tuple[Panel, ...]
    frames: tuple[Frame, ...]
    legend: tuple[Sample, ...] = ()

    @property
    def blocks(self) -> list[Block]:
        """All blocks, by source and destination."""
        return sorted(self.frames[0].cells)


def subject_of(algorithm: str, ranks: int, nodes: int = 1) -> Subject:
    """What an algorithm does on a number of ranks and nodes.

    Parameters
    ----------
    algorithm
        As in "two_phase_bruck:radix=3"; parameters that are not given have their defaults.
    ranks
        P.
    nodes
        N; every node has as many ranks.

    Returns
    -------
    Subject
        The algorithm with its schedule.

    Raises
    ------
    ValueError
        If there is no such algorithm, or it cannot run there.

    Examples
    --------
    >>> subject_of("two_phase_bruck:radix=3", ranks=8).schedule
    Schedule(ranks=8, K=4, D=10)
    """
    name = algorithm.partition(":")[0]
    # Algorithms of one name have one schedule, whichever collective they serve.
    rows = [registry.find(collective, name) for collective in ("alltoallv", "alltoall")]
    row = next(filter(None, rows), None)
    if row is None:
        names = list(dict.fromkeys(one.name for one in registry.algorithms()))
        raise ValueError(f"no algorithm {name!r}{suggestion(name, names)}")
    resolved = registry.resolved(algorithm, ranks, nodes, row.collective)
    schedule = registry.schedule_of(algorithm, ranks, nodes, row.collective)
    return Subject(row, tuple(resolved.split(":")[1:]), schedule, ranks, nodes)


def plural(number: int, what: str) -> str:
    return what if number == 1 else f"{what}s"


def count(number: int, what: str) -> str:
    return f"{number} {plural(number, what)}"
