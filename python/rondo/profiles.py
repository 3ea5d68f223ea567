"""Profiles on this machine: where they are, and whether they are valid here.

The library looks in the same places and ignores a profile that is not valid.
"""

import os
from pathlib import Path
from typing import NamedTuple, Optional

from rondo import _core, files, mpi_library
from rondo.select import Profile, parse_profile, signature_here


class NoProfile(ValueError):
    """No profile can be found; the text says why."""


class Place(NamedTuple):
    """The place where the library looks for a profile."""

    path: Path
    is_named: bool  # by RONDO_PROFILE; a missing file is then an error


class InUse(NamedTuple):
    """The profile that `auto` uses on this machine."""

    path: Optional[Path]
    profile: Optional[Profile]
    warning: str  # why the one at `path` is ignored; empty if it is not


def place(family: Optional[str] = None) -> Optional[Place]:
    """Where the library looks first; None without a home folder or without an MPI.

    `family` is the MPI family whose profile is meant; by default that of this environment.
    """
    named = os.environ.get("RONDO_PROFILE", "")
    if named:
        return Place(Path(named), True)
    configuration = os.environ.get("XDG_CONFIG_HOME", "")
    home = os.environ.get("HOME", "")
    if not configuration.startswith("/"):
        configuration = f"{home}/.config" if home else ""
    if not configuration:
        return None
    family = family or mpi_library.family_here()
    return Place(Path(configuration, "rondo", f"{family}.json"), False) if family else None


def read(path: Path) -> Profile:
    """Read a profile. Raises OSError if it cannot be read, ValueError if it is invalid."""
    with files.opened(path) as file:
        return parse_profile(file.read(_core.longest_profile + 1))


def refusal(profile: Profile) -> str:
    """Why a profile is not valid here; empty if it is.

    Without an MPI library only the machine and the version of Rondo are compared.
    """
    library = mpi_library.version_here()
    return profile.refusal(signature_here(profile.signature.mpi if library is None else library))


def in_use() -> InUse:
    """The profile that the library finds."""
    found = place()
    if found is None:
        return InUse(None, None, "")
    try:
        profile = read(found.path)
    except FileNotFoundError as error:
        if not found.is_named:
            return InUse(None, None, "")
        return InUse(found.path, None, str(error.strerror))
    except OSError as error:
        return InUse(found.path, None, str(error.strerror))
    except ValueError as error:
        return InUse(found.path, None, str(error))
    refused = refusal(profile)
    return InUse(found.path, None if refused else profile, refused)


def file_or_default(file: Optional[Path], family: Optional[str] = None) -> Path:
    """`file`, or the place where the library looks. Raises NoProfile if there is none."""
    if file is not None:
        return file
    found = place(family)
    if found is None:
        raise NoProfile(
            "the place of the profile is unknown: give its file, or set RONDO_PROFILE"
            if mpi_library.family_here()
            else "no MPI library is found here, so give the profile's file"
        )
    return found.path
