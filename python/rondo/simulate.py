"""Simulates exchanges on other machines, message by message.

>>> theta = machine("theta")
>>> one = simulate("two_phase_bruck", ranks=512, ranks_per_node=64, bytes=256, machine=theta)
>>> one.seconds < simulate("mpi", 512, 64, 256, theta).seconds
True

A machine is a small TOML file. `machines()` lists those that come with Rondo:

>>> "theta" in machines()
True
"""

import sys
from importlib import resources
from pathlib import Path
from typing import Any, Optional

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from rondo._core import Outcome, SimulatedMachine, simulate, simulated_machine

__all__ = [
    "Outcome",
    "SimulatedMachine",
    "machine",
    "machine_text",
    "machines",
    "parse_machine",
    "ranks_per_node",
    "simulate",
    "simulated_machine",
]

_GROUPS = ("inside", "between", "adapter", "copying", "waiting")
_CALLS = ("mpi_alltoall", "mpi_alltoallv")
_FOLDER = resources.files("rondo") / "machines"


def machines() -> list[str]:
    """The names of the machines that come with Rondo."""
    names = (entry.name for entry in _FOLDER.iterdir())
    return sorted(name[: -len(".toml")] for name in names if name.endswith(".toml"))


def machine(name: str) -> SimulatedMachine:
    """One of `machines()`, or the machine in a TOML file."""
    return parse_machine(machine_text(name), name)


def ranks_per_node(name: str) -> Optional[int]:
    """The usual number of ranks on a node of that machine, from its file."""
    return _table(machine_text(name), name).get("ranks_per_node")


def machine_text(name: str) -> str:
    """The text of a machine's file."""
    if name in machines():
        return (_FOLDER / f"{name}.toml").read_text(encoding="utf-8")
    path = Path(name)
    if path.suffix != ".toml":
        raise ValueError(f"no machine {name!r}; choose from {', '.join(machines())}, or FILE.toml")
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ValueError(f"cannot read the machine {name}: {error.strerror}") from error


def parse_machine(text: str, name: str = "the machine") -> SimulatedMachine:
    """A machine from the text of its file. Raises ValueError that names an unknown key."""
    table = _table(text, name)
    made = SimulatedMachine()
    for key, value in table.items():
        if key in _GROUPS and isinstance(value, dict):
            for field, price in value.items():
                _set(getattr(made, key), field, price, f"{name}: {key}.{field}")
        elif key in (*_CALLS, "cores"):
            _set(made, key, value, f"{name}: {key}")
        elif key not in ("name", "description", "ranks_per_node"):
            raise ValueError(f"{name}: {key} is unknown")
    return made


def _table(text: str, name: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{name} is not TOML: {error}") from error


def _set(owner: object, field: str, value: object, where: str) -> None:
    if not hasattr(owner, field) or field.startswith("_"):
        raise ValueError(f"{where} is unknown")
    is_count = isinstance(getattr(owner, field), int)
    try:
        setattr(owner, field, value if is_count or isinstance(value, str) else float(value))
    except (TypeError, ValueError):
        raise ValueError(f"{where} is {value!r}, which is not valid") from None
