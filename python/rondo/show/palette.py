"""Colours of destinations and of lines that can be distinguished with any kind of colour vision.

Up to eight ranks have the colours of Okabe and Ito (Color Universal Design, 2008), with a grey in
place of their black. Ranks on several nodes have their node's colour, darker from rank to rank.
More ranks lie on the scale viridis (Smith and van der Walt, 2015), on which lightness ascends.
"""

from __future__ import annotations

from typing import NamedTuple

APART = "#0072B2 #E69F00 #009E73 #CC79A7 #56B4E9 #D55E00 #F0E442 #4D4D4D".split()
_SCALE = "#440154 #482878 #3E4A89 #31688E #26828E #1F9E89 #35B779 #6DCD59 #B4DE2C #FDE725".split()
_LIGHTEST, _DARKEST = 0.62, -0.45  # towards white, towards black

Rgb = tuple[float, float, float]


class Colour(NamedTuple):
    fill: str
    ink: str  # of text on it


def colours(node_of_rank: list[int]) -> list[Colour]:
    """A colour for each rank, as a destination."""
    ranks, nodes = len(node_of_rank), len(set(node_of_rank))
    if 1 < nodes <= len(APART):
        fills = _by_node(node_of_rank)
    elif ranks <= len(APART):
        fills = APART[:ranks]
    else:
        fills = [_on_scale(rank / (ranks - 1)) for rank in range(ranks)]
    return [Colour(fill, ink(fill)) for fill in fills]


def contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG 2.2, from 1 to 21."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _by_node(node_of_rank: list[int]) -> list[str]:
    sizes = [node_of_rank.count(node) for node in node_of_rank]
    locals_ = [node_of_rank[:rank].count(node) for rank, node in enumerate(node_of_rank)]
    return [
        _shade(APART[node], _LIGHTEST + (_DARKEST - _LIGHTEST) * local / max(size - 1, 1))
        for node, size, local in zip(node_of_rank, sizes, locals_)
    ]


def _shade(colour: str, amount: float) -> str:
    return _mixed(colour, "#FFFFFF" if amount > 0 else "#000000", abs(amount))


def _on_scale(position: float) -> str:
    at = position * (len(_SCALE) - 1)
    below = min(int(at), len(_SCALE) - 2)
    return _mixed(_SCALE[below], _SCALE[below + 1], at - below)


def _mixed(one: str, other: str, share: float) -> str:
    mixed = [a + (b - a) * share for a, b in zip(_rgb(one), _rgb(other))]
    return "#" + "".join(f"{round(255 * value):02X}" for value in mixed)


def ink(fill: str) -> str:
    """The colour of text on that colour: black or white, whichever has more contrast."""
    return max(("#000000", "#FFFFFF"), key=lambda ink: contrast(fill, ink))


def _luminance(colour: str) -> float:
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in _rgb(colour)]
    return sum(weight * value for weight, value in zip((0.2126, 0.7152, 0.0722), linear))


def _rgb(colour: str) -> Rgb:
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return red, green, blue
