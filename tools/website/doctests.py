"""Sessions in docstrings (`>>> ...`) as code, which mkdocstrings would take for text."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object

_SESSION = re.compile(r"(?:(?<=\n\n)|\A)(?:>>> .*\n?)(?:.+\n?)*", re.M)


def fenced(docstring: str) -> str:
    """The docstring with a fence around each session."""
    return _SESSION.sub(lambda match: f"```pycon\n{match[0].rstrip()}\n```\n", docstring)


class Doctests(Extension):
    def on_instance(self, *, obj: Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)
