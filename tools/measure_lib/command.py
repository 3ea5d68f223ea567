"""The command line: measures, and writes the file and the page."""

from __future__ import annotations

import argparse
import dataclasses
import json
import shlex
import sys
from pathlib import Path

from measure_lib import applications, choosing, limit, speed, whole_programs
from measure_lib.ranks import Ranks, program
from measure_lib.sections import left_out, sections
from measure_lib.store import Store
from measure_lib.tasks import NotMeasured, Part, carry_out
from rondo.commands.report import own_launch
from rondo.commands.tune import seconds_of
from rondo.report.clock import Clock
from rondo.report.findings import Findings, find
from rondo.report.launch import launch_of
from rondo.report.measure import Measuring, Plan
from rondo.report.page import page
from rondo.report.start import LaunchFailed, find_ranks
from rondo.report.state import State, key_of, write_whole
from rondo.report.topology import as_json

_LEAST_SECONDS = 20
_REPORT_SHARE = 0.35  # of the budget: tuning, and all algorithms against each other
_REPORT_LEAST_SECONDS = 15.0  # without which there is no page
_PARTS = ("speed", "limit", "regret", "applications", "programs")
_WRONG = 2
_INTERRUPTED = 130


class Lines:
    """Tells on standard error what is being done."""

    def __init__(self) -> None:
        self._last = ""

    def doing(self, what: str) -> None:
        if what != self._last:
            self._last = what
            self.say(what)

    def tick(self) -> None:
        pass

    @staticmethod
    def say(text: str) -> None:
        print(f"measure: {text}", file=sys.stderr, flush=True)


def main(description: str) -> int:
    options = _options(description)
    try:
        return _run(options)
    except LaunchFailed as error:
        print("\n".join(error.said), file=sys.stderr)
        Lines.say(str(error))
    except (NotMeasured, LookupError, OSError, ValueError) as error:
        Lines.say(str(error))
    except KeyboardInterrupt:
        Lines.say("stopped; the same command continues from here")
        return _INTERRUPTED
    return _WRONG


def _options(description: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--budget", default="10m", help="of time, as in 90s, 10m or 2h")
    parser.add_argument("--output", type=Path, default=Path("measured"), help="a folder")
    parser.add_argument("--only", choices=_PARTS, action="append", help="besides the report")
    parser.add_argument("--fresh", action="store_true", help="discard earlier measurements")
    parser.add_argument("launch", nargs="*", metavar="LAUNCHER", help="starts ranks")
    return parser.parse_args()


def _run(options: argparse.Namespace) -> int:
    voice = Lines()
    clock = Clock(seconds_of(options.budget, _LEAST_SECONDS))
    launch = launch_of(options.launch or own_launch())
    bench, tune = (program(name) for name in ("rondo-bench", "rondo-tune"))
    folder = options.output.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    topology, has_environment = find_ranks(launch, clock, voice)
    plan = Plan(launch, topology, bench, tune, has_environment)
    key = key_of(launch.words, topology, bench)
    store = Store(folder / "measure.json", key, clock, options.fresh)
    state = State(folder / "report", key, options.fresh)
    found = _report(plan, state, clock, voice)
    ranks = Ranks(plan, state.profile_path, voice)
    wanted = options.only or _PARTS
    carry_out([one for one in _parts(ranks, folder) if one.name in wanted], store, clock, voice)
    store.about = {
        "command": shlex.join(launch.words),
        "date": found.date.isoformat(),
        "machine": as_json(topology),
        "report": json.loads(state.path.read_text(encoding="utf-8")),
    }
    store.write()
    write_whole(folder / "measure.html", _page(found, ranks, store))
    print(f"wrote {folder / 'measure.json'} and {folder / 'measure.html'}")
    if store.left_out:
        print(f"{len(store.left_out)} tasks were left out; the page says why.")
    return 0


def _report(plan: Plan, state: State, clock: Clock, voice: Lines) -> Findings:
    """What `rondo report` measures and tells."""
    seconds = max(_REPORT_SHARE * clock.budget, min(_REPORT_LEAST_SECONDS, clock.budget))
    own = Clock(seconds, state.spent_seconds)
    Measuring(plan, state, own, voice).run()
    return find(plan, state, own, voice)


def _parts(ranks: Ranks, folder: Path) -> list[Part]:
    simple = [one.part(ranks) for one in (speed, limit, choosing, applications)]
    return [*simple, whole_programs.part(folder)]


def _page(found: Findings, ranks: Ranks, store: Store) -> str:
    every = [*found.left_out, *left_out(store.left_out)]
    return page(dataclasses.replace(found, left_out=every), sections(ranks, store.results))
