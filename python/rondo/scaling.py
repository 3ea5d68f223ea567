"""The exchanges of a recorded program on other numbers of ranks.

A program that is scaled weakly gives every rank as much as before, so a rank sends as many bytes
in all; scaled strongly, all ranks together send as many bytes as before. A rank that sends to most
others still does so on more ranks, in shorter blocks. One that sends to few sends to as many.
Blocks of up to 8 bytes are numbers, such as counts, and stay as long. No block gets shorter than
that, so there are fewer instead.

>>> one = Load(ranks=8, ranks_per_node=8, longest_bytes=4096, lengths=(Length(1.0, 4096.0),))
>>> there = scaled(one, ranks=16, ranks_per_node=8, way="strong")
>>> there.longest_bytes, there.rank_bytes * there.ranks == one.rank_bytes * one.ranks
(1024, True)
"""

import math
from typing import NamedTuple

from rondo.record import MOST_BYTES, Exchanges, Length, Record

__all__ = ["WAYS", "Load", "ranks_there", "recorded", "scaled"]

WAYS = ("weak", "strong")
_NUMBER_BYTES = 8
_ROUNDING = 1e-6  # of lengths that are nearly whole
_FEW = 0.5  # a rank that sends to a smaller share of all has partners, whose number stays


class Load(NamedTuple):
    """An exchange: the lengths of its blocks, and where the ranks are."""

    ranks: int
    ranks_per_node: int
    longest_bytes: int
    lengths: tuple[Length, ...]

    @property
    def nodes(self) -> int:
        return self.ranks // self.ranks_per_node

    @property
    def rank_bytes(self) -> float:
        """What a rank sends in all, on average."""
        return self.ranks * sum(one.share * one.bytes for one in self.lengths)

    @property
    def partner_share(self) -> float:
        """The share of blocks that are not empty."""
        return sum(one.share for one in self.lengths if one.bytes > 0)


def recorded(row: Exchanges) -> Load:
    """The exchange as it was recorded. Nodes with different numbers of ranks become equal ones."""
    per_node = next(q for q in range(row.ranks_per_node, 0, -1) if row.ranks % q == 0)
    return Load(row.ranks, per_node, row.longest_bytes, row.lengths)


def ranks_there(row: Exchanges, record: Record, ranks: int, ranks_per_node: int) -> tuple[int, int]:
    """The ranks of a communicator, and those on a node, in a program on that many ranks.

    All ranks stay all ranks, the ranks of a node stay those of a node, and one rank of each node
    stays one of each. Of a grid of ranks every side becomes longer by the same power, so that the
    product of all sides remains the number of ranks. These ranks are next to each other. Ranks of
    processes that the program has started are not counted.
    """
    if row.ranks >= record.ranks:
        return ranks, ranks_per_node
    if record.nodes > 1 and row.nodes == 1 and row.ranks == record.ranks_per_node:
        return ranks_per_node, ranks_per_node
    if row.ranks == row.nodes == record.nodes > 1:
        return ranks // ranks_per_node, 1
    wanted = ranks ** (math.log(row.ranks) / math.log(record.ranks)) if row.ranks > 1 else 1
    divisors = (d for d in range(1, ranks + 1) if ranks % d == 0)
    own = min(divisors, key=lambda d: abs(math.log(d / wanted)))
    return own, next(q for q in range(min(own, ranks_per_node), 0, -1) if own % q == 0)


def scaled(load: Load, ranks: int, ranks_per_node: int, way: str) -> Load:
    """The exchange on another number of ranks.

    Parameters
    ----------
    load
        The exchange as it was recorded.
    ranks, ranks_per_node
        The communicator's there.
    way
        "weak": a rank sends as much as before; "strong": all ranks together do.

    Returns
    -------
    Load
        Of lengths that are not whole, on average.
    """
    share = load.partner_share
    partners = share if share > _FEW else min(1.0, share * load.ranks / ranks)
    factor = 1.0
    if share > 0 and load.longest_bytes > _NUMBER_BYTES:
        bytes_there = load.rank_bytes if way == "weak" else load.rank_bytes * load.ranks / ranks
        factor = bytes_there / (load.rank_bytes / share * partners * ranks / load.ranks)
    thinner = partners / share if share > 0 else 1.0
    lengths = [
        _shortened(Length(one.share * thinner, one.bytes), factor)
        for one in load.lengths
        if one.bytes > 0
    ]
    empty = max(0.0, 1.0 - sum(one.share for one in lengths))
    all_lengths = [Length(empty, 0.0)] * (empty > 1e-12) + lengths
    least = min(_NUMBER_BYTES, load.longest_bytes)
    longest = min(MOST_BYTES, max(least, math.ceil(load.longest_bytes * factor - _ROUNDING)))
    return Load(ranks, ranks_per_node, longest, tuple(all_lengths))


def _shortened(one: Length, factor: float) -> Length:
    """Blocks that would get too short become fewer."""
    length = one.bytes * factor
    least = min(_NUMBER_BYTES, one.bytes)
    return (
        Length(one.share, length) if length >= least else Length(one.share * length / least, least)
    )
