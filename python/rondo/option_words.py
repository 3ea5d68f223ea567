"""The options of programs that start other programs: launchers, and wrappers such as taskset.

The started command comes after the options. To skip these, one must know which take a value, so
this file lists the options of each family of launchers and of each wrapper.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath


class CannotRewrite(ValueError):
    """The place for rondo-exec in a command is unknown; the text says what to do instead."""


class NoProgram(CannotRewrite):
    """A command ends before the program that it should start."""


@dataclass(frozen=True)
class Options:
    """The options of a program, and the words between them and the command that it starts.

    `values` names the options that take a value, or N values as NAME/N; `flags` those that take
    none. One dash or two are the same, as for Open MPI and hydra. With `letters`, one dash begins
    one-letter options, as in -lu, and a value may follow directly, as in -n4.
    """

    program: str
    values: str = ""
    flags: str = ""
    letters: bool = True
    arguments: int = 0  # words before the command, such as taskset's mask
    assigns: bool = False  # whether words such as NAME=VALUE may precede the command

    def command_at(self, words: Sequence[str]) -> int:
        """The index at which the command begins, in the words after the program's name."""
        at = 0
        while at < len(words) and words[at].startswith("-"):
            word = words[at]
            at += 1
            if word == "--":
                break
            at += self._values_of(word)
        at += self.arguments
        while self.assigns and at < len(words) and "=" in words[at]:
            at += 1
        if at < len(words):
            return at
        raise NoProgram

    def _values_of(self, word: str) -> int:
        """How many of the following words belong to this option."""
        counts = dict.fromkeys(self.flags.split(), 0)
        for name, _, count in (one.partition("/") for one in self.values.split()):
            counts[name] = int(count or 1)
        option, assigned, _ = word.lstrip("-").partition("=")
        if self.letters and not word.startswith("--"):
            # Flags, then perhaps an option whose value is the rest of the word or the next word.
            rest = word[1:].lstrip("".join(one for one in self.flags.split() if len(one) == 1))
            if not rest:
                return 0
            option, assigned = rest[0], rest[1:]
        if option not in counts:
            raise CannotRewrite(
                f"rondo run does not know {self.program}'s option {word!r}, so it does not know "
                "where the program begins: put `rondo-exec` before your program yourself"
            )
        return 0 if assigned else counts[option]


OPEN_MPI = Options(
    "Open MPI",
    values="""n np c N H host hostfile machinefile default-hostfile npernode npersocket ppr
        map-by rank-by bind-to cpu-set cpu-list cpus-per-proc cpus-per-rank rankfile rf x mca/2
        gmca/2 pmca/2 prtemca/2 am tune wd wdir path prefix stdin timeout xterm output
        output-filename display launch-agent report-pid report-uri ompi-server hnp personality
        preload-files max-vm-size max-restarts""",
    flags="""oversubscribe nooversubscribe use-hwthread-cpus allow-run-as-root v verbose q quiet
        d display-map display-allocation display-devel-map display-devel-allocation display-topo
        report-bindings tag-output timestamp-output merge-stderr-to-stdout xml noprefix nolocal
        novm pernode bynode byslot bycore bind-to-core bind-to-socket bind-to-none do-not-launch
        do-not-resolve debug-devel debug-daemons leave-session-attached index-argv-by-rank
        continuous s preload-binary enable-recovery disable-recovery get-stack-traces
        show-progress""",
    letters=False,
)
HYDRA = Options(
    "MPICH",
    values="""n np ppn perhost f hosts host hostfile machinefile env/2 genv/2 envlist genvlist
        wdir gwdir path gpath bind-to map-by membind topolib rmk launcher bootstrap launcher-exec
        bootstrap-exec iface demux nameserver localhost usize order-nodes gpus-per-proc
        prepend-pattern outfile-pattern errfile-pattern umask tmpdir""",
    flags="""envall envnone genvall genvnone v verbose print-all-exitcodes l prepend-rank
        enable-x disable-x profile pmi-port skip-launch-node nolocal disable-auto-cleanup
        disable-hostname-propagation ordered-output print-rank-map noconf""",
    letters=False,
)
SRUN = Options(
    "srun",
    values="""n ntasks N nodes c cpus-per-task p partition t time w nodelist x exclude A account
        q qos J job-name o output e error i input D chdir m distribution C constraint G gpus mpi
        mem mem-per-cpu mem-per-gpu mem-bind cpu-bind gpu-bind ntasks-per-node ntasks-per-core
        ntasks-per-socket ntasks-per-gpu gpus-per-node gpus-per-task gres hint export r relative
        jobid reservation d dependency het-group threads-per-core M clusters network wckey L
        licenses W wait b begin""",
    flags="""l label u unbuffered v verbose Q quiet s oversubscribe exclusive exact overlap O
        overcommit E preserve-env pty k no-kill K kill-on-bad-exit kill-command contiguous I
        immediate H hold no-shell""",
)
RONDO = Options("rondo-mpirun", "launcher mpi n np", letters=False)
_WRAPPERS = {
    one.program: one
    for one in (
        Options(
            "env",
            "u unset C chdir",
            "i ignore-environment v debug block-signal default-signal ignore-signal",
            assigns=True,
        ),
        Options("nice", "n adjustment", "0 1 2 3 4 5 6 7 8 9"),
        Options("ionice", "c class n classdata", "t ignore"),
        Options("taskset", "", "a all-tasks c cpu-list", arguments=1),
        Options(
            "numactl",
            "i interleave w weighted-interleave N cpunodebind m membind C physcpubind "
            "p preferred P preferred-many",
            "l localalloc a all b balancing",
        ),
        Options(
            "chrt",
            "T sched-runtime P sched-period D sched-deadline",
            "b batch d deadline e ext f fifo i idle o other r rr R reset-on-fork v verbose",
            arguments=1,
        ),
        Options(
            "timeout", "k kill-after s signal", "preserve-status foreground v verbose", arguments=1
        ),
        Options("time", "f format o output", "p portability a append v verbose q quiet"),
        Options("stdbuf", "i input o output e error"),
        Options("setsid", "", "c ctty f fork w wait"),
        Options("nohup"),
        Options("exec", "a", "c l"),
        replace(SRUN, program="salloc"),
    )
}


def command_at(words: Sequence[str]) -> int:
    """The index of the command that a wrapper starts; 0 if the first word is not a wrapper."""
    wrapper = _WRAPPERS.get(PurePath(words[0]).name)
    return 1 + wrapper.command_at(words[1:]) if wrapper else 0
