"""Simulates exchanges on other machines, message by message.

>>> theta = machine("theta")
>>> one = simulate("two_phase_bruck", ranks=512, ranks_per_node=64, bytes=256, machine=theta)
>>> one.seconds < simulate("mpi", 512, 64, 256, theta).seconds
True

A machine is a small TOML file. `machines()` lists those that come with Rondo:

>>> "theta" in machines()
True
"""

import reprlib
import sys
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple, Optional

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from rondo import files
from rondo._core import (
    Outcome,
    SimulatedMachine,
    modelled_machine,
    most_ranks,
    simulate,
    simulated_machine,
    suggestion,
)

__all__ = [
    "Calibration",
    "Outcome",
    "SimulatedMachine",
    "calibration",
    "machine",
    "machine_text",
    "machines",
    "modelled_machine",
    "parse_machine",
    "ranks_per_node",
    "simulate",
    "simulated_machine",
]


class Calibration(NamedTuple):
    """How far a machine's times were from published ones that it was not fitted to.

    >>> calibration("slingshot").numbers
    7
    """

    median_error: float  # as a share of the published time, as 0.2
    error: float  # 4 of 5 times were within it
    numbers: int  # of which these are errors
    source: str
    date: str  # of the source, as 2024-07-12


_GROUPS = ("inside", "between", "adapter", "copying", "waiting")
_CALLS = ("mpi_alltoall", "mpi_alltoallv")
_MOST_COST = 1e15  # seconds, or bytes
_FOLDER = resources.files("rondo") / "machines"


def machines() -> list[str]:
    """The names of the machines that come with Rondo.

    Returns
    -------
    list of str
        In the order of the alphabet.

    Examples
    --------
    >>> {"fugaku", "theta"} <= set(machines())
    True
    """
    names = (entry.name for entry in _FOLDER.iterdir())
    return sorted(name[: -len(".toml")] for name in names if name.endswith(".toml"))


def machine(name: str) -> SimulatedMachine:
    """A machine on which exchanges are simulated.

    Parameters
    ----------
    name
        One of `machines()`, or the path of a TOML file.

    Returns
    -------
    SimulatedMachine
        A new object, which may be changed.

    Raises
    ------
    ValueError
        If there is no such machine or file, or it has an unknown key.

    Examples
    --------
    >>> machine("fugaku").cores
    48
    """
    return parse_machine(machine_text(name), name)


def ranks_per_node(name: str) -> Optional[int]:
    """The usual number of ranks on a node of that machine, from its file.

    Parameters
    ----------
    name
        One of `machines()`, or the path of a TOML file.

    Returns
    -------
    int or None
        Q; None if the file does not say.

    Raises
    ------
    ValueError
        If there is no such machine or file, or the number is none.

    Examples
    --------
    >>> ranks_per_node("theta")
    64
    """
    given = _table(machine_text(name), name).get("ranks_per_node")
    return None if given is None else _count(given, f"{name}: ranks_per_node")


def calibration(name: str) -> Optional[Calibration]:
    """How far the machine's times were from published ones, from its file.

    Parameters
    ----------
    name
        One of `machines()`, or the path of a TOML file.

    Returns
    -------
    Calibration or None
        None if nothing was compared.

    Raises
    ------
    ValueError
        If there is no such machine or file, or its table [calibration] is wrong.

    Examples
    --------
    >>> calibration("theta").error < 1, calibration("fugaku") is None
    (True, True)
    """
    table = _table(machine_text(name), name).get("calibration")
    if table is None:
        return None
    where = f"{name}: calibration"
    if not isinstance(table, dict) or set(table) != set(Calibration._fields):
        raise ValueError(f"{where} must have {', '.join(Calibration._fields)}")
    for field in ("median_error", "error"):
        if not isinstance(table[field], (int, float)) or not 0 <= table[field] <= _MOST_COST:
            raise ValueError(f"{where}.{field} is {reprlib.repr(table[field])}, must be a share")
    return Calibration(
        float(table["median_error"]),
        float(table["error"]),
        _count(table["numbers"], f"{where}.numbers"),
        str(table["source"]),
        str(table["date"]),
    )


def machine_text(name: str) -> str:
    """The text of a machine's file.

    Parameters
    ----------
    name
        One of `machines()`, or the path of a TOML file.

    Returns
    -------
    str
        TOML, from which a file of one's own can be made.

    Raises
    ------
    ValueError
        If there is no such machine or file.

    Examples
    --------
    >>> "[between]" in machine_text("theta")
    True
    """
    if name in machines():
        return (_FOLDER / f"{name}.toml").read_text(encoding="utf-8")
    path = Path(name)
    if path.suffix != ".toml":
        raise ValueError(f"no machine {name!r}{suggestion(name, machines())}, or FILE.toml")
    try:
        return files.read_text(path)
    except OSError as error:
        raise ValueError(f"cannot read the machine {name}: {error.strerror}") from error
    except ValueError as error:
        raise ValueError(f"cannot read the machine {name}: {error}") from error


def parse_machine(text: str, name: str = "the machine") -> SimulatedMachine:
    """A machine from the text of its file.

    Parameters
    ----------
    text
        TOML.
    name
        What errors call the machine.

    Returns
    -------
    SimulatedMachine
        A new object, which may be changed. What the text does not name takes no time.

    Raises
    ------
    ValueError
        If it is not TOML, or has an unknown key or a wrong value, which the error names.

    Examples
    --------
    >>> parse_machine("cores = 16").cores
    16
    """
    table = _table(text, name)
    made = SimulatedMachine()
    for key, value in table.items():
        if key in _GROUPS and isinstance(value, dict):
            for field, price in value.items():
                _set(getattr(made, key), field, price, f"{name}: {key}.{field}")
        elif key in (*_CALLS, "cores"):
            _set(made, key, value, f"{name}: {key}")
        elif key not in ("name", "description", "ranks_per_node", "calibration"):
            raise ValueError(f"{name}: {key} is unknown")
    return made


def _table(text: str, name: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise ValueError(f"{name} is TOML that is nested too deeply") from error
    except ValueError as error:
        raise ValueError(f"{name} is not TOML: {error}") from error


def _set(owner: object, field: str, value: Any, where: str) -> None:
    if not hasattr(owner, field) or field.startswith("_"):
        raise ValueError(f"{where} is unknown")
    usual = getattr(owner, field)
    if isinstance(usual, str):
        if not isinstance(value, str):
            raise ValueError(f"{where} is {reprlib.repr(value)}, must be the name of an algorithm")
        setattr(owner, field, value)
    elif isinstance(usual, int):
        setattr(owner, field, _count(value, where))
    else:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not is_number or not 0 <= value <= _MOST_COST:
            raise ValueError(
                f"{where} is {reprlib.repr(value)}, must be a number from 0 to {_MOST_COST:g}"
            )
        setattr(owner, field, float(value))


def _count(value: Any, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most_ranks:
        raise ValueError(f"{where} is {reprlib.repr(value)}, must be in 1..{most_ranks}")
    return value
