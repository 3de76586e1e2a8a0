"""The case of Llama 3: 54 days of 16,384 GPUs with 419 unexpected interruptions and 47 planned ones.

The counts of the paper are what primary faults are expected to come to, so that ours are compared with
them as with exact figures, cause by cause. They are taken from its table, since its printed shares do
not add up.
"""

from typing import Final

from tests.test_catalogs import PUBLISHED
from tests.validation.cases import Case, Figure
from tests.validation.playing import Ending
from tests.validation.readings import (
    between_faults_hours,
    between_stops_hours,
    faults_per_1000_node_days,
    goodput,
    planned_stops,
    primary_faults,
    primary_faults_of,
)

CASES: Final = (
    Case(
        "llama3-54d",
        "Llama 3, arXiv 2407.21783",
        Ending(days=54.0),
        200,
        0,  # tests/test_llama3.py plays as many without maintenance
        (
            Figure("unexpected interruptions", 419, primary_faults, error=0.0),
            Figure("planned interruptions", 47, planned_stops, error=0.0),
            Figure("MTBI h, unexpected", 3.093, between_faults_hours, error=0.0),
            Figure("MTBI h, all", 2.781, between_stops_hours, error=0.0),
            Figure("per 1,000 node-days", 3.789, faults_per_1000_node_days(2048), error=0.0),
            Figure("effective ratio, more than", 0.9, goodput, is_least=True),
            *(
                Figure(cause, count, primary_faults_of(cause), error=0.0)
                for cause, count in PUBLISHED.items()
            ),
        ),
    ),
)
