"""Finds the command that wrappers such as taskset or env start."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from rondo.option_words import CannotRewrite, Options, options

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")  # for a shell; env accepts any name
_DIGITS = "0 1 2 3 4 5 6 7 8 9"  # as in nice -5


@dataclass(frozen=True)
class Wrapper:
    options: Options
    arguments: int = 0  # words before the command, such as taskset's mask
    assigns: bool = False  # whether words such as NAME=VALUE may precede the command

    def command_at(self, words: Sequence[str]) -> int:
        """The index at which the command begins, in the words after the wrapper's name."""
        at = self.options.end(words) + self.arguments
        while self.assigns and at < len(words) and "=" in words[at]:
            at += 1
        if at >= len(words):
            raise CannotRewrite(
                f"{self.options.program} has no command: put `rondo-exec` before your program"
            )
        return at


def assignments(words: Sequence[str]) -> int:
    """How many words of the form NAME=VALUE come first in a shell's command."""
    at = 0
    while at < len(words) and _ASSIGNMENT.match(words[at]):
        at += 1
    return at


def _wrapper(
    name: str, values: str, flags: str, arguments: int = 0, assigns: bool = False
) -> tuple[str, Wrapper]:
    return name, Wrapper(options(name, values, flags, letters=True), arguments, assigns)


WRAPPERS = dict(
    (
        _wrapper(
            "env",
            "u unset C chdir",
            "i ignore-environment v debug block-signal default-signal ignore-signal",
            assigns=True,
        ),
        _wrapper("nice", "n adjustment", _DIGITS),
        _wrapper("ionice", "c class n classdata", "t ignore"),
        _wrapper("taskset", "", "a all-tasks c cpu-list", arguments=1),
        _wrapper(
            "numactl",
            "i interleave w weighted-interleave N cpunodebind m membind C physcpubind "
            "p preferred P preferred-many",
            "l localalloc a all b balancing",
        ),
        _wrapper(
            "chrt",
            "T sched-runtime P sched-period D sched-deadline",
            "b batch d deadline e ext f fifo i idle o other r rr R reset-on-fork v verbose",
            arguments=1,
        ),
        _wrapper(
            "timeout", "k kill-after s signal", "preserve-status foreground v verbose", arguments=1
        ),
        _wrapper("time", "f format o output", "p portability a append v verbose q quiet"),
        _wrapper("stdbuf", "i input o output e error", ""),
        _wrapper("setsid", "", "c ctty f fork w wait"),
        _wrapper("nohup", "", ""),
        _wrapper("exec", "a", "c l"),
        _wrapper(
            "salloc",
            "n ntasks N nodes c cpus-per-task p partition t time w nodelist x exclude A account "
            "q qos J job-name D chdir C constraint G gpus mem mem-per-cpu mem-per-gpu "
            "ntasks-per-node ntasks-per-core ntasks-per-socket gpus-per-node gpus-per-task gres "
            "reservation d dependency M clusters L licenses W wait b begin m distribution hint",
            "exclusive s oversubscribe O overcommit Q quiet v verbose I immediate H hold k no-kill "
            "no-shell K kill-command",
        ),
    )
)


def command_at(words: Sequence[str]) -> int:
    """The index of the command that `words` start; 0 if the first word is not a wrapper."""
    wrapper = WRAPPERS.get(PurePath(words[0]).name)
    return 1 + wrapper.command_at(words[1:]) if wrapper else 0
