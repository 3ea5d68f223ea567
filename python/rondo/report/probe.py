"""What a rank sees of its node, as one line of JSON.

Every rank runs this file by itself, without the package: the launcher need not know MPI for it.
"""

import glob
import json
import os
import socket
import sys
from typing import Optional

_CPUS = "/sys/devices/system/cpu"


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123
            return file.read().strip()
    except OSError:
        return ""


def _field(path: str, name: str) -> str:
    """The value behind `name` and a colon; empty where there is none."""
    for line in _text(path).splitlines():
        key, _, value = line.partition(":")
        if key.strip() == name:
            return value.strip()
    return ""


def _number_of(pattern: str) -> Optional[int]:
    """How many different texts the files have; None where there are no files."""
    return len({_text(path) for path in glob.glob(pattern)}) or None  # noqa: PTH207


def _caches() -> list[str]:
    """The caches of the first processor, from the innermost."""
    caches = []
    for folder in sorted(glob.glob(f"{_CPUS}/cpu0/cache/index*")):  # noqa: PTH207
        level, kind, size = (_text(f"{folder}/{name}") for name in ("level", "type", "size"))
        if kind != "Instruction" and level and size:
            caches.append(f"L{level} {size}")
    return caches


def _memory_bytes() -> Optional[int]:
    words = _field("/proc/meminfo", "MemTotal").split()
    return int(words[0]) * 1024 if words else None


def main() -> None:
    topology = f"{_CPUS}/cpu[0-9]*/topology"
    seen = {
        "host": socket.gethostname(),
        "processor": _field("/proc/cpuinfo", "model name"),
        "processors": os.cpu_count(),
        "cores": _number_of(f"{topology}/thread_siblings_list"),
        "sockets": _number_of(f"{topology}/physical_package_id"),
        "caches": _caches(),
        "memory_bytes": _memory_bytes(),
        "allowed": len(os.sched_getaffinity(0)),
        "variable": os.environ.get("RONDO_PROFILE"),
    }
    # At once, because the lines of other ranks come on the same stream.
    sys.stdout.write(json.dumps({"rondo_probe": seen}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
