#!/usr/bin/env python3
"""Build the site of the documents into TREE/site, and fail on any warning or broken link.

build.py [--tree TREE]

MkDocs and the Python package of this tree are installed in an environment of their own, TREE/website,
which is kept.
"""

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

import links  # noqa: E402
from figures import SOURCE, make_environment  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tree", type=Path, default=SOURCE / "build")
    tree = parser.parse_args().tree.resolve()
    python = make_environment(tree / "website", "-r", HERE / "requirements.txt") / "python"
    site = tree / "site"
    command = [python, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", site]
    if subprocess.run(command, cwd=SOURCE, check=False).returncode != 0:
        sys.exit("the site was not built")
    faults = list(links.faults(site))
    if faults:
        sys.exit("\n".join([*faults, f"{len(faults)} broken links"]))
    print(site / "index.html")


if __name__ == "__main__":
    main()
