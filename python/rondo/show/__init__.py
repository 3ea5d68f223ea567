"""Pictures of algorithms: which blocks travel where, and where they are after every round.

A picture is drawn from the algorithm's schedule: its blocks are where the rounds have led them.

>>> picture = picture_of(subject_of("two_phase_bruck:radix=3", ranks=8))
>>> [frame.title for frame in picture.frames]
['Start', 'Round 1', 'Round 2', 'Round 3', 'Round 4']
"""

from __future__ import annotations

from rondo.schedule import NodeSchedule
from rondo.show.between import node_facts, node_picture
from rondo.show.flat import flat_facts, flat_picture
from rondo.show.picture import Fact, Picture, Subject, subject_of

MOST_RANKS = 32  # of which every block can still be read

__all__ = ["MOST_RANKS", "Picture", "Subject", "facts_of", "picture_of", "subject_of"]


def facts_of(subject: Subject) -> tuple[Fact, ...]:
    """The numbers of an algorithm, of any number of ranks.

    Parameters
    ----------
    subject
        The algorithm, from subject_of.

    Returns
    -------
    tuple of Fact
        Each with its symbol, its value and its meaning.

    Examples
    --------
    >>> [fact.text for fact in facts_of(subject_of("two_phase_bruck:radix=2", ranks=64))][:2]
    ['P = 64', 'K = 6']
    """
    is_node = isinstance(subject.schedule, NodeSchedule)
    return node_facts(subject) if is_node else flat_facts(subject)


def picture_of(subject: Subject) -> Picture:
    """Where every block is after each round.

    Parameters
    ----------
    subject
        The algorithm, from subject_of.

    Returns
    -------
    Picture
        Its frames, the first one before any round.

    Raises
    ------
    ValueError
        If it has more than MOST_RANKS ranks.

    Examples
    --------
    >>> len(picture_of(subject_of("spread_out", ranks=4)).frames)
    4
    """
    if subject.ranks > MOST_RANKS:
        raise ValueError(f"a picture has at most {MOST_RANKS} ranks, not {subject.ranks}")
    if isinstance(subject.schedule, NodeSchedule):
        return node_picture(subject)
    return flat_picture(subject)
