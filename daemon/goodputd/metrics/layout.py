"""What of a family stays the same from one view to the next: comments, names, label sets.

prometheus_client writes a family once, and what stands before the values is kept; whoever shows the
family again, a page or a backfill, writes values behind it. So there is one way to name and to escape
a series. Knows samples and their order, and nothing of formats, times or files.
"""

from collections.abc import Iterable
from typing import Final

from goodputd.metrics.collector import cumulative
from goodputd.metrics.family import Reading
from goodputd.sim.snapshot import Histogram, Total

_END: Final = "# EOF\n"
"""The last line of an OpenMetrics page, and of each family that is written alone."""


class Layout:
    """One family without its values: the comments, and every sample line up to its value."""

    __slots__ = ("comments", "prefixes", "shape")

    def __init__(self, shape: list[object], written: bytes) -> None:
        """``written`` is what prometheus_client wrote for a family of this shape."""
        lines = [line for line in written.decode().splitlines(keepends=True) if line != _END]
        self.shape = shape
        self.comments = "".join(line for line in lines if line.startswith("#"))
        self.prefixes = [line[: line.rindex(" ") + 1] for line in lines if not line.startswith("#")]


def flattened(readings: Iterable[Reading]) -> tuple[list[object], list[float]]:
    """What decides which samples a family has, and the values of those samples in their order."""
    shape: list[object] = []
    values: list[float] = []
    for labels, value in readings:
        if value is None:
            continue
        if isinstance(value, Histogram):
            shape.append((labels, value.bounds))
            counts = cumulative(value)
            values += counts
            values += (counts[-1], value.sum)
        elif isinstance(value, Total):
            shape.append(labels)
            values += (value.count, value.seconds)
        else:
            shape.append(labels)
            values.append(value)
    return shape, values
