"""The figures of the papers, made anew: simulated at the papers' number of ranks and, where that is
asked for, measured on this machine at a small one.

>>> described = figures.figure("hpdc-6")
>>> described.section, described.x
('4.1', 'bytes')
>>> (panel,) = data.simulate_or_count(figures.figure("tra-4"), ranks=[8])
>>> [(line["label"], line["points"][0]["y"]) for line in panel["lines"]]  # at radix 2
[('K, rounds', 3), ('D, blocks', 12)]

Figures are described in figures.toml; what papers print of them stands in published.toml.
"""

from rondo.reproduce import data, figures, published

__all__ = ["data", "figures", "published"]
