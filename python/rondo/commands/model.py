"""rondo model."""

import json
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple, Optional

import typer
from rich.table import Table

from rondo import model
from rondo._core import sizes_of
from rondo.commands.machines import (
    MachineName,
    Setting,
    machine_of,
    setting_of,
    show_question,
    without_assumptions,
)
from rondo.commands.options import (
    Collective,
    Format,
    ManyBytes,
    Nodes,
    Ranks,
    RanksPerNode,
    UsedProfile,
    choice,
    named,
)
from rondo.commands.say import console, fail, print_rows
from rondo.model import Contest, Crossover, Prediction

_PARTS = ("latency", "bandwidth", "copies", "arrivals", "switches", "agreement")
# What most programs use, so gains are relative to it.
_USUAL = {"sparse_alltoallv": "mpi"}
_USUAL_OF_OTHERS = "spread_out"
_FOLLOWED_BYTES = 1 << 20  # the fastest algorithm is followed at least to this length
_MOST_FOLLOWED_RANKS = 1 << 16  # with more, that would take minutes
_SIMPLIFIED = (
    "the model leaves out the machine's handshakes, caches, matching and noise, which "
    "`rondo simulate` has"
)


def predict_times(
    bytes: ManyBytes,
    ranks: Ranks = None,
    ranks_per_node: RanksPerNode = None,
    nodes: Nodes = None,
    collective: Collective = "alltoallv",
    distribution: Annotated[
        Optional[str],
        typer.Option(
            metavar="NAME",
            help="Block lengths: constant, uniform from 0 to S, or sparse:K, which is constant "
            "with --partners K. The default is constant in alltoall, sparse:4 in sparse and "
            "neighbourhood exchanges, and uniform in the others.",
        ),
    ] = None,
    partners: Annotated[
        Optional[int],
        typer.Option(
            metavar="K",
            help="The other ranks to which a rank sends, drawn at random. The default is 4 in "
            "sparse and neighbourhood exchanges, and all in the others.",
        ),
    ] = None,
    prices: Annotated[
        str, choice(words=("hockney", "loggp"), help="The model of messages.")
    ] = "hockney",
    machine: MachineName = "profile",
    profile: UsedProfile = None,
    format: Format = "table",
) -> None:
    """Predict what every algorithm costs on a machine, and recommend one."""
    try:
        show = named(
            "format", format, {"table": _show_tables, "json": _show_json, "csv": _show_csv}
        )
        price = named("prices", prices, {"hockney": model.hockney, "loggp": model.loggp})
        sizes = sizes_of("--bytes", bytes)
        given = (ranks, nodes, ranks_per_node)
        setting = setting_of(machine_of(machine, profile), given, collective, distribution)
        word, few = _lengths_and_partners(setting.distribution, partners)
        contest = Contest(
            *(setting.ranks, setting.ranks_per_node, collective, word),
            *(price(setting.machine.modelled), few),
        )
        answers = _answers(contest, sizes, _is_followed(setting))
    except ValueError as error:
        fail(error)
    question = {**_question(setting), "prices": prices}
    if partners is not None:
        question["partners"] = partners
    show(question, answers)


def _question(setting: Setting) -> dict[str, Any]:
    """What was asked, by the names of the options, and what is assumed."""
    assumed = list(setting.assumed)
    if setting.machine.is_simplified:
        assumed.insert(0, _SIMPLIFIED)
    if not _is_followed(setting):
        assumed.append(f"no crossovers are sought above {_MOST_FOLLOWED_RANKS} ranks")
    return {**setting._asdict(), "machine": setting.machine.name, "assumed": assumed}


def _is_followed(setting: Setting) -> bool:
    """Whether lengths are sought at which another algorithm becomes the fastest."""
    return setting.ranks <= _MOST_FOLLOWED_RANKS


class Answer(NamedTuple):
    """What is predicted for one block length."""

    bytes: int
    ranking: list[Prediction]
    crossovers: list[Crossover]


def _answers(contest: Contest, sizes: list[int], is_followed: bool) -> list[Answer]:
    most = max(*sizes, _FOLLOWED_BYTES)
    crossovers = contest.crossovers(to_bytes=most) if is_followed else []
    return [Answer(size, contest.ranking(size), crossovers) for size in sizes]


def _lengths_and_partners(distribution: str, partners: Optional[int]) -> tuple[str, Optional[int]]:
    """The lengths of blocks in the model's words, and to how many others a rank sends."""
    word, _, few = distribution.partition(":")
    if word == "sparse" and few.isascii() and few.isdigit():
        return "constant", int(few) if partners is None else partners
    if distribution not in ("constant", "uniform"):
        raise ValueError(f"distribution is {distribution!r}, must be constant, uniform or sparse:K")
    return distribution, partners


def short_name(one: Prediction) -> str:
    """The name with the best radices. The other parameters have their defaults."""
    return ":".join([one.name, *(f"{name}={value}" for name, value in one.radices.items())])


def short_names(ranking: Sequence[Prediction]) -> list[str]:
    """Short names, with all parameters in which predictions of the same algorithm differ."""
    names = []
    for one in ranking:
        same = [_parameters(other) for other in ranking if other.name == one.name]
        shown = [
            f"{name}={value}"
            for name, value in _parameters(one).items()
            if name in one.radices or any(other.get(name) != value for other in same)
        ]
        names.append(":".join([one.name, *shown]))
    return names


def _parameters(one: Prediction) -> dict[str, str]:
    return dict(word.split("=", 1) for word in one.algorithm.split(":")[1:])


def _sentence(question: dict[str, Any], answer: Answer) -> str:
    ranking = answer.ranking
    best = ranking[0]
    usual = _USUAL.get(question["collective"], _USUAL_OF_OTHERS)
    others = [one for one in ranking if one.name == usual] if best.name != usual else ranking[1:]
    other = others[0]
    return (
        f"For P = {question['ranks']} and S = {answer.bytes} use {short_name(best)}: "
        f"{_microseconds(best.cost.total)} us instead of {_microseconds(other.cost.total)} us with "
        f"{other.name}, {model.why_faster(best, other)}."
    )


def _parts(one: Prediction) -> dict[str, float]:
    return {part: getattr(one.cost, part) for part in _PARTS}


def _microseconds(seconds: float) -> str:
    return f"{seconds * 1e6:.1f}"


def _show_tables(question: dict[str, Any], answers: list[Answer]) -> None:
    show_question(question)
    for answer in answers:
        console.print(f"S = {answer.bytes}", style="bold", highlight=False)
        console.print(_ranking_table(answer.ranking))
        console.print()
    if answers[0].crossovers:
        console.print("where another algorithm becomes the fastest:\n")
        console.print(_crossover_table(answers[0].crossovers))
        console.print()
    for answer in answers:
        console.print(_sentence(question, answer), highlight=False, markup=False)


def _ranking_table(ranking: list[Prediction]) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("algorithm at its best radix", no_wrap=True)
    for heading in ("us", "messages", "bytes sent"):
        table.add_column(heading, justify="right")
    table.add_column("mostly")
    for place, one in enumerate(ranking):
        table.add_row(
            short_name(one),
            _microseconds(one.cost.total),
            f"{one.messages:.0f}",
            f"{one.bytes:.0f}",
            _largest_part(one),
            style="bold green" if place == 0 else None,
        )
    return table


def _largest_part(one: Prediction) -> str:
    part, seconds = max(_parts(one).items(), key=lambda item: item[1])
    # A machine's costs may all be 0.
    return f"{part} {seconds / one.cost.total:.0%}" if seconds > 0 else ""


def _crossover_table(crossovers: list[Crossover]) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("from S", justify="right")
    table.add_column("before", no_wrap=True)
    table.add_column("then", no_wrap=True)
    table.add_column("reason")
    for one in crossovers:
        table.add_row(str(one.bytes), one.before.name, short_name(one.after), one.reason)
    return table


def _show_json(question: dict[str, Any], answers: list[Answer]) -> None:
    """An object for each size, on lines of their own if there are several."""
    for answer in answers:
        found = {
            **question,
            "bytes": answer.bytes,
            "algorithms": [_fields(one) for one in answer.ranking],
            "crossovers": [
                {
                    "bytes": one.bytes,
                    "before": one.before.algorithm,
                    "after": one.after.algorithm,
                    "reason": one.reason,
                }
                for one in answer.crossovers
            ],
            "answer": _sentence(question, answer),
        }
        typer.echo(json.dumps(found, indent=2 if len(answers) == 1 else None))


def _show_csv(question: dict[str, Any], answers: list[Answer]) -> None:
    """The rankings alone, a row for each algorithm and size."""
    asked = without_assumptions(question)
    rows = []
    for answer in answers:
        for one in answer.ranking:
            fields = _fields(one)
            parts = {f"{part}_seconds": seconds for part, seconds in fields.pop("parts").items()}
            sent = fields.pop("bytes")
            rows.append({**asked, "bytes": answer.bytes, **fields, "bytes_sent": sent, **parts})
    print_rows(rows, "csv")


def _fields(one: Prediction) -> dict[str, Any]:
    return {
        "algorithm": one.algorithm,
        "seconds": one.cost.total,
        "parts": _parts(one),
        "messages": one.messages,
        "waits": one.waits,
        "bytes": one.bytes,
    }
