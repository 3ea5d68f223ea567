"""The nodes on which a launch command starts ranks, as the ranks see them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, NamedTuple


class Node(NamedTuple):
    """A node with ranks; None and empty where it does not say."""

    host: str
    ranks: int
    processor: str
    processors: int | None  # as the system counts them: hardware threads
    cores: int | None
    sockets: int | None
    caches: list[str]  # from the innermost
    memory_bytes: int | None
    allowed: int  # processors that one rank may use, the fewest of all ranks


class Topology(NamedTuple):
    nodes: list[Node]

    @property
    def ranks(self) -> int:
        return sum(node.ranks for node in self.nodes)

    @property
    def kinds(self) -> list[list[Node]]:
        """Nodes of one kind, with as many ranks, together."""
        kinds: dict[tuple[Any, ...], list[Node]] = {}
        for node in self.nodes:
            kinds.setdefault((*node[1:6], *node.caches, node.allowed), []).append(node)
        return list(kinds.values())

    @property
    def shares_cores(self) -> bool:
        """Whether some node has more ranks than processors, as far as it says how many it has."""
        return any(node.ranks > (node.processors or node.ranks) for node in self.nodes)


def seen_in(line: str) -> dict[str, Any] | None:
    """What a rank says by `probe.py`; None if the line is somebody else's."""
    with suppress(ValueError, RecursionError):
        said = json.loads(line)
        seen = said.get("rondo_probe") if isinstance(said, dict) else None
        return seen if isinstance(seen, dict) else None
    return None


def topology_of(seen: Iterable[dict[str, Any]]) -> Topology:
    """Nodes in the order of their names."""
    by_host: dict[str, list[dict[str, Any]]] = {}
    for one in seen:
        by_host.setdefault(one["host"], []).append(one)
    return Topology([_node(ranks) for _, ranks in sorted(by_host.items())])


def _node(ranks: list[dict[str, Any]]) -> Node:
    facts = {name: value for name, value in ranks[0].items() if name not in ("allowed", "variable")}
    return Node(**facts, ranks=len(ranks), allowed=min(rank["allowed"] for rank in ranks))


def as_json(topology: Topology) -> list[dict[str, Any]]:
    return [node._asdict() for node in topology.nodes]
