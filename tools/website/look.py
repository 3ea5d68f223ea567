#!/usr/bin/env python3
"""Open pages of the built site in Chromium, on a desktop and a phone, in light and dark.

look.py [--site build/site] [--output FOLDER] [PAGE...]

Fails if a page throws an error or is wider than the window. With --output it leaves a picture of
each view there.
"""

import argparse
import functools
import http.server
import sys
import tempfile
import threading
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests/python"))

import browser  # noqa: E402

PAGES = """. start programs slurm libraries library tuning install issues gpu apps algorithms
    algorithms/node_aware
    algorithms/two_phase_bruck algorithms/nccl_bruck inside words results results/node
    results/learning results/simulation measuring comparison faq errors faults contributing
    reference/c reference/c/exchanges reference/c/plans reference/cpp reference/fortran
    reference/python reference/nccl reference/rondo reference/programs""".split()
SIZES = {
    "desktop": {"width": 1280, "height": 900},
    "phone": {"width": 360, "height": 740, "is_phone": True},
}
TOO_WIDE = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def serve(site):
    """The address of a server of that folder, which ends with the program."""
    handler = functools.partial(Quiet, directory=str(site))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def look(tab, address, page, output):
    """What is wrong with a page, in all views."""
    for size, window in SIZES.items():
        for scheme in ("light", "dark"):
            tab.open(f"{address}/{page}/", prefers_color_scheme=scheme, **window)
            view = f"{page} on a {size}, {scheme}"
            if tab.failures():
                yield f"{view}: a script failed"
            if tab.value(TOO_WIDE):
                yield f"{view}: wider than the window"
            if output is not None:
                name = page.replace("/", "-").replace(".", "index")
                tab.screenshot(output / f"{name}-{size}-{scheme}.png")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--site", type=Path, default=SOURCE / "build/site")
    parser.add_argument("--output", type=Path)
    parser.add_argument("pages", nargs="*", default=PAGES, metavar="PAGE")
    options = parser.parse_args()
    program = browser.find()
    if program is None:
        sys.exit("there is no Chromium")
    if options.output is not None:
        options.output.mkdir(parents=True, exist_ok=True)
    address = serve(options.site)
    with tempfile.TemporaryDirectory() as profile, browser.Browser(program, profile) as tab:
        faults = [one for page in options.pages for one in look(tab, address, page, options.output)]
    if faults:
        sys.exit("\n".join(faults))
    print(f"{len(options.pages)} pages fit")


if __name__ == "__main__":
    main()
