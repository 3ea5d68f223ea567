"""Finds the programs in launch commands.

A preload library must be loaded into the program's ranks and not into the launcher, so `rondo run`
puts `rondo-exec` before every program of the command. Options come before the program. To skip
them, one must know which of them take a value, so this file lists the options of each family of
launchers. The launcher and the program may each be preceded by commands that start another command,
and by shells.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import Callable

from rondo import shells, wrappers
from rondo.option_words import CannotRewrite, Options, options

OPEN_MPI = options(
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
HYDRA = options(
    "MPICH",
    values="""n np ppn perhost f hosts host hostfile machinefile env/2 genv/2 envlist genvlist wdir
        gwdir path gpath bind-to map-by membind topolib rmk launcher bootstrap
        launcher-exec bootstrap-exec iface demux nameserver localhost usize order-nodes
        gpus-per-proc prepend-pattern outfile-pattern errfile-pattern umask tmpdir""",
    flags="""envall envnone genvall genvnone v verbose print-all-exitcodes l prepend-rank enable-x
        disable-x profile pmi-port skip-launch-node nolocal disable-auto-cleanup
        disable-hostname-propagation ordered-output print-rank-map noconf""",
)
SRUN = options(
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
RONDO = options("rondo-mpirun", values="launcher mpi n np", flags="")
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
    if name == "srun":
        return SRUN
    if name == "rondo-mpirun":
        return RONDO
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
    if name == "sbatch":
        raise CannotRewrite("sbatch starts a script later: put `rondo run --` before srun in it")
    raise shells.NotALauncher(
        f"{program!r} is not a launcher that rondo run supports (mpirun and mpiexec of Open MPI, "
        "MPICH and Intel MPI, rondo-mpirun, srun): put `rondo-exec` before your program yourself, "
        f"as in `{name} ... rondo-exec ./program`"
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
    return _inside(command, lambda words: _launched(words, before, version), several=True)


def _inside(words: Sequence[str], rewrite_inner: shells.Rewrite, several: bool) -> list[str]:
    """Rewrite the command that wrappers and shells start in the end.

    With `several`, a shell may also start other commands.
    """
    at = wrappers.command_at(words)
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
    made = [words[0]]
    for number, part in enumerate(_parts(words[1:])):
        if number:
            made.append(_SEPARATOR)
        start = _program_at(part, launcher)
        program = _inside(part[start:], lambda words: [*before, *words], several=False)
        made += [*part[:start], *program]
    return made


def _parts(words: Sequence[str]) -> Iterable[Sequence[str]]:
    """The programs of a job, each with its options."""
    begin = 0
    for at, word in enumerate(words):
        if word == _SEPARATOR:
            yield words[begin:at]
            begin = at + 1
    yield words[begin:]


def _program_at(words: Sequence[str], launcher: Options) -> int:
    at = launcher.end(words)
    if at >= len(words):
        raise CannotRewrite(
            f"rondo run found no program in {' '.join(words)!r}: put `rondo-exec` before your "
            f"program yourself, as in `{launcher.program} ... rondo-exec ./program`"
        )
    return at
