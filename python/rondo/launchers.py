"""Finds the programs in launch commands.

A preload library must be loaded into the program's ranks and not into the launcher, so `rondo run`
puts `rondo-exec` before every program of the command. The launcher and the program may each be
preceded by commands that start another command, and by shells.
"""

from __future__ import annotations

import difflib
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import Callable

from rondo import shells
from rondo.option_words import (
    HYDRA,
    OPEN_MPI,
    RONDO,
    SRUN,
    CannotRewrite,
    NoProgram,
    Options,
    command_at,
)

_BY_NAME = {"srun": SRUN, "rondo-mpirun": RONDO, "orterun": OPEN_MPI, "prterun": OPEN_MPI}
# What mpirun and mpiexec say of themselves.
_BY_VERSION = {
    r"HYDRA|Hydra|Intel\(R\) MPI": HYDRA,
    "Open MPI|OpenRTE|PRRTE|prterun": OPEN_MPI,
}
_SUPPORTED = ("mpirun", "mpiexec", "srun", "rondo-mpirun", "orterun", "prterun")
_UNSUPPORTED = ("jsrun", "aprun", "prun", "flux", "ibrun", "oshrun")
_LIKE = 0.75  # a misspelt name is one of these to this degree
_SEPARATOR = ":"  # between the programs of one job, for all three families


def version_text(program: str) -> str:
    """The launcher's version text; empty if it cannot be started."""
    try:
        done = subprocess.run(
            [program, "--version"], capture_output=True, text=True, check=False, timeout=20
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout + done.stderr


def launcher_of(program: str, version: Callable[[str], str] = version_text) -> Options:
    """The family of a launcher, by its name or else by its version text."""
    name = PurePath(program).name
    if name in _BY_NAME:
        return _BY_NAME[name]
    if name.startswith("mpiexec.hydra"):
        return HYDRA
    if name.partition(".")[0] in ("mpirun", "mpiexec"):
        said = version(program)
        for pattern, family in _BY_VERSION.items():
            if re.search(pattern, said):
                return family
    if name == "sbatch":
        raise CannotRewrite("sbatch starts a script later: put `rondo run --` before srun in it")
    raise shells.NotALauncher(f"{program!r} is not a launcher{_why_not(program)}")


def _why_not(program: str) -> str:
    """The rest of the sentence: what was probably meant, and what to do."""
    name = PurePath(program).name
    # `mpiexec_mpt` and `mpirun.mpich` are launchers; `flux_solver` need not be one.
    is_supported = re.split("[._]", name)[0] in _SUPPORTED
    if shutil.which(program) is None and name not in _UNSUPPORTED:
        if is_supported:
            return " that is on PATH: install an MPI library, or load its module"
        near = difflib.get_close_matches(name, _SUPPORTED, n=1, cutoff=_LIKE)
        if near:
            return f", and no such program is on PATH; did you mean {near[0]}?"
        return ", and no such program is on PATH"
    if is_supported or name in _UNSUPPORTED:
        return (
            " that rondo run supports (mpirun and mpiexec of Open MPI, MPICH and Intel MPI, "
            "rondo-mpirun, srun): put `rondo-exec` before your program yourself, as in "
            f"`{name} ... rondo-exec ./program`"
        )
    return (
        f": put one before it, as in `rondo run -- mpirun -n 4 {program}`; if it starts ranks "
        "itself, put `rondo-exec` before the program that it starts"
    )


def rewrite(
    command: Sequence[str],
    prefix: Iterable[str],
    version: Callable[[str], str] = version_text,
) -> list[str]:
    """The command with `prefix` before each of its programs."""
    if not command:
        raise CannotRewrite("there is no command to run")
    before = list(prefix)
    try:
        return _inside(command, lambda words: _launched(words, before, version), several=True)
    except NoProgram:
        whole = shlex.join(command)
        raise CannotRewrite(
            f"there is no program in {whole!r}: add yours, as in `rondo run -- {whole} ./program`"
        ) from None


def require_no_program(command: Sequence[str], starter: str) -> None:
    """Raise CannotRewrite if a launch command has a program, since `starter` has its own.

    What cannot be understood may be right.
    """
    try:
        _inside(command, lambda words: _launched(words, [], version_text), several=True)
    except CannotRewrite:  # that there is no program, above all
        return
    raise CannotRewrite(
        f"{shlex.join(command)!r} has a program, but {starter} starts its own: say the launcher "
        f"and its options alone, as in `{starter} -- mpirun -n 4`"
    )


def _inside(words: Sequence[str], rewrite_inner: shells.Rewrite, several: bool) -> list[str]:
    """Rewrite the command that wrappers and shells start in the end.

    With `several`, a shell may also start other commands.
    """
    at = command_at(words)
    if at:
        return [*words[:at], *_inside(words[at:], rewrite_inner, several)]
    script = shells.script_at(words)
    if script is None:
        return rewrite_inner(words)
    made = shells.rewritten(
        words[script], lambda inner: _inside(inner, rewrite_inner, several), several
    )
    return [*words[:script], made, *words[script + 1 :]]


def _launched(words: Sequence[str], before: list[str], version: Callable[[str], str]) -> list[str]:
    launcher = launcher_of(words[0], version)
    made, rest = list(words[:1]), words[1:]
    while True:
        end = rest.index(_SEPARATOR) if _SEPARATOR in rest else len(rest)
        start = launcher.command_at(rest[:end])
        program = _inside(rest[start:end], lambda words: [*before, *words], several=False)
        made += [*rest[:start], *program, *rest[end : end + 1]]
        if end == len(rest):
            return made
        rest = rest[end + 1 :]
