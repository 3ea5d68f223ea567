#!/usr/bin/env python3
"""Fit the machines of `rondo simulate` to published times, and report how well they predict others.

calibrate.py [--fit] [--errors] [--only MACHINE]... [--output FOLDER]

The numbers are in python/rondo/reproduce/published.toml. A machine's times and ratios are taken in
the order of that file: the first, third, ... are fitted, and the second, fourth, ... are predicted.
Mean gains, crossovers and best radices are never fitted, nor is anything of a machine with
`fits = false`. What is `unexplained` is listed, but neither fitted nor predicted. One machine is
fitted to all of its numbers at once, so no algorithm, block length or number of ranks has prices of
its own.

There are about as many numbers as prices. So each price has an expected value, which is either
stated or the order of magnitude of such hardware, and a factor by which it may differ from that.
The fit minimises a sum of squared logarithms: of simulated over published times, in units of
NUMBER_WIDTH, and of fitted over expected prices, in units of that factor.

With --fit or --errors the file of each machine also says how far the predicted half was from what
is published. Without --fit, the machines that come with Rondo are compared with the numbers. This
needs rondo (pip install .); --fit also needs scipy. It takes minutes.
"""

import argparse
import math
import sys
from pathlib import Path
from typing import NamedTuple

from rondo import simulate

try:
    import tomllib
except ModuleNotFoundError:  # Python before 3.11
    import tomli as tomllib

PACKAGE = Path(__file__).resolve().parent.parent / "python/rondo"
MACHINES = PACKAGE / "machines"
PUBLISHED = PACKAGE / "reproduce/published.toml"
NUMBER_WIDTH = math.log(1.15)  # papers print medians of noisy machines
ACCURACY = 12  # evaluations of all fitted numbers in a fit; later ones change little
SEED = 1


class Price(NamedTuple):
    """A fitted price: its field, its expected value, and the factor by which it may differ."""

    paths: tuple[str, ...]
    expected: float
    factor: float


e = math.e
# Aries: about 1.3 us and 8 GB/s each way, packets of 64 bytes (Alverson et al., Cray XC).
# Xeon Phi 7230: slow cores, so a message costs a microsecond or two, and a block that is looked up
# individually costs nearly 100 ns.
THETA = [
    Price(("inside.overhead_seconds", "between.overhead_seconds"), 1.5e-6, e),
    Price(("between.latency_seconds",), 2e-6, e),
    Price(("inside.latency_seconds",), 1e-6, e),
    Price(("inside.seconds_per_byte",), 5e-10, e),
    Price(("adapter.seconds_per_message",), 5e-8, e**1.5),
    Price(("adapter.seconds_per_byte",), 1.25e-10, e**0.7),
    Price(("adapter.short_bytes",), 512, e**1.5),
    Price(("adapter.short_seconds_per_byte",), 3e-10, e**1.5),
    Price(("copying.seconds_per_byte",), 3e-10, e),
    Price(("copying.far_seconds_per_byte",), 5e-10, e),
    Price(("copying.seconds_per_block",), 8e-8, e),
    Price(("copying.seconds_per_size",), 3e-8, e),
    Price(("waiting.noise_seconds",), 2e-6, e**1.5),
]
# 100 or 200 Gb/s, and server cores.
SERVERS = [
    Price(("inside.overhead_seconds", "between.overhead_seconds"), 0.5e-6, e),
    Price(("between.latency_seconds",), 8e-6, e),
    Price(("inside.latency_seconds",), 0.3e-6, e),
    Price(("inside.seconds_per_byte",), 1e-10, e),
    Price(("adapter.seconds_per_message",), 3e-8, e**1.5),
    Price(("adapter.seconds_per_byte",), 0.5e-10, e),
    Price(("adapter.short_bytes",), 4096, e**1.5),
    Price(("adapter.short_seconds_per_byte",), 0.5e-10, e**1.5),
    Price(("copying.seconds_per_byte",), 1e-10, e),
    Price(("copying.far_seconds_per_byte",), 1e-10, e),
    Price(("copying.seconds_per_block",), 5e-9, e),
    Price(("waiting.noise_seconds",), 0.5e-6, e**1.5),
]
# The messages of one node.
ONE_NODE = [
    Price(("inside.overhead_seconds",), 0.5e-6, e),
    Price(("inside.latency_seconds",), 0.3e-6, e),
    Price(("inside.seconds_per_byte",), 1e-10, e),
    Price(("copying.seconds_per_byte",), 1e-10, e),
    Price(("waiting.noise_seconds",), 0.5e-6, e**1.5),
]
PRICES = {
    "theta": THETA,
    "hpc7g": SERVERS,
    "slingshot": SERVERS,
    "graviton3": ONE_NODE,
    "aurora": [],
}
CALIBRATION = "# By tools/calibrate.py: 4 of 5 predicted numbers are within `error`"
LARGEST_OF = 0.8  # the share of predicted numbers that are within the error of a machine's file


class Numbers:
    """The published numbers of one machine, and their values on a simulated machine."""

    def __init__(self, name):
        table = tomllib.loads(PUBLISHED.read_text(encoding="utf-8"))[name]
        self.per_node = table["ranks_per_node"]
        self.all = table["numbers"]
        self.source, self.date = table["source"], table["date"]
        fits = table.get("fits", True)
        measured = [
            one for one in self.all if one["kind"] in ("time", "ratio") and "unexplained" not in one
        ]
        self.fitted = measured[0::2] if fits else []

    def half(self, one):
        """To which half of the numbers one belongs."""
        if "unexplained" in one:
            return "unexplained"
        return "fitted" if one in self.fitted else "predicted"

    def seconds(self, machine, one, algorithm, size):
        return simulate.simulate(
            algorithm,
            one["ranks"],
            one.get("ranks_per_node", min(self.per_node, one["ranks"])),
            size,
            machine,
            collective=one.get("collective", "alltoallv"),
            distribution=one.get("distribution", "uniform"),
            seed=SEED,
            most_visits=None if "unexplained" in one else math.inf,
        ).seconds

    def ratio(self, machine, one, size):
        ours = self.seconds(machine, one, one["algorithm"], size)
        return ours / self.seconds(machine, one, one["over"], size)

    def value(self, machine, one):
        """The value of the published number on the simulated machine."""
        kind = one["kind"]
        if kind == "time":
            return self.seconds(machine, one, one["algorithm"], one["bytes"])
        if kind == "ratio":
            return self.ratio(machine, one, one["bytes"])
        if kind == "gain":
            ratios = [self.ratio(machine, one, size) for size in one["sizes"]]
            return sum(ratios) / len(ratios)
        if kind == "between":
            return self.crossing(machine, one)
        return self.crossover(machine, one) if kind == "crossover" else self.radix(machine, one)

    def crossover(self, machine, one):
        """The last length that is faster, by bisection over powers of two or 32nds of octaves."""
        steps = 1 if one["value"] & (one["value"] - 1) == 0 else 32
        low, high = 3 * steps, 14 * steps
        while high - low > 1:
            middle = (low + high) // 2
            if self.ratio(machine, one, round(2 ** (middle / steps))) <= 1:
                low = middle
            else:
                high = middle
        return round(2 ** (low / steps))

    def crossing(self, machine, one):
        """The last length that is faster, by quarters of octaves up to 16 KiB."""
        lengths = (round(2 ** (k / 4)) for k in range(56, -1, -1))
        return next((size for size in lengths if self.ratio(machine, one, size) <= 1), 0)

    def radix(self, machine, one):
        """The best of the powers of two up to the number of nodes."""
        radices = [1 << k for k in range(1, (one["ranks"] // self.per_node).bit_length())]
        named = f"{one['algorithm']}:{one['parameter']}="
        return min(radices, key=lambda r: self.seconds(machine, one, f"{named}{r}", one["bytes"]))


def with_prices(base, prices, logarithms):
    """A copy of the machine with each price at its expected value times exp(logarithm)."""
    machine = simulate.parse_machine(base)
    for price, logarithm in zip(prices, logarithms):
        for path in price.paths:
            group, field = path.split(".")
            setattr(getattr(machine, group), field, price.expected * math.exp(logarithm))
    return machine


def fit(name, base):
    from scipy.optimize import least_squares

    numbers, prices = Numbers(name), PRICES[name]

    def residuals(logarithms):
        machine = with_prices(base, prices, logarithms)
        far = [
            math.log(numbers.value(machine, one) / one["value"]) / NUMBER_WIDTH
            for one in numbers.fitted
        ]
        return [*far, *(x / math.log(price.factor) for x, price in zip(logarithms, prices))]

    start = [0.0] * len(prices)
    found = least_squares(
        residuals, start, diff_step=0.02, loss="soft_l1", max_nfev=ACCURACY, x_scale=1.0
    )
    return with_prices(base, prices, found.x)


def calibration(numbers, errors, factors):
    """The table of a machine's file that says how far the predicted half was off."""
    ordered = sorted(factors)
    error = ordered[math.ceil(LARGEST_OF * len(ordered)) - 1] - 1
    return (
        f"\n{CALIBRATION}, by a factor of 1 + error.\n"
        f"[calibration]\nmedian_error = {median(errors):.3f}\nerror = {error:.3f}\n"
        f'numbers = {len(errors)}\nsource = "{numbers.source}"\ndate = "{numbers.date}"\n'
    )


def without_calibration(text):
    return text.partition(f"\n{CALIBRATION}")[0]


def changed(base, machine, prices):
    """The file of a machine with the fitted prices."""
    lines, group = [], ""
    fitted = {path: price for price in prices for path in price.paths}
    for line in base.splitlines():
        if line.startswith("["):
            group = line.strip("[]")
        field = line.partition(" = ")[0]
        if f"{group}.{field}" in fitted:
            line = f"{field} = {getattr(getattr(machine, group), field):.4g}"
        lines.append(line)
    return "\n".join(lines) + "\n"


def how(one):
    over = f" / {one['over']}" if "over" in one else ""
    size = one.get("bytes", "")
    return f"{one['algorithm']}{over} | {one['ranks']} | {size} | {one['printed']}"


def shown(kind, value):
    if isinstance(value, list):
        return f"{value[0]}..{value[1]}"
    if kind == "time":
        return f"{value * 1e3:.4g} ms"
    return f"{value:.3g}" if kind in ("ratio", "gain") else f"{value}"


def off(kind, simulated, published):
    """Percent for times and ratios, a factor for lengths and radices."""
    if kind == "between":
        low, high = published
        return f"x {simulated / (low if simulated < low else min(max(simulated, low), high)):.2f}"
    ratio = simulated / published
    return f"{ratio - 1:+.0%}" if kind in ("time", "ratio", "gain") else f"x {ratio:.2f}"


def median(values):
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def report(name, machine):
    numbers = Numbers(name)
    print(f"\n{name}\n\n| | P | S | printed | published | simulated | off | half |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    errors = {"fitted": [], "predicted": [], "unexplained": []}
    factors = []
    for one in numbers.all:
        kind, value = one["kind"], numbers.value(machine, one)
        half = numbers.half(one)
        if kind in ("time", "ratio", "gain"):
            errors[half].append(abs(value / one["value"] - 1))
            if half == "predicted":
                factors.append(max(value / one["value"], one["value"] / value))
        cells = (shown(kind, one["value"]), shown(kind, value), off(kind, value, one["value"]))
        print(f"| {how(one)} | {' | '.join(cells)} | {half} |", flush=True)
    for half, found in errors.items():
        if found:
            print(f"\nmedian error, {half}: {median(found):.1%} of {len(found)}", flush=True)
    return calibration(numbers, errors["predicted"], factors)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fit", action="store_true", help="fit the prices and write the machines")
    parser.add_argument("--errors", action="store_true", help="write only how far they are off")
    parser.add_argument(
        "--only", action="append", choices=list(PRICES), help="only this machine; may be repeated"
    )
    parser.add_argument(
        "--output", type=Path, default=MACHINES, help="the folder for the machines' files"
    )
    options = parser.parse_args()
    for name in options.only or PRICES:
        text = simulate.machine_text(str(MACHINES / f"{name}.toml"))
        if options.fit and PRICES[name]:
            text = changed(text, fit(name, text), PRICES[name])
        found = report(name, simulate.parse_machine(text, name))
        if options.fit or options.errors:
            text = without_calibration(text).rstrip() + "\n" + found
            (options.output / f"{name}.toml").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
