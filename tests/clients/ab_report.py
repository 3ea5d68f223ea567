"""The output of --ab and --stats."""

import re

from launching import Report

FIGURE = re.compile(
    r"^rondo: speedup of the program: (?P<figure>.*?)"
    r"(?:, 95 % interval (?P<low>[\d.]+) \.\. (?P<high>[\d.]+), \d+ pairs of turns)?$",
    re.MULTILINE,
)
NOTHING = "nothing was compared"
TIMES = re.compile(
    r"^rondo: rank \d+ took ([\d.]+) s until MPI_Finalize, ([\d.]+) s of it", re.MULTILINE
)


def exchanges(report):
    """The number of exchanges, in each of which every rank of a communicator takes part. Exchanges
    of one rank with itself do not count."""
    return sum(
        int(line["calls"]) // int(line["ranks"]) for line in report.lines if line["ranks"] != "1"
    )


def outside_seconds(stderr):
    """What the rank that was judged spent outside exchanges, starting included."""
    found = TIMES.search(stderr)
    return float(found[1]) - float(found[2]) if found else None


def read(stderr):
    """The number of exchanges, the first figure of --ab in its words, and its interval, or null."""
    said = {"exchanges": exchanges(Report(stderr)), "figure": NOTHING, "interval": None}
    found = FIGURE.search(stderr)
    if not found:
        return said
    interval = [float(found["low"]), float(found["high"])] if found["low"] else None
    return {**said, "figure": found["figure"], "interval": interval}
