"""Families recorded point by point and written series by series, without holding them in memory.

A simulation knows all series at one instant; OpenMetrics wants one series at all instants. So values
go to a spool file as bare floats, in pieces of one metric each, and are read back metric by metric when
the text is written. Memory follows the number of metrics, hardly that of points. Knows no simulation.
"""

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import cycle
from typing import BinaryIO, Final

from prometheus_client.openmetrics.exposition import generate_latest
from prometheus_client.registry import Collector

from goodputd.metrics.collector import FamilyCollector
from goodputd.metrics.family import MetricSpec, Reading, Value
from goodputd.metrics.layout import Layout, flattened
from goodputd.metrics.view import View

MOST_VALUES_IN_MEMORY: Final = 1_000_000
"""8 MB, and as much again while points are turned into series."""
_LINES_IN_A_BLOCK: Final = 16_384
"""About 2 MB of text, which is joined in memory and written at once."""
_BLOCKS_OF_TIMES: Final = 16
"""About 1 MB each at most."""
_END: Final = b"# EOF\n"
_FLOAT: Final = "d"
_encode: Callable[[Collector], bytes] = generate_latest
"""prometheus_client ships the function without types."""

Progress = Callable[[float], None]
"""Is told the share that is done."""


@dataclass(frozen=True, slots=True)
class Written:
    """How much was written."""

    samples: int
    series: int


@dataclass(slots=True)
class _Run:
    """Values of one metric at consecutive points, the samples of a point side by side; in memory."""

    first_point: int
    points: int
    values: "array[float]"


@dataclass(slots=True)
class _Piece:
    """A run in the spool file."""

    first_point: int
    points: int
    offset_bytes: int


@dataclass(slots=True)
class _Metric:
    """One label set: how the sample lines of a point begin, and where the values are."""

    prefixes: Sequence[str]
    runs: list[_Run] = field(default_factory=list)
    pieces: list[_Piece] = field(default_factory=list)

    def add(self, first_point: int, points: int, values: "array[float]") -> None:
        """These values come next; a metric may have been absent for some points."""
        last = self.runs[-1] if self.runs else None
        if last is not None and last.first_point + last.points == first_point:
            last.points += points
            last.values.extend(values)
        else:
            self.runs.append(_Run(first_point, points, values))

    def spool(self, file: BinaryIO) -> None:
        """Move the runs to the end of the file."""
        for run in self.runs:
            self.pieces.append(_Piece(run.first_point, run.points, file.tell()))
            file.write(run.values)
        self.runs.clear()


class _Family:
    """The metrics of one family, and its values since its set of metrics last changed."""

    def __init__(self, spec: MetricSpec, labels: Mapping[str, str]) -> None:
        """``labels`` are put on every sample besides the family's own."""
        self._read = spec.read
        self._labelled = replace(spec, labels=(*spec.labels, *labels))
        self._more = tuple(labels.values())
        self.metrics: dict[tuple[str, ...], _Metric] = {}
        self.comments = self._layout([]).comments
        self._shape: list[object] = []
        self._present: list[_Metric] = []
        self._first_point = 0
        self._points = 0
        self._values = array(_FLOAT)

    def record(self, view: View) -> int:
        """Take the readings of the next point; returns how many values there were."""
        readings = list(self._read(view))
        shape, values = flattened(readings)
        if shape != self._shape:
            self._turn()
            self._shape = shape
            self._present = [self._metric(*reading) for reading in readings if reading[1] is not None]
        self._values.extend(values)
        self._points += 1
        return len(values)

    def spool(self, file: BinaryIO) -> None:
        """Move all values to the end of the file."""
        self._turn()
        for metric in self.metrics.values():
            metric.spool(file)

    def _turn(self) -> None:
        """Give every metric its values, which lie point by point."""
        values, width = self._values, sum(len(metric.prefixes) for metric in self._present)
        column = 0
        for metric in self._present:
            samples = len(metric.prefixes)
            own = array(_FLOAT, bytes(values.itemsize * samples * self._points))
            for sample in range(samples):
                own[sample::samples] = values[column + sample :: width]
            column += samples
            metric.add(self._first_point, self._points, own)
        self._first_point += self._points
        self._points = 0
        self._values = array(_FLOAT)

    def _metric(self, labels: tuple[str, ...], value: Value) -> _Metric:
        metric = self.metrics.get(labels)
        if metric is None:
            metric = self.metrics[labels] = _Metric(self._layout([(labels, value)]).prefixes)
        return metric

    def _layout(self, readings: Sequence[Reading]) -> Layout:
        labelled = [((*labels, *self._more), value) for labels, value in readings]
        return Layout([], _encode(FamilyCollector(self._labelled, labelled)))


class Spool:
    """Records views and writes them as OpenMetrics."""

    def __init__(self, specs: Sequence[MetricSpec], labels: Mapping[str, str], file: BinaryIO) -> None:
        """``file`` is empty, is read and written, and can be thrown away afterwards."""
        self._families = [_Family(spec, labels) for spec in specs]
        self._file = file
        self._values = 0
        self._values_in_memory = 0

    def record(self, view: View) -> None:
        """The next point."""
        values = sum([family.record(view) for family in self._families])
        self._values += values
        self._values_in_memory += values
        if self._values_in_memory >= MOST_VALUES_IN_MEMORY:
            self._flush()

    def write(self, out: BinaryIO, timestamps: Sequence[int], progress: Progress) -> Written:
        """Everything recorded, with the Unix seconds of each point."""
        self._flush()

        @lru_cache(_BLOCKS_OF_TIMES)
        def times_of(first: int, last: int) -> list[str]:
            """Most metrics have the same points, and writing their times anew is a quarter of the work."""
            return list(map(str, timestamps[first:last]))

        samples = series = 0
        for family in self._families:
            out.write(family.comments.encode())
            for metric in family.metrics.values():
                series += len(metric.prefixes)
                for piece in metric.pieces:
                    samples += self._write_piece(out, metric.prefixes, piece, times_of)
                progress(samples / self._values)
        out.write(_END)
        return Written(samples, series)

    def _flush(self) -> None:
        for family in self._families:
            family.spool(self._file)
        self._values_in_memory = 0

    def _write_piece(
        self,
        out: BinaryIO,
        prefixes: Sequence[str],
        piece: _Piece,
        times_of: Callable[[int, int], Sequence[str]],
    ) -> int:
        """The lines of one piece, in blocks; returns how many."""
        points = max(1, _LINES_IN_A_BLOCK // len(prefixes))
        last = piece.first_point + piece.points
        self._file.seek(piece.offset_bytes)
        for first in range(piece.first_point, last, points):
            times = times_of(first, min(first + points, last))
            values = array(_FLOAT)
            values.fromfile(self._file, len(times) * len(prefixes))
            out.write(_lines(prefixes, values, times).encode())
        return piece.points * len(prefixes)


def _lines(prefixes: Sequence[str], values: Sequence[float], times: Sequence[str]) -> str:
    """One line per value; the samples of a point have its time."""
    time_of_each = [time for time in times for _ in prefixes]
    return "".join(
        [
            f"{prefix}{value!r} {time}\n"
            for prefix, value, time in zip(cycle(prefixes), values, time_of_each, strict=False)
        ]
    )
