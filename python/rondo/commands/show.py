"""rondo show."""

from pathlib import Path
from typing import Annotated, Callable, Optional

import typer
from rich.console import Console

from rondo.commands.options import Nodes, RanksPerNode, check_format, choice, layout_of
from rondo.commands.say import console, fail, rows_text, write_or_fail
from rondo.schedule import NodeSchedule
from rondo.show import MOST_RANKS, Picture, Subject, facts_of, picture_of, subject_of, terminal
from rondo.show.page import page
from rondo.show.rounds import round_rows
from rondo.show.sheet import sheet

_DRAWN: dict[str, Callable[[Picture], str]] = {"svg": sheet, "html": page}
_USUAL_RANKS = 8  # few enough to read every block, and a power of two
_FORMATS = ("terminal", *_DRAWN, "json", "csv")


ShownRanks = Annotated[
    Optional[int],
    typer.Option(
        "--ranks",
        "-n",
        metavar="P",
        help=f"The number of ranks; N x Q if both of these are given, and else {_USUAL_RANKS}.",
        show_default=False,
    ),
]


def show_algorithm(
    algorithm: Annotated[str, typer.Argument(help="The algorithm, as in two_layer_bruck:intra=2.")],
    ranks: ShownRanks = None,
    nodes: Nodes = None,
    ranks_per_node: RanksPerNode = None,
    radix: Annotated[
        Optional[int],
        typer.Option(metavar="R", help="Short for ALGORITHM:radix=R.", show_default=False),
    ] = None,
    format: Annotated[
        str,
        choice(
            words=_FORMATS,
            help="A picture in the terminal, a sheet of all rounds (svg), a page to step through "
            "(html), or the rounds for programs.",
        ),
    ] = "terminal",
    output: Annotated[
        Optional[Path],
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write to this file, not to standard output.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Show an algorithm round by round: which blocks travel where, and where they are then."""
    name = algorithm if radix is None else f"{algorithm}:radix={radix}"
    try:
        check_format(format, _FORMATS)
        is_given = ranks is not None or (nodes is not None and ranks_per_node is not None)
        layout = layout_of(ranks if is_given else _USUAL_RANKS, nodes, ranks_per_node)
        subject = subject_of(name, layout.ranks, layout.nodes)
        if format == "terminal":
            text = None if output is None else _captured(subject)
        elif format in ("json", "csv"):
            text = rows_text(round_rows(subject.schedule), format)
        else:
            text = _DRAWN[format](picture_of(subject))
    except ValueError as error:
        fail(error)
    if text is None:
        _print(subject, console)
    elif output is None:
        typer.echo(text, nl=False)
    else:
        write_or_fail(output, text)


def _captured(subject: Subject) -> str:
    plain = Console(width=console.width, color_system=None, force_terminal=False)
    with plain.capture() as captured:
        _print(subject, plain)
    return captured.get()


def _print(subject: Subject, to: Console) -> None:
    to.print(terminal.heading(subject, facts_of(subject)), highlight=False)
    is_node = isinstance(subject.schedule, NodeSchedule)
    to.print(terminal.messages(subject.of_nodes) if is_node else terminal.rounds(subject.flat))
    to.print()
    if subject.ranks > MOST_RANKS:
        to.print(f"The positions of blocks are shown for at most {MOST_RANKS} ranks.", style="dim")
        return
    drawing = terminal.Drawing(picture_of(subject))
    if drawing.width > to.width:
        words = f"needs a terminal {drawing.width} characters wide; use --format svg or html"
        to.print(f"To show the positions of blocks {words}.", style="dim", highlight=False)
        return
    to.print(drawing.frames())
    to.print(drawing.legend())
    if subject.remark:
        to.print(subject.remark, style="dim", highlight=False)
