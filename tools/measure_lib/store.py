"""What was measured so far, in the file that is also the result; written after every change."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rondo.report.clock import Clock
from rondo.report.state import CannotKeep, write_whole

_VERSION = 1


class Store:
    """The results by title of task, and why other tasks have none.

    Measurements of another command or machine, which `key` tells, are discarded.
    """

    def __init__(self, path: Path, key: str, clock: Clock, is_fresh: bool = False) -> None:
        self.results: dict[str, Any] = {}
        self.left_out: dict[str, str] = {}
        self.about: dict[str, Any] = {}  # the machine, and the report's measurements
        self._path = path
        self._key = key
        self._clock = clock
        if not is_fresh:
            self._read()

    def add(self, title: str, result: Any) -> None:
        self.results[title] = result
        self.left_out.pop(title, None)
        self.write()

    def leave_out(self, title: str, why: str) -> None:
        self.left_out[title] = why
        self.write()

    def write(self) -> None:
        content = {
            "version": _VERSION,
            "key": self._key,
            "spent_seconds": round(self._clock.spent, 1),
            **self.about,
            "left_out": self.left_out,
            "results": self.results,
        }
        write_whole(self._path, json.dumps(content, separators=(",", ":")) + "\n")

    def _read(self) -> None:
        try:
            content = json.loads(self._path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return
        except (OSError, ValueError) as error:
            raise CannotKeep(f"cannot read {self._path}: {error}; --fresh discards it") from error
        if (content.get("version"), content.get("key")) != (_VERSION, self._key):
            return
        self._clock.add(content["spent_seconds"])
        self.results = content["results"]
        self.left_out = content["left_out"]
