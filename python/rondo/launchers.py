"""Launch commands: where the launcher's own options end and the program begins.

A preload library must reach the program's ranks and not the launcher, so `rondo run` puts
`rondo-exec` before every program of the command. What stands before the program is options; to
step over them, one must know which of them take a value, so each family of launchers has its list
here.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Callable


class UnknownLauncher(ValueError):
    """A command that cannot be rewritten; the text says what to do instead."""


@dataclass(frozen=True)
class Launcher:
    """A family of launchers.

    `values` maps each option that takes values to the number of words behind it, `flags` are those
    that take none. One dash or two are the same, as they are to Open MPI and hydra. With `letters`,
    one dash begins options of one letter, whose value may follow at once, as in -n4.
    """

    name: str
    values: dict[str, int]
    flags: frozenset[str]
    letters: bool = False


def _launcher(name: str, values: str, flags: str, letters: bool = False) -> Launcher:
    """`values` are the names of options; name/2 takes two words."""
    counts = {}
    for word in values.split():
        option, _, count = word.partition("/")
        counts[option] = int(count or 1)
    return Launcher(name, counts, frozenset(flags.split()), letters)


OPEN_MPI = _launcher(
    "Open MPI",
    values="""n np c N H host hostfile machinefile default-hostfile npernode npersocket ppr map-by
        rank-by bind-to cpu-set cpu-list cpus-per-proc cpus-per-rank rankfile rf x mca/2
        gmca/2 pmca/2 prtemca/2 am tune wd wdir path prefix stdin timeout xterm output
        output-filename display launch-agent report-pid report-uri ompi-server hnp
        personality preload-files max-vm-size max-restarts""",
    flags="""oversubscribe nooversubscribe use-hwthread-cpus allow-run-as-root v verbose q quiet d
        display-map display-allocation display-devel-map display-devel-allocation
        display-topo report-bindings tag-output timestamp-output merge-stderr-to-stdout
        xml noprefix nolocal novm pernode bynode byslot bycore bind-to-core
        bind-to-socket bind-to-none do-not-launch do-not-resolve debug-devel
        debug-daemons leave-session-attached index-argv-by-rank continuous s
        preload-binary enable-recovery disable-recovery get-stack-traces show-progress""",
)
HYDRA = _launcher(
    "MPICH",
    values="""n np ppn perhost f hosts host hostfile machinefile env/2 genv/2 envlist genvlist wdir
        gwdir path gpath bind-to map-by membind topolib rmk launcher bootstrap
        launcher-exec bootstrap-exec iface demux nameserver localhost usize order-nodes
        gpus-per-proc prepend-pattern outfile-pattern errfile-pattern umask tmpdir""",
    flags="""envall envnone genvall genvnone v verbose print-all-exitcodes l prepend-rank enable-x
        disable-x profile pmi-port skip-launch-node nolocal disable-auto-cleanup
        disable-hostname-propagation ordered-output print-rank-map noconf""",
)
SRUN = _launcher(
    "srun",
    values="""n ntasks N nodes c cpus-per-task p partition t time w nodelist x exclude A account
        q qos J job-name o output e error i input D chdir m distribution C constraint G gpus
        mpi mem mem-per-cpu mem-per-gpu mem-bind cpu-bind gpu-bind ntasks-per-node
        ntasks-per-core ntasks-per-socket ntasks-per-gpu gpus-per-node gpus-per-task
        gres hint export r relative jobid reservation d dependency het-group
        threads-per-core M clusters network wckey L licenses W wait""",
    flags="""l label u unbuffered v verbose Q quiet s oversubscribe exclusive exact overlap O
        overcommit E preserve-env pty k no-kill K kill-on-bad-exit contiguous""",
    letters=True,
)
_SEPARATOR = ":"  # between the programs of one job, for all three


def version_text(program: str) -> str:
    """What a launcher says of itself; empty if it cannot be started."""
    try:
        done = subprocess.run(
            [program, "--version"], capture_output=True, text=True, check=False, timeout=20
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout + done.stderr


def launcher_of(program: str, version: Callable[[str], str] = version_text) -> Launcher:
    """The family of a launcher: by its name where that tells, else by what it says of itself."""
    name = PurePath(program).name
    if name == "srun":
        return SRUN
    if name.startswith("mpiexec.hydra"):
        return HYDRA
    if name in ("orterun", "prterun"):
        return OPEN_MPI
    if name.partition(".")[0] in ("mpirun", "mpiexec"):
        said = version(program)
        if any(word in said for word in ("HYDRA", "Hydra", "Intel(R) MPI")):
            return HYDRA
        if any(word in said for word in ("Open MPI", "OpenRTE", "PRRTE", "prterun")):
            return OPEN_MPI
    raise UnknownLauncher(
        f"{program!r} is not a launcher that rondo run knows (mpirun and mpiexec of Open MPI, "
        "MPICH and Intel MPI, srun): put `rondo-exec` before your program yourself, as in "
        f"`{name} ... rondo-exec ./program`"
    )


def rewrite(
    command: Sequence[str],
    prefix: Iterable[str],
    version: Callable[[str], str] = version_text,
) -> list[str]:
    """The command with `prefix` before each of its programs."""
    if not command:
        raise UnknownLauncher("there is no command to run")
    launcher = launcher_of(command[0], version)
    before = list(prefix)
    rewritten = [command[0]]
    for number, part in enumerate(_parts(command[1:])):
        if number:
            rewritten.append(_SEPARATOR)
        start = _program_at(part, launcher)
        rewritten += [*part[:start], *before, *part[start:]]
    return rewritten


def _parts(words: Sequence[str]) -> Iterable[Sequence[str]]:
    """The programs of a job, each with the options before it."""
    begin = 0
    for at, word in enumerate(words):
        if word == _SEPARATOR:
            yield words[begin:at]
            begin = at + 1
    yield words[begin:]


def _program_at(words: Sequence[str], launcher: Launcher) -> int:
    """Where the first word is that is neither an option nor an option's value."""
    at = 0
    while at < len(words):
        word = words[at]
        if word == "--":
            at += 1
            break
        if not word.startswith("-"):
            break
        at += 1 + _values_of(word, launcher)
    if at >= len(words):
        raise UnknownLauncher(
            f"rondo run finds no program in {' '.join(words)!r}: put `rondo-exec` before your "
            f"program yourself, as in `{launcher.name} ... rondo-exec ./program`"
        )
    return at


def _values_of(word: str, launcher: Launcher) -> int:
    """How many words behind this option belong to it."""
    option, assigned, _ = word.lstrip("-").partition("=")
    if launcher.letters and not word.startswith("--") and len(word) > 2:
        option, assigned = option[:1], "="  # flags in one word, or a letter with its value
    if option in launcher.flags:
        return 0
    if option in launcher.values:
        return 0 if assigned else launcher.values[option]
    raise UnknownLauncher(
        f"rondo run does not know {launcher.name}'s option {word!r}, so it cannot tell where the "
        "program begins: put `rondo-exec` before your program yourself"
    )
