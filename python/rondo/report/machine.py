"""The sections of a report on the machine, and on how it was measured."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree as Xml

from rondo import costs
from rondo.report.findings import Findings
from rondo.report.judge import WORTH_TELLING
from rondo.report.parts import Cell, Content, code, element, paragraph, section, table
from rondo.report.topology import Node
from rondo.report.words import duration_text, memory_text, percent_text

_LISTED = 8  # names of nodes


def facts(found: Findings) -> Iterator[tuple[str, str]]:
    """What each number means, and the number."""
    topology, origin = found.plan.topology, found.origin
    nodes = found.nodes(topology.ranks) or len(topology.nodes)
    yield "ranks", f"P = {topology.ranks}"
    yield ("node" if nodes == 1 else "nodes"), f"N = {nodes}"
    if nodes > 1:
        yield "ranks a node", f"Q = {_from_to([node.ranks for node in topology.nodes])}"
    yield "MPI library", f"{origin['mpi']} {origin['mpi_version']}".strip()
    yield "version", f"Rondo {origin['rondo']}"


def _from_to(numbers: list[int]) -> str:
    return " to ".join(map(str, dict.fromkeys((min(numbers), max(numbers)))))


def machine(found: Findings) -> Xml.Element:
    rows = [_kind_row(kind) for kind in found.plan.topology.kinds]
    headings = ["nodes", "ranks on each", "processor", "sockets", "cores", "caches", "memory"]
    parts = [table(headings, rows, "nodes"), *_costs(found)]
    return section("The machine", parts, "machine")


def _costs(found: Findings) -> Iterator[Xml.Element]:
    """What tuning measured; between nodes only where there are some."""
    if found.profile is None:
        return
    columns = 3 if found.origin["nodes"] > 1 else 2
    headings = ["what it costs", "inside a node", "between nodes"][:columns]
    rows: list[list[Content | Cell]] = [
        [row[0], *(Cell(cost, "number") for cost in row[1:columns])]
        for row in costs.rows(found.profile.machine)
    ]
    yield element("h3", "Measured by tuning")
    yield table(headings, [[*row, *[""] * (columns - len(row))] for row in rows], "costs")


def _kind_row(kind: list[Node]) -> list[Cell | str]:
    one = kind[0]
    names = ", ".join(node.host for node in kind[:_LISTED])
    more = f" and {len(kind) - _LISTED} more" if len(kind) > _LISTED else ""
    cores = _known(one.cores)
    if one.processors and one.processors != one.cores:
        cores += f", {one.processors} hardware threads"
    if one.allowed < (one.processors or one.allowed):
        cores += f"; a rank may use {one.allowed}"
    memory = memory_text(one.memory_bytes) if one.memory_bytes else _known(None)
    return [
        f"{len(kind)}: {names}{more}",
        str(one.ranks),
        one.processor or _known(None),
        _known(one.sockets),
        cores,
        ", ".join(cache.replace(" ", "\u00a0") for cache in one.caches) or _known(None),
        memory,
    ]


def _known(number: int | None) -> str:
    return "not known" if number is None else str(number)


def left_out(found: Findings) -> Iterator[Xml.Element]:
    """A section, if anything was."""
    if found.left_out:
        listed = element("ul", [element("li", sentence) for sentence in found.left_out])
        yield section("What was left out", [listed], "left-out")


def method(found: Findings) -> Xml.Element:
    each = _from_to([one.samples for one in found.all])
    first = paragraph(
        code(f"rondo report -- {found.command}"),
        f", on {found.date.isoformat()}, in {duration_text(found.spent_seconds)}. The nodes were "
        "asked, ",
        code("rondo-tune"),
        " measured what messages and copies cost and wrote a profile for ",
        code("auto"),
        ", and ",
        code("rondo-bench"),
        " let all algorithms run against each other with it.",
    )
    second = paragraph(
        "S is the length of the longest block in bytes: all blocks of alltoall have it, those of "
        "alltoallv any length from 0 to S, all equally likely. Algorithms take turns, iteration "
        f"by iteration, in a changing order, with {each} samples of each; a sample is the time "
        "of the slowest rank after a barrier. Intervals are of a bootstrap over iterations. "
        "Two algorithms differ significantly if the interval of the ratio of their medians lies "
        f"wholly beyond {percent_text(WORTH_TELLING - 1)}, by which repeated runs differ.",
    )
    return section("How it was measured", [first, second], "method")
