"""How the rate of a fault kind is shown."""

import pytest

from goodputd.commands.catalog import rate
from goodputd.sim.specs.faults import FaultKindSpec


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (FaultKindSpec(name="k", component="gpu", count=148.0), "148"),
        (FaultKindSpec(name="k", component="gpu", count=0.0), "0"),
        (FaultKindSpec(name="k", component="gpu", per_gpu_hour=1.5e-6), "1.5e-06 per GPU-hour"),
        (FaultKindSpec(name="k", component="gpu", per_node_day=0.0065), "0.0065 per node-day"),
        (FaultKindSpec(name="k", component="software", per_job_day=2.0), "2 per job-day"),
    ],
)
def test_a_rate_is_shown_in_its_own_unit(kind: FaultKindSpec, text: str) -> None:
    """The unit is the one that the catalog states the rate in."""
    assert text == rate(kind)
