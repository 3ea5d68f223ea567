"""The exit status of the command, the same as that of all programs of Rondo."""

from enum import IntEnum


class Status(IntEnum):
    """What scripts may rely on; docs/commands.md explains it."""

    SUCCESS = 0
    WRONG_RESULT = 1
    WRONG_USE = 2
    CANNOT_START = 3
    RUN_FAILED = 4
    INTERRUPTED = 130


MEANINGS = {
    Status.SUCCESS: "success",
    Status.WRONG_RESULT: "a check failed: wrong bytes, or a wrong result",
    Status.WRONG_USE: "wrong use: an option, a setting, or a file that cannot be used",
    Status.CANNOT_START: "a program could not be started, or its launcher failed",
    Status.RUN_FAILED: "the run failed: an error of MPI, of memory or of the system",
    Status.INTERRUPTED: "interrupted from the keyboard",
}


def of_launch(returncode: int, found_wrong: bool = False) -> Status:
    """That of a command whose launcher ended with `returncode`.

    Launchers end with a status of their own if they start nothing, so 1 means wrong bytes only
    where rows say so.
    """
    if returncode in (-2, Status.INTERRUPTED):
        return Status.INTERRUPTED
    if returncode == Status.WRONG_RESULT and found_wrong:
        return Status.WRONG_RESULT
    if returncode in (Status.SUCCESS, Status.WRONG_USE, Status.RUN_FAILED):
        return Status(returncode)
    return Status.CANNOT_START
