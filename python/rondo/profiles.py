"""Profiles on this machine: where they are, and whether they hold here.

The library looks for one in the same places, and passes over one that does not hold.
"""

import os
from pathlib import Path
from typing import NamedTuple, Optional

from rondo import _core
from rondo.select import Profile, parse_profile, signature_here


class NoProfile(ValueError):
    """There is no profile to go by; the text says why."""


class Place(NamedTuple):
    """Where a profile is looked for."""

    path: Path
    is_named: bool  # by RONDO_PROFILE: one that is not there is a mistake


class InUse(NamedTuple):
    """The profile that `auto` goes by on this machine."""

    path: Optional[Path]
    profile: Optional[Profile]
    warning: str  # why the one at `path` is passed over; empty where it is not


def place() -> Optional[Place]:
    """The library's search order; None where there is no home and no MPI to have a profile of."""
    named = os.environ.get("RONDO_PROFILE", "")
    if named:
        return Place(Path(named), True)
    configuration = os.environ.get("XDG_CONFIG_HOME", "")
    home = os.environ.get("HOME", "")
    if not configuration.startswith("/"):
        configuration = f"{home}/.config" if home else ""
    if not configuration or not _core.mpi_family:
        return None
    return Place(Path(configuration, "rondo", f"{_core.mpi_family}.json"), False)


def read(path: Path) -> Profile:
    """Raises OSError where it cannot be read, ValueError where it is no profile."""
    with path.open("rb") as file:
        return parse_profile(file.read(_core.longest_profile + 1))


def mpi_library() -> Optional[str]:
    """What the MPI library of this package says of itself; None where it has none."""
    if not _core.mpi_family:
        return None
    try:
        from rondo import _mpi
    except ImportError:  # built for an MPI that is not on this machine
        return None
    return _mpi.library_version()


def refusal(profile: Profile) -> str:
    """Why a profile does not hold here; empty where it does.

    Where this package has no MPI library, only the machine and the version of Rondo are compared.
    """
    library = mpi_library()
    return profile.refusal(signature_here(profile.signature.mpi if library is None else library))


def in_use() -> InUse:
    """As the library finds it."""
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


def file_or_default(file: Optional[Path]) -> Path:
    """`file`, or the place where the library looks; raises NoProfile where there is none."""
    if file is not None:
        return file
    found = place()
    if found is None:
        raise NoProfile(
            "nobody knows where the profile is: name its file, or set RONDO_PROFILE"
            if _core.mpi_family
            else "this package was built without MPI, so name the profile's file"
        )
    return found.path
