#!/usr/bin/env python3
"""Make the archive of a release from the last commit, its checksum, and recipes that name both.

    tools/dist.py [--url ADDRESS] [--source CHECKOUT] [--into DIST]

DIST gets rondo-source-VERSION.tar.gz, SHA256SUMS and recipes/. The same commit gives the same
bytes. The recipes fetch the archive from the folder ADDRESS; without one, from DIST. What is not
committed would be missing, so it is refused, and so are links that lead out of the checkout.
"""

import argparse
import gzip
import hashlib
import re
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
# What a recipe has for a checkout, and what for an archive.
CHECKOUT = {
    "conda/recipe.yaml": (
        "  path: ../..\n  use_gitignore: true\n",
        "  url: {url}\n  sha256: {sum}\n",
    ),
    "spack/package.py": (
        "    # There is no archive to fetch yet: `spack develop --path CHECKOUT rondo@{version}`.\n"
        '    version("{version}")\n',
        '    url = "{url}"\n\n    version("{version}", sha256="{sum}")\n',
    ),
}


def git(source, *words):
    done = subprocess.run(["git", "-C", source, *words], stdout=subprocess.PIPE, check=False)
    if done.returncode != 0:
        sys.exit(f"dist: failed: git {' '.join(words)}")
    return done.stdout


def version_of(source):
    text = (source / "include/rondo/rondo.h").read_text(encoding="utf-8")
    return ".".join(re.search(rf"_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def require_complete(source):
    if git(source, "status", "--porcelain", "--untracked-files=no"):
        sys.exit("dist: there are changes that are not committed")
    root = source.resolve()
    for name in git(source, "ls-files", "-z").decode().split("\0")[:-1]:
        file = root / name
        if file.is_symlink() and not file.resolve().is_relative_to(root):
            sys.exit(f"dist: {name} is a link out of the checkout, to {file.readlink()}")


def make_archive(source, into, version):
    name = f"rondo-{version}"
    tar = git(source, "archive", "--format=tar", f"--prefix={name}/", "HEAD")
    # Not rondo-VERSION.tar.gz, which `make sdist` makes.
    archive = into / f"rondo-source-{version}.tar.gz"
    # Without a time, the same commit gives the same bytes.
    archive.write_bytes(gzip.compress(tar, mtime=0))
    return archive


def write_recipes(source, into, values):
    for name, (before, after) in CHECKOUT.items():
        text = (source / "packaging" / name).read_text(encoding="utf-8")
        written = before.format(**values)
        if written not in text:
            sys.exit(f"dist: packaging/{name} lacks the lines that name a checkout")
        recipe = into / "recipes" / name
        recipe.parent.mkdir(parents=True, exist_ok=True)
        recipe.write_text(text.replace(written, after.format(**values)), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", help="the folder from which the archive will be fetched")
    parser.add_argument("--source", type=Path, default=SOURCE, help="a checkout")
    parser.add_argument("--into", type=Path, default=SOURCE / "dist")
    options = parser.parse_args()
    require_complete(options.source)
    into = options.into.resolve()
    into.mkdir(parents=True, exist_ok=True)
    version = version_of(options.source)
    archive = make_archive(options.source, into, version)
    checksum = hashlib.sha256(archive.read_bytes()).hexdigest()
    (into / "SHA256SUMS").write_text(f"{checksum}  {archive.name}\n", encoding="utf-8")
    folder = (options.url or into.as_uri()).rstrip("/")
    values = {"url": f"{folder}/{archive.name}", "sum": checksum, "version": version}
    write_recipes(options.source, into, values)
    print(f"dist: wrote {archive}, SHA256 {checksum}, and {into / 'recipes'}")
    print(f"dist: tag it with git tag -a v{version}")


if __name__ == "__main__":
    main()
