#!/usr/bin/env python3
"""Unpack what `make measure-archive` has made into a clean folder; measure there without network.

measure_archive_test.py --dist DIST

Skipped where there is no archive, and where this process may not make a network of its own.
"""

import argparse
import json
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from calling import SKIPPED, Failures, run

MOST_BYTES = 60_000_000
BUDGETS = ("20s", "60s", "180s")  # the longer ones for a busy machine
TOO_SMALL = "was over before any algorithm was measured"
SECONDS = 300
HERE = Path(__file__).resolve().parent


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def without_network(*command):
    return ["unshare", "-n", sys.executable, HERE / "loopback_only.py", *command]


def unpacked(archive, folder):
    with tarfile.open(archive) as tar:
        tar.extractall(folder)  # noqa: S202
    (tree,) = Path(folder).iterdir()
    return tree


def measured(tree, failures):
    """What the file says after a run within a budget."""
    kept = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(tree.parent), "LC_ALL": "C.UTF-8"}
    words = without_network(str(tree / "measure"), "--output", "measured", "--budget")
    for budget in BUDGETS:
        done = run(*words, budget, timeout=SECONDS, cwd=tree.parent, env=kept)
        if TOO_SMALL not in done.stderr:
            break
    failures.expect(done.returncode == 0, "it did not end well", done)
    file = tree.parent / "measured/measure.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else None


def check(archive, folder, failures):
    size = archive.stat().st_size
    failures.expect(size < MOST_BYTES, f"{archive.name} has {size} bytes")
    tree = unpacked(archive, folder)
    first = measured(tree, failures)
    failures.expect(first is not None, "it wrote no measure.json")
    if first is None:
        return
    page = (tree.parent / "measured/measure.html").read_text(encoding="utf-8")
    failures.expect("Who is the fastest where" in page, "the page has no regions")
    failures.expect(' src="' not in page, "the page needs another file")
    failures.expect(first["report"]["cases"], "no algorithm was measured")
    failures.expect(first["left_out"], "everything fits into so small a budget")
    failures.expect("the budget was over" in page, "the page does not say what was left out")
    again = measured(tree, failures)
    kept = first["results"].items() <= again["results"].items()
    failures.expect(kept, "it measured again what it had")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dist", type=Path, required=True)
    archives = list(parser.parse_args().dist.glob("rondo-measure-*.tar.gz"))
    if not archives:
        skip("there is no archive; `make measure-archive` makes it")
    try:
        tried = subprocess.run(without_network("true"), capture_output=True, check=False)
    except OSError as error:
        skip(str(error))
    if tried.returncode != 0:
        skip("this process may not make a network of its own; root may")
    failures = Failures()
    with tempfile.TemporaryDirectory(prefix="rondo-measure-") as folder:
        check(archives[0], folder, failures)
    return failures.status()


if __name__ == "__main__":
    sys.exit(main())
