#!/usr/bin/env python3
"""Draw the documents' figures into docs/figures with the Python package of this tree.

figures.py [--tree TREE]

The package is built without MPI, in its own environment TREE/figures, which later runs reuse. The
papers' figures are simulated at the papers' numbers of ranks, which takes some minutes.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
FOLDER = SOURCE / "docs/figures"
# The arguments of `rondo show`, by the name of the file.
FIGURES = {
    "two_phase_bruck.svg": ["two_phase_bruck", "-n", "8"],
    "node_aware.svg": ["node_aware", "-n", "8", "--nodes", "2"],
}


def run(*command):
    subprocess.run(list(map(str, command)), check=True)


def make_environment(folder, *settings):
    """Create the environment and return the folder of its programs.

    `settings` configure the build of the package.
    """
    python = folder / "bin/python"
    if not python.exists():
        run(sys.executable, "-m", "venv", folder)
    options = [f"--config-settings={one}" for one in (f"build-dir={folder / 'build'}", *settings)]
    run(python, "-m", "pip", "install", "-q", *options, f"{SOURCE}[plot]")
    return python.parent


def draw_schedules(rondo):
    for name, arguments in FIGURES.items():
        path = FOLDER / name
        run(rondo, "show", *arguments, "--format", path.suffix[1:], "--output", path)
        print(path.relative_to(SOURCE))


def draw_papers(rondo):
    """What `rondo reproduce` makes, of which the plots are kept."""
    with tempfile.TemporaryDirectory() as folder:
        run(rondo, "reproduce", "--all", "--output", folder)
        for made in sorted(Path(folder).glob("*.svg")):
            path = Path(shutil.copy(made, FOLDER))
            print(path.relative_to(SOURCE))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tree", type=Path, default=SOURCE / "build")
    folder = parser.parse_args().tree.resolve() / "figures"
    programs = make_environment(folder, "cmake.define.RONDO_MPI=OFF")
    FOLDER.mkdir(parents=True, exist_ok=True)
    draw_schedules(programs / "rondo")
    draw_papers(programs / "rondo")


if __name__ == "__main__":
    main()
