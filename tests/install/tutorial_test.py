#!/usr/bin/env python3
"""Run the tutorial with the Python package of the test python_build."""

import argparse
import os
import sys
from pathlib import Path

from calling import SKIPPED, succeed

SOURCE = Path(__file__).resolve().parents[2]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("build", "mpicc"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    options = parser.parse_args()
    python = options.build.resolve() / "python/venv/bin"
    if not (python / "rondo").exists():
        print("skipped: there is no Python package: see the test python_build")
        sys.exit(SKIPPED)
    folders = [python, options.build.resolve() / "bin", options.mpicc.parent]
    path = os.pathsep.join([*map(str, folders), os.environ["PATH"]])
    script = [python / "python", SOURCE / "tools/tutorial.py", "--launcher", "rondo-mpirun"]
    print(succeed(*script, variables={"PATH": path}))


if __name__ == "__main__":
    main()
