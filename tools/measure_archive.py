#!/usr/bin/env python3
"""Make one archive with all that tools/measure needs: dist/rondo-measure-*.tar.gz.

    tools/measure_archive.py [--folder BUILD] [--dist DIST]

DIST has the wheel of `make wheel`. The archive has that, an MPI of PyPI, the Python packages that
the wheel needs, and the scripts. Unpacked, `./measure` makes an environment beside itself, without
network, and measures. The machine needs the Python that the wheel was made for, and nothing else.
"""

import argparse
import platform
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
MPI = "openmpi"
MOST_BYTES = 60_000_000
SCRIPTS = (
    "LICENSE",
    "apps/demo.py",
    "bench/regret_lib/*.py",
    "support/*.py",
    "tests/clients/*.py",
    "tests/clients/*.c",
    "tests/dropin/support.py",
    "tests/support/calling.py",
    "tools/cluster",
    "tools/cluster_lib/*.py",
    "tools/measure",
    "tools/measure_lib/*.py",
    "tools/mpirun",
)
START = """\
#!/bin/sh
# Measures this machine without network; `./measure --help` tells how. The first time it makes an
# environment in the folder venv.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
venv=$here/venv
wanted={version}
if [ ! -e "$venv/complete" ]; then
  for python in "python$wanted" python3 none; do
    if [ "$python" = none ]; then
      echo "measure: the packages in $here/wheels are for Python $wanted, which is not on PATH" >&2
      exit 2
    fi
    says='import sys; print("%d.%d" % sys.version_info[:2])'
    [ "$("$python" -c "$says" 2>/dev/null)" = "$wanted" ] && break
  done
  "$python" -m venv --clear --without-pip "$venv"
  pip=$(echo "$here"/wheels/pip-*.whl)/pip # a wheel of pip can be run as it is
  "$venv/bin/python" "$pip" install -q --no-index --no-cache-dir \\
      --disable-pip-version-check --find-links "$here/wheels" {packages}
  touch "$venv/complete"
fi
PATH=$venv/bin:$PATH
export PATH
exec "$venv/bin/python" "$here/tools/measure" "$@"
"""


def own_wheel(dist):
    found = sorted(dist.glob("rondo-*.whl"))
    if len(found) != 1:
        sys.exit(f"measure-archive: {dist} has {len(found)} wheels; `make wheel` makes one")
    return found[0]


def python_of(wheel):
    """The Python that a wheel is for, as 3.11."""
    found = re.search(r"-cp(\d)(\d+)-", wheel.name)
    if not found:
        sys.exit(f"measure-archive: the name of {wheel.name} names no version of Python")
    return f"{found[1]}.{found[2]}"


def fetch_wheels(wheel, folder):
    """The wheel and what it needs, in their files."""
    folder.mkdir(parents=True)
    command = [sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check"]
    command += ["--only-binary", ":all:", "--python-version", python_of(wheel)]
    done = subprocess.run([*command, "--dest", folder, wheel, MPI, "pip"], check=False)
    if done.returncode != 0:
        sys.exit("measure-archive: pip cannot download what the wheel needs")


def copy_scripts(folder):
    for pattern in SCRIPTS:
        files = sorted(SOURCE.glob(pattern))
        if not files:
            sys.exit(f"measure-archive: there is no {pattern}")
        for file in files:
            target = folder / file.relative_to(SOURCE)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, target)


def write_start(folder, version):
    start = folder / "measure"
    start.write_text(START.format(version=version, packages=f"rondo {MPI}"), encoding="utf-8")
    start.chmod(0o755)


def packed(folder, dist):
    archive = dist / f"{folder.name}.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(folder, folder.name)
    return archive


def make(folder, dist):
    wheel = own_wheel(dist)
    version = wheel.name.split("-")[1]
    tree = folder / f"rondo-measure-{version}-{platform.machine()}"
    shutil.rmtree(folder, ignore_errors=True)
    fetch_wheels(wheel, tree / "wheels")
    copy_scripts(tree)
    write_start(tree, python_of(wheel))
    for old in dist.glob("rondo-measure-*.tar.gz"):
        old.unlink()
    archive = packed(tree, dist)
    size = archive.stat().st_size
    if size > MOST_BYTES:
        sys.exit(f"measure-archive: {archive} has {size} bytes, more than {MOST_BYTES}")
    return archive, size


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, default=SOURCE / "build/measure-archive")
    parser.add_argument("--dist", type=Path, default=SOURCE / "dist")
    options = parser.parse_args()
    archive, size = make(options.folder.resolve(), options.dist.resolve())
    print(f"measure-archive: wrote {archive}, {size / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
