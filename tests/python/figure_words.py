"""Words of matplotlib's figures: whether they can be read."""

from itertools import combinations

from matplotlib.backends.backend_agg import FigureCanvasAgg


def words_of(figure):
    """All labels of ticks and axes, titles and the legend, which are drawn."""
    FigureCanvasAgg(figure).draw()
    words = [figure._suptitle, *(axes.title for axes in figure.axes)]
    for axes in figure.axes:
        words += [axes.xaxis.label, axes.yaxis.label]
        words += axes.get_xticklabels() + axes.get_yticklabels()
    for legend in figure.legends:
        words += legend.get_texts()
    return [one for one in words if one.get_visible() and one.get_text()]


def require_apart(figure):
    """No two words overlap, and all are inside the figure."""
    boxes = [(one.get_text(), one.get_window_extent()) for one in words_of(figure)]
    assert len(boxes) > 4
    for (left, one), (right, other) in combinations(boxes, 2):
        assert not one.overlaps(other), f"{left!r} and {right!r}"
    width, height = figure.bbox.size
    for text, box in boxes:
        assert box.x0 >= 0 and box.x1 <= width and box.y0 >= 0 and box.y1 <= height, text
