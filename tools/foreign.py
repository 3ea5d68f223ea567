"""Packages of Debian, also for other processors, unpacked into folders. The system's own packages,
and what it knows of other architectures, stay as they are."""

import os
import shutil
import subprocess
from pathlib import Path

SECONDS = 1800
LINES_SHOWN = 5


class Missing(Exception):
    """Something that cannot be had here; the text says why."""


def succeed(*command, reason):
    """Run a command. If it fails, what it makes is missing."""
    try:
        done = subprocess.run(
            [str(word) for word in command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Missing(f"{reason}: {error}") from error
    if done.returncode != 0:
        last = " / ".join(done.stdout.strip().splitlines()[-LINES_SHOWN:])
        raise Missing(f"{reason}: {last}")


def keep_links_inside(root):
    """Links to absolute paths lead out of the folder, also to what it has itself."""
    for folder, folders, files in os.walk(root):
        for link in (Path(folder) / name for name in folders + files):
            target = link.readlink() if link.is_symlink() else Path()
            inside = root / target.relative_to("/") if target.is_absolute() else None
            if inside is not None and inside.exists():
                link.unlink()
                link.symlink_to(os.path.relpath(inside, link.parent))


def unpack(folder, packages, options, left_out=()):
    """Fetch packages with all that they need, and unpack them into folder/root, once.

    apt-get gets `options` beside lists and a cache of its own. Packages whose names begin with one
    of `left_out` are not unpacked.
    """
    root = folder / "root"
    complete = folder / "complete"
    wanted = " ".join(packages)
    if complete.exists() and complete.read_text(encoding="utf-8") == wanted:
        return root
    shutil.rmtree(folder, ignore_errors=True)
    for place in ("state/lists/partial", "cache/archives/partial"):
        (folder / place).mkdir(parents=True)
    # As systems are today, whether or not their packages know.
    for name in ("bin", "lib", "lib64", "sbin"):
        (root / "usr" / name).mkdir(parents=True)
        (root / name).symlink_to(f"usr/{name}")
    own = {"Dir::State": folder / "state", "Dir::Cache": folder / "cache", "Debug::NoLocking": 1}
    apt = ["apt-get", *(f"-o{name}={value}" for name, value in {**own, **options}.items())]
    reason = f"cannot fetch {wanted}"
    succeed(*apt, "update", reason=reason)
    succeed(
        *(*apt, "install", "--yes", "--no-install-recommends", "--download-only", *packages),
        reason=reason,
    )
    for archive in sorted((folder / "cache/archives").glob("*.deb")):
        if not archive.name.startswith(left_out):
            succeed("dpkg", "-x", archive, root, reason=f"cannot unpack {archive.name}")
    keep_links_inside(root)
    shutil.rmtree(folder / "cache")
    complete.write_text(wanted, encoding="utf-8")
    return root


def unpack_for(architecture, release, folder, packages):
    """Unpack packages for an architecture, from a release of Debian, as a whole system has them."""
    folder.mkdir(parents=True, exist_ok=True)
    sources = folder / "sources.list"
    sources.write_text(f"deb http://deb.debian.org/debian {release} main\n", encoding="utf-8")
    nothing = folder / "installed"
    nothing.touch()
    options = {
        "APT::Architecture": architecture,
        "APT::Architectures::": architecture,
        "Dir::State::status": nothing,
        "Dir::Etc::sourcelist": sources,
        "Dir::Etc::sourceparts": "-",
    }
    return unpack(folder / "system", packages, options)


def program(name, package, folder):
    """A program of this system, which is unpacked below `folder` if it is not installed."""
    found = shutil.which(name)
    if found:
        return Path(found)
    # The C library in a compiler's own packages names its files by absolute paths.
    root = unpack(
        folder / package,
        [package],
        {"Dir::State::status": "/var/lib/dpkg/status"},
        left_out=("libc6-", "linux-libc-"),
    )
    unpacked = root / "usr/bin" / name
    if not unpacked.exists():
        raise Missing(f"{package} has no {name}")
    return unpacked


def libraries_of(compiler):
    """The folders where an unpacked compiler's own programs find their libraries."""
    return [folder for folder in compiler.parents[1].glob("lib/*-linux-gnu") if folder.is_dir()]
