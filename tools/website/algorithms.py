"""A page for every algorithm: what the registry says of it, a picture of its schedule, its rounds
and blocks, its source, and what docs/results/ has measured of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import measured

from rondo import registry
from rondo.registry import Algorithm
from rondo.show import facts_of, picture_of, subject_of
from rondo.show.page import page as stepping_page
from rondo.show.sheet import sheet

FOLDER = "algorithms"
_PICTURED_RANKS = 8
# Ranks and nodes of the table of rounds and blocks.
_LAYOUTS = ((8, 1), (64, 1), (64, 4), (1024, 16))
_SERVED = {
    "alltoall": "`MPI_Alltoall`",
    "alltoallv": "`MPI_Alltoallv` and `MPI_Alltoallw`",
    "neighbor_alltoallv": "neighbourhood exchanges",
    "gpu": "exchanges between GPUs, over NCCL",
}
_CHOOSERS = {
    "automatic": "`auto`, what learns, and tuning",
    "plan": "what learns, and tuning; `auto` does not begin with it",
    "tuning": "tuning only; it is kept as published, for comparison",
    "user": "nobody; it runs only if you name it",
}
_DIRECTIONS = {
    "upward": "the block named i goes to the rank i above its source",
    "downward": "the block named i goes to the rank i below its source",
}


class Page(NamedTuple):
    path: str
    content: str


def _by_name() -> dict[str, list[Algorithm]]:
    rows: dict[str, list[Algorithm]] = {}
    for row in registry.algorithms():
        rows.setdefault(row.name, []).append(row)
    return rows


def names() -> list[str]:
    """Of the algorithms over MPI."""
    return list(_by_name())


def gpu_names() -> list[str]:
    return [row.name for row in registry.gpu_algorithms()]


def _nodes(name: str) -> int:
    """Nodes of the picture: two where nodes are what the algorithm is about."""
    return 2 if name in ("two_layer_bruck", "node_aware") else 1


def _subject(name: str, ranks: int, nodes: int) -> Any | None:
    """None for an algorithm whose messages are the MPI library's secret."""
    try:
        return subject_of(name, ranks, nodes)
    except ValueError:
        return None


def citation(references: Sequence[Mapping[str, Any]], source: str) -> str:
    """The full reference of a source such as "HPDC 2022, section 2.1", with its DOI."""
    for one in references:
        if source.startswith(one["abbreviation"]):
            authors = [f"{who['given-names']} {who['family-names']}" for who in one["authors"]]
            doi = one["doi"]
            where = f"*{one['title']}*, {one['year']}, [doi:{doi}](https://doi.org/{doi})"
            return f"{source}. {', '.join(authors)}: {where}."
    return f"{source}."


def _by_collective(rows: list[Algorithm], words: list[str]) -> str:
    """One text for all rows, or one for each collective if they differ."""
    if len(set(words)) == 1:
        return words[0]
    return ". ".join(f"For {_SERVED[row.collective]}: {one}" for row, one in zip(rows, words))


def _facts(rows: list[Algorithm], references: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    sources = dict.fromkeys(citation(references, row.source) for row in rows)
    yield "| | |\n| --- | --- |"
    yield f"| collectives | {'; '.join(_SERVED[row.collective] for row in rows)} |"
    yield f"| source | {' '.join(sources)} |"
    yield f"| cost for a rank | {_by_collective(rows, [row.cost for row in rows])} |"
    choosers = _by_collective(rows, [_CHOOSERS[row.chooser] for row in rows])
    yield f"| considered by | {choosers} |"
    yield f"| direction | {rows[0].direction}: {_DIRECTIONS[rows[0].direction]} |"
    yield ""


def _parameters(row: Algorithm) -> Iterator[str]:
    if not row.parameters:
        return
    yield "## Parameters\n\n| parameter | default | meaning |\n| --- | --- | --- |"
    for one in row.parameters:
        yield f"| `{one.name}` | {one.default} | {one.meaning} |"
    yield ""


def _use(row: Algorithm) -> Iterator[str]:
    variable = f"RONDO_{row.collective.upper()}"
    yield "## Use it\n\nIn a program that you do not recompile:\n"
    yield f"    {variable}={row.name} mpirun -n 64 rondo-exec ./program\n"
    yield "In a program that calls Rondo, for one communicator:\n"
    call = f'Rondo_Comm_set_algorithm(comm, "{row.collective}", "{row.name}");'
    yield f"```c\n{call}\n```\n"


def _picture(name: str) -> Iterator[Page | str]:
    nodes = _nodes(name)
    subject = _subject(name, _PICTURED_RANKS, nodes)
    if subject is None:
        yield "## Picture\n\nThe MPI library chooses how blocks travel, so there is no picture.\n"
        return
    picture = picture_of(subject)
    yield Page(f"{FOLDER}/{name}.svg", sheet(picture))
    yield Page(f"{FOLDER}/{name}-steps.html", stepping_page(picture))
    where = f"{_PICTURED_RANKS} ranks" + (f" on {nodes} nodes" if nodes > 1 else "")
    asked = f" --nodes {nodes}" if nodes > 1 else ""
    yield f"## Round by round\n\n{where[0].upper() + where[1:]}; each block has the colour of its "
    yield f"destination. [Step through the rounds]({name}-steps.html).\n"
    yield f"![{name} on {where}, round by round]({name}.svg){{ .wide }}\n"
    yield f"    rondo show {name} -n {_PICTURED_RANKS}{asked} --format svg --output {name}.svg\n"
    if subject.remark:
        yield f"{subject.remark}\n"


def _counts(name: str) -> Iterator[str]:
    subjects = [_subject(name, ranks, nodes) for ranks, nodes in _LAYOUTS]
    if None in subjects:
        return
    yield "## Rounds and blocks\n"
    yield "With default parameters. K is the number of rounds, D that of the blocks sent in them.\n"
    yield "| ranks | nodes | counted on the schedule |\n| --- | --- | --- |"
    for (ranks, nodes), subject in zip(_LAYOUTS, subjects):
        facts = [one for one in facts_of(subject) if one.symbol not in ("P", "N")]
        counted = "; ".join(f"{one.text} {one.meaning}" for one in facts)
        yield f"| {ranks} | {nodes} | {counted} |"
    yield ""


def _linked(section: measured.Section) -> str:
    return f"[{section.title}](../results/{section.page}.md#{section.anchor})"


def _measured(name: str, results: list[measured.Section]) -> Iterator[str]:
    yield "## Measured\n"
    found = measured.findings(results, name)
    real = [one for one in found if not one.section.is_simulated]
    if real:
        yield "What the [results](../results.md) say of it, each on the machine named there.\n"
    else:
        yield "Not measured: the [results](../results.md) have no figure of this algorithm.\n"
    for section, tables in real:
        for table in tables:
            yield f"From {_linked(section)}: {table.before}\n"
            yield f"| {' | '.join(table.header)} |\n|{' --- |' * len(table.header)}"
            yield from (f"| {' | '.join(row)} |" for row in table.rows)
            yield ""
    won, searched = measured.cells_won(results, name)
    if won:
        yield (
            f"In {won} of the {searched} cells of the [search](../results/learning.md) it was "
            "significantly faster than `auto`, with some value of its parameters.\n"
        )
    named = [_linked(one.section) for one in real if not one.tables]
    if named:
        yield f"Also named in: {', '.join(named)}.\n"
    simulated = [_linked(one.section) for one in found if one.section.is_simulated]
    if simulated:
        yield f"Simulated, not measured: {', '.join(simulated)}.\n"


def _gpu_page(row: Algorithm, references: Sequence[Mapping[str, Any]]) -> Page:
    lines = [f"# {row.name}\n", f"{row.idea[0].upper() + row.idea[1:]}.\n"]
    lines += _facts([row], references)
    where = "On one GPU only, which the ranks shared: [GPUs](../gpu.md#on-one-gpu).\n"
    lines += ["## Measured\n", where]
    lines += _parameters(row)
    lines += [
        "## Use it\n",
        f"    rondo-bench-gpu --threads 8 --max-bytes 1m --algorithm {row.name}\n",
    ]
    call = f'Rondo_nccl_plan_create(comm, "{row.name}", block_bytes, NULL, &plan);'
    lines.append(f"```c\n{call}\n```\n")
    return Page(f"{FOLDER}/{row.name}.md", "\n".join(lines))


def _page(
    rows: list[Algorithm],
    references: Sequence[Mapping[str, Any]],
    results: list[measured.Section],
) -> Iterator[Page]:
    name = rows[0].name
    ideas = list(dict.fromkeys(row.idea for row in rows))
    lines = [f"# {name}\n", *(f"{idea[0].upper() + idea[1:]}.\n" for idea in ideas)]
    lines += _facts(rows, references)
    for part in _picture(name):
        if isinstance(part, Page):
            yield part
        else:
            lines.append(part)
    lines += _counts(name)
    lines += _measured(name, results)
    # A neighbourhood exchange takes some of the parameters that alltoallv takes.
    widest = [row for row in rows if row.collective != "neighbor_alltoallv"][-1]
    lines += _parameters(widest)
    lines += _use(widest)
    yield Page(f"{FOLDER}/{name}.md", "\n".join(lines))


def pages(references: Sequence[Mapping[str, Any]], results: list[measured.Section]) -> list[Page]:
    """All pages and pictures. `references` are those of CITATION.cff."""
    made = [page for rows in _by_name().values() for page in _page(rows, references, results)]
    return made + [_gpu_page(row, references) for row in registry.gpu_algorithms()]


def with_links(markdown: str, known: Iterable[str]) -> str:
    """The tables of algorithms with every name leading to its page."""
    one_of = "|".join(known)
    return re.sub(rf"(?<=\| )`({one_of})`(?= \| )", rf"[`\1`]({FOLDER}/\1.md)", markdown)
