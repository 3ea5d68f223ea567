#!/usr/bin/env python3
"""Take the screenshots of the documents into docs/figures: of `rondo show` and of `rondo report`.

screenshots.py [--tree TREE] [--ranks P] [--budget TIME]

It needs MPI and Chromium (Debian: chromium). The package is built in an environment of its own,
TREE/screenshots, which is kept. So are the measurements of the report, in its folder `state`: the
machine should be quiet when they are taken; remove that folder to take them again.
"""

import argparse
import base64
import os
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from figures import FOLDER, SOURCE, make_environment, run

sys.path.append(str(SOURCE / "tests/python"))

import browser  # noqa: E402

MARGIN = 24  # around a part
PHONE = {"width": 360, "height": 740, "is_phone": True}


class Shot(NamedTuple):
    """What is seen of a page."""

    page: str
    view: dict = {}  # of Browser.open
    part: str = ""  # a selector; all that the window shows if empty


# Each file, and the page that it is of; behind # is a round or a section.
SHOTS = {
    "report.png": Shot("report.html", {"height": 1000}),
    "report_phone.png": Shot("report.html#regions", {**PHONE, "prefers_color_scheme": "dark"}),
    "region_map.png": Shot("report.html", part="#regions"),
    "two_phase_bruck.png": Shot("two_phase_bruck.html#2"),
    "node_aware.png": Shot("node_aware.html#1"),
}
PAGES = {
    "two_phase_bruck.html": ["show", "two_phase_bruck", "-n", "8", "--format", "html"],
    "node_aware.html": ["show", "node_aware", "-n", "8", "--nodes", "2", "--format", "html"],
}


def take(tab, shot, folder, path):
    name, _, place = shot.page.partition("#")
    tab.open((folder / name).as_uri() + (f"#{place}" if place else ""), **shot.view)
    clip = {}
    if shot.part:
        box = tab.value(
            f"(() => {{ const b = document.querySelector({shot.part!r}).getBoundingClientRect();"
            f" return [b.x - {MARGIN}, b.y + scrollY - {MARGIN},"
            f" b.width + {2 * MARGIN}, b.height + {2 * MARGIN}] }})()"
        )
        clip["clip"] = dict(zip(("x", "y", "width", "height"), box), scale=1)
        clip["captureBeyondViewport"] = True
    got = tab.send("Page.captureScreenshot", format="png", **clip)
    path.write_bytes(base64.b64decode(got["data"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tree", type=Path, default=SOURCE / "build")
    parser.add_argument("--ranks", default="8", help="of the report (default: %(default)s)")
    parser.add_argument("--budget", default="3m", help="of the report (default: %(default)s)")
    options = parser.parse_args()
    program = browser.find() or sys.exit(f"there is no browser: none of {', '.join(browser.NAMES)}")
    folder = options.tree.resolve() / "screenshots"
    programs = make_environment(folder, "cmake.define.RONDO_APPS=OFF")
    for name, arguments in PAGES.items():
        run(programs / "rondo", *arguments, "--output", folder / name)
    files = ["--output", folder / "report.html", "--state", folder / "state"]
    # On PATH, because the page shows the command.
    os.environ["PATH"] = f"{programs}{os.pathsep}{os.environ['PATH']}"
    launch = ["--", "rondo-mpirun", "-n", options.ranks]
    run(programs / "rondo", "report", "--budget", options.budget, *files, *launch)
    with tempfile.TemporaryDirectory() as profile, browser.Browser(program, profile) as tab:
        tab.send("Emulation.setScrollbarsHidden", hidden=True)
        for name, shot in SHOTS.items():
            take(tab, shot, folder, FOLDER / name)
            print((FOLDER / name).relative_to(SOURCE))


if __name__ == "__main__":
    main()
