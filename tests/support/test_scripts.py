#!/usr/bin/env python3
"""Tests of the shared parts of scripts: intervals and tables."""

import random
import statistics
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))

from bootstrap import interval, interval_of_median  # noqa: E402
from text_tables import columns, markdown  # noqa: E402

LINES = [["name", "n", "time"], ["a", "100", "1.5"], ["longer", "7", ""]]


def noise(count):
    generator = random.Random(7)
    return [generator.gauss(0, 1) for _ in range(count)]


class Bootstrap(unittest.TestCase):
    def test_one_value_is_its_own_interval(self):
        self.assertEqual(interval_of_median([3.5]), (3.5, 3.5))
        self.assertEqual(interval_of_median([2.0] * 9), (2.0, 2.0))

    def test_is_as_wide_as_theory_has_it_and_the_same_each_time(self):
        values = noise(400)

        def mean(places):
            return statistics.fmean(values[i] for i in places)

        low, high = interval(mean, len(values))
        self.assertLess(low, mean(range(400)))
        self.assertGreater(high, mean(range(400)))
        self.assertAlmostEqual(high - low, 2 * 1.96 / 20, delta=0.03)
        self.assertEqual(interval(mean, len(values)), (low, high))

    def test_neighbours_that_are_alike_are_drawn_together(self):
        # Runs of eight equal values, so only an eighth of the values are independent.
        values = [value for value in noise(50) for _ in range(8)]

        def mean(places):
            return statistics.fmean(values[i] for i in places)

        apart, together = (interval(mean, len(values), run) for run in (1, 8))
        ratio = (together[1] - together[0]) / (apart[1] - apart[0])
        self.assertGreater(ratio, 2)

    def test_places_are_as_many_and_within(self):
        for count in (1, 2, 7, 20):
            for together in (1, 3):
                seen = set()

                def note(places, count=count, seen=seen):
                    self.assertEqual(len(places), count)
                    seen.update(places)
                    return 0.0

                interval(note, count, together)
                self.assertEqual(seen, set(range(count)))


class Tables(unittest.TestCase):
    def test_columns(self):
        self.assertEqual(columns(LINES, {1}), "name      n  time\na       100  1.5\nlonger    7\n")

    def test_markdown(self):
        self.assertEqual(
            markdown(LINES, [1]),
            "| name | n | time |\n| --- | ---: | --- |\n| a | 100 | 1.5 |\n| longer | 7 |  |\n",
        )


if __name__ == "__main__":
    unittest.main(verbosity=2)
