"""Command lines of scripts that run rows, and outcomes of rows: passed, failed or skipped."""

import argparse
import re
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from pathlib import Path

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"
STATUS_FAILED = 1
STATUS_SKIPPED = 77  # as for ctest: nothing could be run


class Skip(Exception):
    """The row cannot run here; the text says why."""


class Failure(Exception):
    """The row failed; the text says why and ends with its output."""


def parse_builds(description):
    """The command line of a script that examines builds of Rondo."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("builds", metavar="BUILD", nargs="+", type=Path)
    parser.add_argument("--folder", type=Path, required=True, help="for what is fetched and made")
    return parser


def parse(description, rows, **numbers):
    """As parse_builds(), for a script that runs rows. `numbers` are options of its own: (default,
    meaning) by name."""
    parser = parse_builds(description)
    parser.add_argument(
        "--only", metavar="REGEX", default="", help=f"the {rows} in whose names this is found"
    )
    parser.add_argument("--list", action="store_true", help="print the names; run nothing")
    for name, (default, meaning) in numbers.items():
        option = f"--{name.replace('_', '-')}"
        said = f"{meaning} (default %(default)s)"
        parser.add_argument(option, type=type(default), default=default, help=said)
    # Exits by an exception, so that ranks are ended and a cluster is taken down.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    return parser


def chosen(names, options):
    """The names that --only selects. With --list, prints them and exits."""
    found = [name for name in names if re.search(options.only, name)]
    if options.list or not found:
        print("\n".join(found or names))
        sys.exit(0 if found else f"{options.only!r} is in none of these names")
    return found


@dataclass(frozen=True)
class Row:
    """One program under one MPI. `check` runs it and returns a line on what Rondo carried out."""

    name: str
    check: Callable[[], str]


def rows_of(title, check, *choices):
    """A row for each combination of the choices, which is in its title and is given to `check`."""
    return [Row(title.format(*one), partial(check, *one)) for one in product(*choices)]


@dataclass
class Results:
    counts: Counter = field(default_factory=Counter)
    failed: list[str] = field(default_factory=list)

    def run(self, row: Row) -> str:
        """Run a row and print its outcome at once."""
        began = time.monotonic()
        outcome, text = _outcome(row)
        self.counts[outcome] += 1
        if outcome == FAILED:
            self.failed.append(row.name)
        print(f"{outcome}  {row.name}: {text} [{time.monotonic() - began:.1f} s]", flush=True)
        return outcome

    def summary(self) -> str:
        lines = [f"failed: {name}" for name in self.failed]
        totals = ", ".join(f"{self.counts[one]} {one}" for one in (PASSED, FAILED, SKIPPED))
        return "\n".join([*lines, totals])

    def status(self) -> int:
        if self.counts[FAILED]:
            return STATUS_FAILED
        return 0 if self.counts[PASSED] else STATUS_SKIPPED


def _outcome(row: Row) -> tuple[str, str]:
    try:
        return PASSED, row.check()
    except Skip as reason:
        return SKIPPED, str(reason)
    except (Failure, OSError) as error:
        return FAILED, str(error)
