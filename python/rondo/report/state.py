"""What was measured so far, in a file: the same command on the same machine goes on from there."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rondo import _core, files, launchers
from rondo.report.topology import Topology, as_json
from rondo.results import Row, is_disturbed

LEAST_SAMPLES = 5  # with fewer, algorithms are not compared
_VERSION = 2
# What Python raises where JSON is not that of State.write.
_NOT_OURS = (ValueError, TypeError, KeyError, AttributeError, RecursionError)
# Variables by which MPI libraries and Rondo choose, and by which libraries are found.
_CHOOSING = ("RONDO_", "OMPI_MCA_", "PRTE_MCA_", "MPICH_", "MPIR_", "I_MPI_", "UCX_", "FI_")
_FINDING = ("LD_LIBRARY_PATH", "LD_PRELOAD")
_NOT_CHOOSING = ("RONDO_PROFILE",)  # the report has one of its own


class Case(NamedTuple):
    """Algorithms are only compared within one."""

    collective: str
    ranks: int
    bytes: int


def tell_more(rows: Sequence[Row], earlier: Sequence[Row]) -> bool:
    """Whether rows of a case take the place of earlier ones.

    More samples do, but not disturbed ones if the others suffice for a comparison.
    """
    had = earlier[0]["iterations"]
    if had >= LEAST_SAMPLES and is_disturbed(rows) and not is_disturbed(earlier):
        return False
    return bool(rows[0]["iterations"] >= had)


class CannotKeep(ValueError):
    """Nothing can be written there; the text says why."""


def key_of(launch: Sequence[str], topology: Topology, bench: Path) -> str:
    """Differs for another command, machine, MPI library or rondo-bench."""
    file = bench.stat()
    known = {
        "launch": list(launch),
        "launcher": launchers.version_text(launch[0]),
        "machine": [{**node, "memory_bytes": 0} for node in as_json(topology)],
        "bench": [str(bench), file.st_size, file.st_mtime_ns],
        "rondo": _core.version,
        "variables": _variables(os.environ),
    }
    return hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()[:16]


def _variables(environment: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in environment.items()
        if (name.startswith(_CHOOSING) or name in _FINDING) and name not in _NOT_CHOOSING
    }


def usual_folder() -> Path:
    """Of the user's state, as the XDG base directory specification has it."""
    state = os.environ.get("XDG_STATE_HOME", "")
    if state.startswith("/"):
        return Path(state, "rondo", "report")
    try:
        return Path.home() / ".local" / "state" / "rondo" / "report"
    except RuntimeError as error:
        raise CannotKeep(f"cannot keep measurements: {error}; --state names a folder") from error


class State:
    """The measurements of one command on one machine. Every change is written at once."""

    def __init__(self, folder: Path, key: str, is_fresh: bool = False) -> None:
        self.path = folder / f"{key}.json"
        self.profile_path = folder / f"{key}.profile.json"
        self.spent_seconds = 0.0
        self.tuned: dict[int, float] = {}  # by ranks, the seconds that it was given
        self.failures: dict[str, str] = {}  # what could not be measured, and why
        self.cases: dict[Case, list[Row]] = {}
        if is_fresh:
            self.profile_path.unlink(missing_ok=True)
        else:
            self._read()

    def samples(self, case: Case) -> int:
        """Of each algorithm; 0 where it was not measured."""
        return self.cases[case][0]["iterations"] if case in self.cases else 0

    def add(self, case: Case, rows: list[Row]) -> None:
        if case not in self.cases or tell_more(rows, self.cases[case]):
            self.cases[case] = rows

    def write(self) -> None:
        content: dict[str, Any] = {
            "version": _VERSION,
            "spent_seconds": self.spent_seconds,
            "tuned": list(self.tuned.items()),
            "failures": self.failures,
            "cases": [[case, rows] for case, rows in self.cases.items()],
        }
        content["digest"] = _digest(content)
        write_whole(self.path, json.dumps(content, separators=(",", ":")))

    def _read(self) -> None:
        try:
            self._take(json.loads(files.read_text(self.path)))
        except FileNotFoundError:
            return
        except OSError as error:
            raise self._unreadable(error.strerror) from error
        except _NOT_OURS as error:
            raise self._unreadable("it was changed or truncated") from error

    def _unreadable(self, why: object) -> CannotKeep:
        return CannotKeep(
            f"cannot read {self.path}, which has earlier measurements: {why}; --fresh discards them"
        )

    def _take(self, content: dict[str, Any]) -> None:
        if content["version"] != _VERSION:
            return
        if content.pop("digest") != _digest(content):
            raise ValueError("not what was written")
        self.spent_seconds = content["spent_seconds"]
        self.tuned = dict(content["tuned"])
        self.failures = content["failures"]
        self.cases = {Case(*case): rows for case, rows in content["cases"]}


def _digest(content: dict[str, Any]) -> str:
    """It shows that a file has what was written into it."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def write_whole(path: Path, text: str) -> None:
    """Write a file. Raises CannotKeep if that fails."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        files.write(path, text)
    except OSError as error:
        raise CannotKeep(f"cannot write {path}: {error.strerror}") from error
