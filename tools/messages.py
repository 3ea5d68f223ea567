#!/usr/bin/env python3
"""List the messages that users can see: the sentences in string literals of the sources.

    tools/messages.py [--missing] [ROOM...]

ROOM is a folder, as in src/dropin; without any, all rooms are listed. --missing lists only what
docs/errors.md lacks. A message that is put together from parts has an ellipsis where names and
numbers stand, as docs/errors.md has. A literal of fewer than three words is no sentence.
"""

import argparse
import ast
import re
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1]
PAGE = SOURCE / "docs/errors.md"
ROOMS = (
    *"api base buffers choice communicator dropin exchange group segment select gpu watch".split(),
    *"bench apps support python".split(),
)
# The rooms of librondo and of the drop-in, whose messages docs/errors.md has without exception.
LIBRARY = tuple(f"src/{name}" for name in ROOMS[:10])
LEAST_WORDS = 3
# Sentences that report no fault, and files of such: docs/errors.md need not have them.
NO_MESSAGES = {
    "src/base/exit_status.hpp": "the end of --help",
    "src/dropin/component/component.c": "what ompi_info says of the parameters",
    "src/dropin/exec/options.cpp": "the text of --help",
    "src/dropin/judge/main.cpp": "the text of --help",
    "src/dropin/judge/report.cpp": "the report of --ab, in docs/programs.md",
    "src/dropin/judge/verdict.cpp": "the report of --ab, in docs/programs.md",
    "src/communicator/watched.cpp": "a block of --watch, in docs/hangs.md",
    "src/dropin/report/run_time.cpp": "the report of --stats, in docs/programs.md",
    "src/dropin/report/waiting.cpp": "the report of --stats, in docs/programs.md",
    "src/select/decide.cpp": "reasons that RONDO_VERBOSE=1 and `rondo explain` print",
    "ranks; calls, bytes and seconds are sums over the ranks": "the report of --stats",
    "learned: faster than": "what RONDO_VERBOSE=1 prints of a choice",
    "learned: from calls of about the same length": "the reason of a profile's band",
    "src/watch/scene.cpp": "a block of --watch, in docs/hangs.md",
    "takes at least half as long again": "what RONDO_VERBOSE=1 prints of a choice",
    "src/select/learned.cpp": "the report of --stats",
    "pairs of calls": "what RONDO_VERBOSE=1 prints of a choice",
    "on a communicator of": "the first line of a count matrix",
    "; row s, column d: bytes that rank s sends to rank d": "the first line of a count matrix",
    "or more, or": "the range of a parameter, in docs/algorithms.md",
}
_COMMENT = re.compile(r'("(?:\\.|[^"\\\n])*")|//[^\n]*|/\*.*?\*/', re.S)
_LITERALS = re.compile(r'"((?:\\.|[^"\\\n])*)"(?:\s*"((?:\\.|[^"\\\n])*)")*')
_LITERAL = re.compile(r'"((?:\\.|[^"\\\n])*)"')
_RAW = re.compile(r'R"(\w*)\(.*?\)\1"', re.S)
_WORD = re.compile(r"(?<!\S)[('\"]?[a-z][a-z'-]+[a-z][).,;:'\"]*(?!\S)|(?<!\S)[a-z]{2}(?!\S)")
_NOT_SAID = re.compile(r"^\s*(?:#include|static_assert).*$", re.M)
# What stands for a value: of fmt, and of printf.
_VALUE = re.compile(r"\{[^{}]*\}|%[-+ #0]*[\d.*]*(?:hh|h|ll|l|z)?[diuxXsfgc]")


def is_sentence(fragment):
    """Whether it is more than a name or a path: words in lower case, with spaces between."""
    return len(_WORD.findall(fragment)) >= LEAST_WORDS


def cleaned(literal):
    """Its parts between values, as they are printed."""
    plain = literal.replace("\\n", " ").replace('\\"', '"').replace("\\\\", "\\")
    plain = plain.replace("`", "")
    plain = re.sub(r"^\s*rondo: ", "", plain)
    return [" ".join(part.split()) for part in _VALUE.split(plain)]


def of_cpp(text):
    """The parts of C++ literals, those that the compiler joins being one."""
    without = _COMMENT.sub(lambda found: found[1] or "", _RAW.sub('""', text))
    without = _NOT_SAID.sub("", without)
    for found in _LITERALS.finditer(without):
        joined = "".join(_LITERAL.findall(found[0]))
        yield from cleaned(joined)


def _parts(node):
    """The literals of an expression; None stands for a value."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.JoinedStr):
        return [part for value in node.values for part in _parts(value)]
    if isinstance(node, ast.BinOp):
        return [*_parts(node.left), *_parts(node.right)]
    if isinstance(node, ast.IfExp):
        return [*_parts(node.body), None, *_parts(node.orelse)]
    return [None]


def of_python(text):
    """The literals of Python's exceptions: what is raised, not docstrings and help."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            for argument in node.exc.args:
                joined = "\0".join("" if one is None else one for one in _parts(argument))
                for part in joined.split("\0"):
                    yield from cleaned(part)


def messages(room):
    """(file, part of a message) for everything that a room says."""
    for path in sorted((SOURCE / room).rglob("*")):
        if path.suffix in (".cpp", ".hpp", ".h", ".c", ".cu"):
            found = of_cpp(path.read_text(encoding="utf-8"))
        elif path.suffix == ".py":
            found = of_python(path.read_text(encoding="utf-8"))
        else:
            continue
        for part in dict.fromkeys(found):
            if is_sentence(part):
                yield path.relative_to(SOURCE), part


def rows():
    """The messages of docs/errors.md, each with its ellipses. A row may have several."""
    page = PAGE.read_text(encoding="utf-8")
    cells = re.findall(r"^\| (`[^|]+`) \|", page, re.M)
    assert len(cells) == page.count("\n| `"), f"{PAGE}: a message has a |, which ends its cell"
    return [one for cell in cells for one in re.findall(r"`([^`]+)`", cell)]


def missing(room):
    """What the page lacks of a room's messages."""
    said = [" ".join(row.split()) for row in rows()]
    for path, part in messages(room):
        is_known = str(path) in NO_MESSAGES or part in NO_MESSAGES
        if not is_known and not any(part.strip(" .,;:()'") in row for row in said):
            yield path, part


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rooms", metavar="ROOM", nargs="*")
    parser.add_argument("--missing", action="store_true", help="only what docs/errors.md lacks")
    options = parser.parse_args()
    every = [f"src/{name}" if (SOURCE / "src" / name).is_dir() else name for name in ROOMS]
    count = 0
    for room in options.rooms or every:
        for path, part in (missing if options.missing else messages)(room):
            print(f"{path}: {part}")
            count += 1
    print(f"{count} parts of messages", file=sys.stderr)


if __name__ == "__main__":
    main()
