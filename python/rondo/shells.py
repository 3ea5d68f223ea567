"""Rewrites the commands in scripts of `bash -c` and similar shells."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import PurePath
from typing import Callable

from rondo.option_words import CannotRewrite

_SHELLS = frozenset("sh bash dash ash ksh mksh zsh".split())
_KEYWORDS = frozenset(
    "if then else elif fi for while until do done case esac function { } !".split()
)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_TOKEN = re.compile(
    r"""(?P<blank>(?:[ \t]|\\\n)+)
    |(?P<operator>&&|\|\||;|\||&(?!>)|\n)
    |(?P<redirection>(?:\d*|&)(?:>>|>\||[<>]&?)[ \t]*
        (?:[^\s'"\\|&;<>()`$]|\\.|'[^']*'|\$\w+|"[^"`]*")+)
    |(?P<word>(?:[^\s'"\\|&;<>()`$\#]|(?<=\S)\#|\\.|'[^']*'|"(?:[^"\\`]|\\.)*"|\$(?!\())+)""",
    re.VERBOSE | re.DOTALL,
)
_QUOTED = re.compile(r"""\\.|'[^']*'|"(?:[^"\\]|\\.)*\"""", re.DOTALL)

Rewrite = Callable[[Sequence[str]], list[str]]


class NotALauncher(CannotRewrite):
    """The command is not a launcher and does not start one."""


class _Word(str):
    """A word as the shell understands it, with its original spelling."""

    raw: str

    @property
    def may_be_several(self) -> bool:
        """Whether the shell may expand it to any number of words."""
        return "$" in _QUOTED.sub("", self.raw)


def script_at(words: Sequence[str]) -> int | None:
    """The index of the script in a command such as bash -lc SCRIPT; None without a shell."""
    if PurePath(words[0]).name not in _SHELLS:
        return None
    takes_script = False
    at = 1
    while at < len(words) and words[at][:1] in ("-", "+"):
        is_long = words[at].startswith("--")
        takes_script = takes_script or (not is_long and "c" in words[at])
        at += 2 if not is_long and words[at].endswith(("o", "O")) else 1
    if at < len(words) and takes_script:
        return at
    script = words[at] if at < len(words) else "its script"
    raise CannotRewrite(
        f"rondo run cannot rewrite {script}, which {words[0]} executes: "
        "put `rondo-exec` before your program there"
    )


def rewritten(script: str, rewrite: Rewrite, several: bool) -> str:
    """The script with every command rewritten, except those that raise NotALauncher.

    Without `several` the script must be one command.
    """
    commands = _commands(script)
    if len(commands) > 1 and not several:
        raise CannotRewrite(
            f"rondo run does not know which command of {script!r} is your program: "
            "put `rondo-exec` before your program there"
        )
    out = ""
    found = False
    for command, end in commands:
        try:
            out += _rewritten_command(command, rewrite)
            found = True
        except NotALauncher:
            out += _text(command)
        out += end
    if not found:
        raise NotALauncher(
            f"rondo run found no launcher in {script!r}: put `rondo-exec` before your program there"
        )
    return out


def _commands(script: str) -> list[tuple[list[str], str]]:
    """The words of each command, and the operator after it."""
    commands: list[tuple[list[str], str]] = []
    words: list[str] = []
    at = 0
    while at < len(script):
        token = _TOKEN.match(script, at)
        if token is None or (not words and token.group() in _KEYWORDS):
            raise CannotRewrite(
                f"rondo run does not understand {script[at:]!r} in a script: "
                "put `rondo-exec` before your program there"
            )
        at = token.end()
        if token.lastgroup == "operator":
            commands.append((words, f" {token.group()} "))
            words = []
        elif token.lastgroup != "blank":
            words.append(_word(token))
    return [*commands, (words, "")] if words else commands


def _word(token: re.Match[str]) -> _Word:
    is_word = token.lastgroup == "word"
    word = _Word("".join(shlex.split(token.group())) if is_word else token.group())
    word.raw = token.group()
    return word


def _rewritten_command(words: list[str], rewrite: Rewrite) -> str:
    start = next((at for at, word in enumerate(words) if not _ASSIGNMENT.match(word)), None)
    if start is None:
        raise NotALauncher("there is no command")
    made = rewrite(words[start:])
    for at, word in enumerate(made[1:]):
        if not isinstance(word, _Word) or isinstance(made[at], _Word):
            continue
        # Such a program may expand to options or to nothing.
        if word.may_be_several or re.match(r"[\d&]*[<>]", word.raw):
            raise CannotRewrite(
                f"rondo run does not know what {word.raw} expands to: "
                "put `rondo-exec` before your program"
            )
    return _text([*words[:start], *made])


def _text(words: Sequence[str]) -> str:
    return " ".join(word.raw if isinstance(word, _Word) else shlex.quote(word) for word in words)
