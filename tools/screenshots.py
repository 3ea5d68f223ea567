#!/usr/bin/env python3
"""Take the screenshots of the documents into docs/figures: of `rondo show` and of `rondo report`.

Each is taken four times, on a wide window and on a phone, in light and in dark colours, as
NAME.png, NAME_dark.png, NAME_phone.png and NAME_phone_dark.png.

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

MARGIN = 8  # above and below the parts


class Shot(NamedTuple):
    """What is seen of a page."""

    page: str  # behind # is a round
    parts: str  # a selector; all that it selects is seen, over the whole width


SHOTS = {
    "report": Shot("report.html", "header, #short"),
    "region_map": Shot("report.html", "#regions"),
    "node_aware": Shot("node_aware.html#1", "header, .step, #stage"),
}
PAGES = {
    "node_aware.html": ["show", "node_aware", "-n", "8", "--nodes", "2", "--format", "html"],
}
# About as wide as the text of the site on a desktop and on a phone, and higher than the parts.
WINDOWS = {"": {"width": 700, "height": 1300}, "_phone": {"width": 390, "height": 1600}}
SCHEMES = {"": "light", "_dark": "dark"}
SHARP = 1.5  # pixels of the image for one of the page


def take(tab, shot, path):
    """The picture of a shot, of the page as it is open."""
    top, bottom = tab.value(
        f"(() => {{ const all = [...document.querySelectorAll({shot.parts!r})]"
        ".map((part) => part.getBoundingClientRect());"
        " return [Math.min(...all.map((box) => box.top)) + scrollY,"
        " Math.max(...all.map((box) => box.bottom)) + scrollY] })()"
    )
    top = max(top - MARGIN, 0)
    width = tab.value("innerWidth")
    clip = {"x": 0, "y": top, "width": width, "height": bottom + MARGIN - top, "scale": SHARP}
    view = {"clip": clip, "captureBeyondViewport": True}
    got = tab.send("Page.captureScreenshot", format="png", **view)
    path.write_bytes(base64.b64decode(got["data"]))


def take_all(tab, folder):
    for name, shot in SHOTS.items():
        page, _, place = shot.page.partition("#")
        for size, window in WINDOWS.items():
            for shade, scheme in SCHEMES.items():
                url = (folder / page).as_uri() + (f"#{place}" if place else "")
                tab.open(url, **window, prefers_color_scheme=scheme)
                path = FOLDER / f"{name}{size}{shade}.png"
                take(tab, shot, path)
                print(path.relative_to(SOURCE))


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
        take_all(tab, folder)


if __name__ == "__main__":
    main()
