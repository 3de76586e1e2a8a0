"""Every run as a row: the CSV of a study, for whoever wants to look for themselves.

One row for each run that is finished, those of unfinished seeds included. Knows no terminal.
"""

import csv
import json
from collections.abc import Iterator
from typing import TextIO

from goodputd.studies.figures import NAMES
from goodputd.studies.study import Results


def write_csv(results: Results, out: TextIO) -> None:
    """Write scenario, seed, the varied keys and every figure; what has no data is an empty cell."""
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["scenario", "seed", *results.study.points[0].varied, *NAMES])
    writer.writerows(_rows(results))


def _rows(results: Results) -> Iterator[list[object]]:
    for (seed, index), figures in sorted(results.figures.items(), key=lambda each: each[0]):
        point = results.study.points[index]
        yield [
            point.name,
            seed,
            *map(_cell, point.varied.values()),
            *(_cell(getattr(figures, name)) for name in NAMES),
        ]


def _cell(value: object) -> object:
    return json.dumps(value) if isinstance(value, list) else value
