"""The machines of `rondo model` and `rondo simulate`, and what both assume if nothing is said."""

from pathlib import Path
from typing import Annotated, Any, NamedTuple, Optional

import typer

from rondo import simulate
from rondo.commands.options import FEW_PARTNERS, Layout, check_collective, layout_of
from rondo.commands.profiles import Source, source_of
from rondo.commands.say import console
from rondo.model import Machine
from rondo.simulate import SimulatedMachine

_PROFILE = "profile"
_TYPICAL = "typical"
_WORDS = [_PROFILE, _TYPICAL, *simulate.machines()]

MachineName = Annotated[
    str,
    typer.Option(
        "--machine",
        metavar="NAME",
        autocompletion=lambda: _WORDS,
        help=f"{', '.join(_WORDS)} or FILE.toml. `profile` is the machine that `rondo tune` has "
        "measured here, and else the typical cluster.",
    ),
]


class Chosen(NamedTuple):
    """A machine for predictions and for simulations."""

    name: str  # for people
    modelled: Machine
    simulated: SimulatedMachine
    usual_ranks_per_node: int
    is_simplified: bool  # whether the model leaves out some of its costs


def machine_of(name: str, profile: Optional[Path]) -> Chosen:
    """The machine of that name. ValueError lists the names if there is none."""
    if name != _PROFILE and profile is not None:
        raise ValueError(f"--machine {name} and --profile cannot be combined")
    if name in (_PROFILE, _TYPICAL):
        source = source_of(profile) if name == _PROFILE else Source(None, None)
        measured = source.machine
        simulated = simulate.simulated_machine(measured)
        return Chosen(source.machine_name, measured, simulated, measured.host.cores, False)
    simulated = simulate.machine(name)
    per_node = simulate.ranks_per_node(name) or simulated.cores
    return Chosen(name, simulate.modelled_machine(simulated), simulated, per_node, True)


class Setting(NamedTuple):
    """Where exchanges happen and how long blocks are: what is given, and else assumed."""

    machine: Chosen
    ranks: int
    ranks_per_node: int
    collective: str
    distribution: str
    assumed: list[str]  # sentences about what was not given


def setting_of(
    machine: Chosen,
    given: tuple[Optional[int], Optional[int], Optional[int]],
    collective: str,
    distribution: Optional[str],
) -> Setting:
    """`given` are the numbers of ranks, of nodes, and of ranks on a node.

    ValueError if they do not fit or there is no such exchange.
    """
    check_collective(collective)
    layout = layout_of(*given, machine.usual_ranks_per_node)
    lengths = distribution or _usual_distribution(collective)
    _, nodes, per_node = given
    assumed = [_assumed_layout(layout, machine)] if nodes is None and per_node is None else []
    if distribution is None:
        assumed.append(f"--distribution {lengths}")
    return Setting(machine, layout.ranks, layout.ranks_per_node, collective, lengths, assumed)


def _usual_distribution(collective: str) -> str:
    """The distribution of block lengths where none is given."""
    if collective == "alltoall":
        return "constant"
    return "sparse:4" if collective in FEW_PARTNERS else "uniform"


def _assumed_layout(layout: Layout, machine: Chosen) -> str:
    """The sentence about the ranks of a node where none are given."""
    most = machine.usual_ranks_per_node
    why = "" if layout.ranks_per_node == most else f", the most up to {most} that divides P"
    return f"--ranks-per-node {layout.ranks_per_node}{why}"


def without_assumptions(question: dict[str, Any]) -> dict[str, Any]:
    """What was asked, for tables of values."""
    return {name: value for name, value in question.items() if name != "assumed"}


def show_question(question: dict[str, Any]) -> None:
    """Print what was asked, and what is assumed beyond that."""
    asked = without_assumptions(question)
    heading = ", ".join(f"{name} {value}" for name, value in asked.items())
    console.print(heading, markup=False, soft_wrap=True)
    if question["assumed"]:
        assumed = "; ".join(question["assumed"])
        console.print(f"assumed: {assumed}", highlight=False, markup=False, soft_wrap=True)
    console.print()
