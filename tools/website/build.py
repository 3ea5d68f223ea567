#!/usr/bin/env python3
"""Build the site of the documents into TREE/site, and fail on any warning or broken link.

build.py [--tree TREE] [--wheel FILE]

MkDocs and the Python package of this tree are installed in an environment of their own,
TREE/website, which is kept. The package is compiled for it, without MPI, unless there is a wheel.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
sys.path.insert(0, str(HERE))

import links  # noqa: E402

# The package draws and counts little here, so it is compiled quickly.
SETTINGS = [
    "cmake.build-type=Quick",
    "cmake.define.CMAKE_CXX_FLAGS=-O0",
    "cmake.define.CMAKE_UNITY_BUILD=ON",
    "cmake.define.RONDO_MPI=OFF",
]


def make_environment(folder, wheel):
    """An environment with the package and what the site is built with; its Python."""
    python = folder / "bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    settings = [f"--config-settings={one}" for one in (f"build-dir={folder / 'build'}", *SETTINGS)]
    package = ["--force-reinstall", wheel] if wheel else [*settings, SOURCE]
    # Python compiles what is imported.
    pip = [python, "-m", "pip", "install", "-q", "--no-compile"]
    subprocess.run([*pip, "-r", HERE / "requirements.txt"], check=True)
    subprocess.run([*pip, "--no-deps", *package], check=True)
    return python


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tree", type=Path, default=SOURCE / "build")
    parser.add_argument("--wheel", type=Path, help="the package of this tree, built already")
    options = parser.parse_args()
    tree = options.tree.resolve()
    python = make_environment(tree / "website", options.wheel)
    site = tree / "site"
    # With --quiet, --strict would not see the warnings.
    command = [python, "-m", "mkdocs", "build", "--strict", "--site-dir", site]
    environment = {
        **os.environ,
        "NO_MKDOCS_2_WARNING": "1",
    }  # what MkDocs will be is not our concern
    if subprocess.run(command, cwd=SOURCE, env=environment, check=False).returncode != 0:
        sys.exit("the site was not built")
    faults = list(links.faults(site))
    if faults:
        sys.exit("\n".join([*faults, f"{len(faults)} broken links"]))
    print(site / "index.html")


if __name__ == "__main__":
    main()
