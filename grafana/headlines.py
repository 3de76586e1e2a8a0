"""The figures that people quote, each as one expression: goodput, MTBF, MTTR and their kin.

Each takes a window and gives one number per scenario, never NaN. Where a window holds nothing to
divide by, or is too short to be trusted, the figure since start stands in, if there is one.
"""

from collections.abc import Iterable

from goodputd.sim.taxonomy import Action
from grafana.palette import RETRACTED
from grafana.queries import (
    SHOWN,
    WHO,
    above_zero,
    across,
    by_whom,
    current,
    delta,
    else_,
    increase,
    nothing_yet,
)

UNPLANNED = {"component": "!=planned"}
PLANNED = {"component": "planned"}
BY_FAULTS = {"component": "!~planned|false_alarm"}
FIRST = {"result": "first"}
TAKEN_OUT = {"action": f"=~{Action.EVICT}|{Action.RETIRE}"}
"""Of decisions: those that take a node out of the job, for a repair or for good."""
_CHECKPOINTS_TO_TRUST = 5
"""A window of fewer checkpoint intervals says more about when saves fell than about goodput."""


def elapsed(window: str) -> str:
    """Simulated seconds that passed."""
    return increase("elapsed_seconds_total", window)


def goodput(window: str) -> str:
    """Productive over elapsed time, 0 to 1; work counts when it is done and is taken back when lost."""
    return else_(_trusted(productive_share(window), window), current("effective_training_time_ratio"))


def goodput_curve(window: str) -> str:
    """The same where the window can be trusted, and nothing elsewhere."""
    return _trusted(productive_share(window), window)


def utilization(window: str) -> str:
    """Productive GPU-seconds over those of the full job, 0 to 1: it sees a shrunk job."""
    return else_(utilization_curve(window), current("effective_utilization_ratio"))


def utilization_curve(window: str) -> str:
    """The same where the window can be trusted, and nothing elsewhere."""
    productive = increase("gpu_seconds_total", window, bucket="productive")
    retracted = increase("retracted_gpu_seconds_total", window)
    provisional = delta("provisional_gpu_seconds", window)
    share = f"({productive} - {retracted} + {provisional}) / {above_zero(nominal_gpu_seconds(window))}"
    return _trusted(f"clamp({share}, 0, 1)", window)


def nominal_gpu_seconds(window: str) -> str:
    """GPU-seconds that the full job would have had."""
    return f"{current('nominal_gpus')} * {elapsed(window)}"


def compute(window: str) -> str:
    """Share of time in which no incident stopped the job, 0 to 1."""
    stopped = f"{increase('recovery_seconds_sum', window)} / {above_zero(elapsed(window))}"
    return else_(f"clamp(1 - {stopped}, 0, 1)", current("effective_compute_ratio"))


def stops(window: str) -> str:
    """Incidents that were closed, and planned stops: whatever ran stages of a recovery."""
    planned = increase("interruptions_total", window, **PLANNED)
    return f"({increase('recovery_seconds_count', window)} + {planned})"


def interruptions(window: str) -> str:
    """Incidents that nobody planned."""
    return increase("interruptions_total", window, **UNPLANNED)


def a_day(counted: str, window: str) -> str:
    """What was counted, per simulated day; ``counted`` may have labels of its own."""
    return f"86400 * {by_whom(counted, elapsed(window))}"


def in_the_time_shown(name: str, *by: str, **matchers: str) -> str:
    """A counter per simulated day over the time shown, one number per scenario and label for bars."""
    return across(a_day(increase(name, SHOWN, *by, **matchers), SHOWN), *by)


def most(number: int, expression: str) -> str:
    """The greatest of each scenario, without those that never happened unless none did."""
    return f"topk by (scenario) ({number}, {expression}) > 0 or topk by (scenario) (1, {expression})"


def mtbf(window: str) -> str:
    """Seconds between interruptions; before the first, the time that has passed without one."""
    return else_(
        f"{elapsed(window)} / {above_zero(interruptions(window))}", current("mtbf_seconds"), elapsed(window)
    )


def mttr(window: str) -> str:
    """Mean stopped seconds per incident; 0 before the first."""
    return else_(mttr_curve(window), current("mttr_seconds"), nothing_yet())


def mttr_curve(window: str) -> str:
    """The same where the window holds an incident, and nothing elsewhere."""
    closed = above_zero(increase("recovery_seconds_count", window))
    return f"{increase('recovery_seconds_sum', window)} / {closed}"


def mttr_quantile(rank: float, window: str) -> str:
    """A quantile of stopped seconds where the window holds an incident."""
    buckets = increase("recovery_seconds_bucket", window, "le")
    return f"histogram_quantile({rank}, {buckets}) and {increase('recovery_seconds_count', window)} > 0"


def mttd(window: str) -> str:
    """Mean seconds from fault to detection; 0 when the window holds none."""
    return else_(mttd_curve(window), nothing_yet())


def mttd_curve(window: str) -> str:
    """The same where the window holds a detection, and nothing elsewhere."""
    found = increase("detection_seconds_count", window, **FIRST)
    return f"{increase('detection_seconds_sum', window, **FIRST)} / {above_zero(found)}"


def detection_quantile(rank: float, window: str) -> str:
    """A quantile of each layer's latency, winner or not, where the window holds a claim of it."""
    buckets = increase("detection_seconds_bucket", window, "layer", "le", layer="=~$layer")
    claims = increase("detection_seconds_count", window, "layer", layer="=~$layer")
    return f"histogram_quantile({rank}, {buckets}) and {claims} > 0"


def lost_steps(window: str) -> str:
    """Steps lost per interruption; 0 when the window holds none."""
    lost = f"({increase('lost_steps_total', window)} + {increase('retracted_steps_total', window)})"
    return else_(f"{lost} / {above_zero(interruptions(window))}", nothing_yet())


def share(counted: str, of: str) -> str:
    """A share of a total, 0 where there is nothing to share; ``counted`` may have labels of its own."""
    return else_(by_whom(counted, of), f"0 * {counted}")


def observed_over_expected(window: str) -> str:
    """Interruptions by faults over those that the configured rates let expect."""
    observed = increase("interruptions_total", window, **BY_FAULTS)
    return f"{observed} / {above_zero(increase('expected_interruptions_total', window))}"


def surprise(window: str) -> str:
    """How many standard deviations the observed interruptions are above the expected ones."""
    observed = increase("interruptions_total", window, **BY_FAULTS)
    expected = above_zero(increase("expected_interruptions_total", window))
    return f"({observed} - {expected}) / sqrt({expected})"


def productive_share(window: str) -> str:
    """Share of time of the bucket ``productive`` with what no checkpoint covers yet, whatever the window."""
    productive = increase("time_seconds_total", window, bucket="productive")
    retracted = increase("retracted_seconds_total", window)
    provisional = delta("provisional_seconds", window)
    share_of_time = f"({productive} - {retracted} + {provisional}) / {above_zero(elapsed(window))}"
    return f"clamp({share_of_time}, 0, 1)"


def badput_shares(window: str, buckets: str = "!=productive") -> str:
    """Share of time of each bucket (of all but ``productive``), and of what was taken back of that."""
    counted = increase("time_seconds_total", window, "bucket", bucket=buckets)
    return by_whom(f"({_with_retracted(counted, 'retracted_seconds_total', window)})", elapsed(window))


def shares_of(buckets: Iterable[str], window: str) -> str:
    """Share of time of each of these buckets."""
    among = "=~" + "|".join(buckets)
    return by_whom(increase("time_seconds_total", window, "bucket", bucket=among), elapsed(window))


def badput_gpu_shares(window: str) -> str:
    """The same of the GPU-seconds of the full job, capacity given up by shrinking included."""
    buckets = increase("gpu_seconds_total", window, "bucket", bucket="!=productive")
    both = _with_retracted(buckets, "retracted_gpu_seconds_total", window)
    return by_whom(f"({both})", nominal_gpu_seconds(window))


def _with_retracted(buckets: str, retracted: str, window: str) -> str:
    return else_(buckets, f'label_replace({increase(retracted, window)}, "bucket", "{RETRACTED}", "", "")')


def repeated_steps(window: str) -> str:
    """Share of the executed steps that were lost or taken back."""
    lost = f"({increase('lost_steps_total', window)} + {increase('retracted_steps_total', window)})"
    return f"clamp_max({lost} / {above_zero(increase('steps_total', window))}, 1)"


def _trusted(expression: str, window: str) -> str:
    interval = current("checkpoint_interval_seconds")
    return f"{expression} and on ({', '.join(WHO)}) {elapsed(window)} > {_CHECKPOINTS_TO_TRUST} * {interval}"
