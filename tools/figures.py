#!/usr/bin/env python3
"""Draw the figures of the documents into docs/figures, with the Python package of this tree.

figures.py [--tree TREE]

The package is built without MPI, in an environment of its own, TREE/figures, which is kept.
"""

import argparse
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
FOLDER = SOURCE / "docs/figures"
# What `rondo show` is asked for, by the name of the file.
FIGURES = {
    "two_phase_bruck.svg": ["two_phase_bruck", "-n", "8"],
    "node_aware.svg": ["node_aware", "-n", "8", "--nodes", "2"],
}


def run(*command):
    subprocess.run(list(map(str, command)), check=True)


def make_environment(folder, *settings):
    """The folder of its programs; `settings` are of the package's build."""
    python = folder / "bin/python"
    if not python.exists():
        run(sys.executable, "-m", "venv", folder)
    options = [f"--config-settings={one}" for one in (f"build-dir={folder / 'build'}", *settings)]
    run(python, "-m", "pip", "install", "-q", *options, SOURCE)
    return python.parent


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tree", type=Path, default=SOURCE / "build")
    folder = parser.parse_args().tree.resolve() / "figures"
    programs = make_environment(folder, "cmake.define.RONDO_MPI=OFF")
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, arguments in FIGURES.items():
        path = FOLDER / name
        run(programs / "rondo", "show", *arguments, "--format", path.suffix[1:], "--output", path)
        print(path.relative_to(SOURCE))


if __name__ == "__main__":
    main()
