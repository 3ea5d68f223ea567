"""Docstrings as the site shows them: complete (rondo/_described.py), and with sessions as code.

mkdocstrings would take a session (`>>> ...`) for text.
"""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Function, Object

from rondo._described import docstring

_SESSION = re.compile(r"(?:(?<=\n\n)|\A)(?:>>> .*\n?)(?:.+\n?)*", re.M)


def fenced(text: str) -> str:
    """The docstring with a fence around each session."""
    return _SESSION.sub(lambda match: f"```pycon\n{match[0].rstrip()}\n```\n", text)


def completed(function: Function) -> str:
    """What the decorator `described` makes of the docstring of a function."""
    text = function.docstring.value
    if not any(str(one.value) == "described" for one in function.decorators):
        return text
    parameters = [one.name for one in function.parameters if one.name != "self"]
    return docstring(function.name, parameters, str(function.returns), text)


class Docstrings(Extension):
    def on_instance(self, *, obj: Object, **_: Any) -> None:
        if obj.docstring is not None:
            text = completed(obj) if isinstance(obj, Function) else obj.docstring.value
            obj.docstring.value = fenced(text)
