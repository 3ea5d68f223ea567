"""The contents of Rondo's documents: code by language, and commands of the shell."""

import re
import shlex
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
_OUTSIDE = "README CONTRIBUTING SECURITY CODE_OF_CONDUCT python/README"
DOCUMENTS = sorted(
    [SOURCE / f"{name}.md" for name in _OUTSIDE.split()] + list((SOURCE / "docs").rglob("*.md"))
)
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
_INDENTED = re.compile(r"(?:(?<=\n\n)|\A)(?:    .*\n)+")
_INLINE = re.compile(r"`((?:make|rondo|rondo-[a-z-]+|tools/\w+|python3) [^`\n]+)`")
_SEPARATORS = frozenset(("&&", "||", ";", "|", "&", "\n"))


def blocks(document, language=None):
    """The fenced blocks of a document: all (language, text), or the texts of one language."""
    found = _FENCE.findall(document.read_text(encoding="utf-8"))
    return found if language is None else [text for name, text in found if name == language]


def commands(document):
    """The words of every simple command in the document's indented blocks and inline code."""
    text = _FENCE.sub("", document.read_text(encoding="utf-8"))
    scripts = [re.sub(r"^    ", "", block, flags=re.M) for block in _INDENTED.findall(text)]
    for script in scripts + [re.sub(r"[][]", "", words) for words in _INLINE.findall(text)]:
        yield from _simple_commands(script)


def _simple_commands(script):
    script = re.sub(r"\$\([^)]*\)", "SUBSTITUTED", script.replace("\\\n", " "))
    for line in script.splitlines():
        lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        command = []
        for word in [*lexer, ";"]:
            if word not in _SEPARATORS:
                command.append(word)
                continue
            if command[:1] == ["do"]:
                del command[0]
            if command and command[0] not in ("for", "done"):
                yield command
            command = []
