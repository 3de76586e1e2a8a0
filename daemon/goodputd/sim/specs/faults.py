"""``[faults]`` and fault catalogs: what breaks, and how often."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

from annotated_types import Interval, MinLen

from goodputd.sim.specs.fields import (
    SPEC,
    Count,
    Factor,
    NonNegativeFloat,
    PositiveFloat,
    Probability,
    Seconds,
)
from goodputd.sim.specs.fleet import LemonsSpec

Arrival = Literal["exponential", "weibull", "lognormal"]
FaultComponent = Literal[
    "gpu", "memory", "nvlink", "nic", "switch", "host", "power", "storage", "software", "operator", "unknown"
]


@dataclass(slots=True, kw_only=True)
class BurstsSpec:
    """Faulty periods that multiply the rates of all faults but those of age and of domains."""

    __pydantic_config__ = SPEC

    multiplier: Factor = 1.0
    """Rates within a burst, as a multiple; 1: no bursts; 10: gaps of a 3 h MTBF vary by 1.76 of the mean."""
    quiet_hours: PositiveFloat = 60.0
    """Mean hours between two bursts."""
    burst_hours: PositiveFloat = 12.0
    """Mean hours of a burst."""


@dataclass(slots=True, kw_only=True)
class FaultKindSpec:
    """One kind of fault: how often, how it shows, and whether a restart cures it."""

    __pydantic_config__ = SPEC

    name: Annotated[str, MinLen(1)]
    """Unique name; the metric label ``kind``."""
    component: FaultComponent
    """What breaks; ``software`` faults strike the job and blame no node."""
    symptom: Literal["crash", "hang", "slow", "corrupt", "benign"] = "crash"
    """How it shows."""
    arrival: Arrival = "exponential"
    """How failures come: at a constant rate, or by the age of the node, which repair alone renews."""
    shape: Annotated[float, Interval(ge=0.1, le=20)] = 1.0
    """Weibull: k, below 1 infant mortality, above it wear; lognormal: sigma. The rate gives the mean life."""
    scope: Literal["node", "rack", "switch", "job"] = "node"
    """What it strikes: a node, all nodes of the job on a rack or switch, or the job, blaming no node."""
    count: NonNegativeFloat | None = None
    """Faults in the catalog's reference period on its reference fleet; one of the five rates is needed."""
    per_gpu_hour: NonNegativeFloat | None = None
    """Faults per GPU and hour."""
    per_node_day: NonNegativeFloat | None = None
    """Faults per node and day."""
    per_job_day: NonNegativeFloat | None = None
    """Faults per day of the job, whatever its size; scope "job" only."""
    per_domain_day: NonNegativeFloat | None = None
    """Faults per rack or switch and day; scopes "rack" and "switch" only."""
    transient_probability: Probability = 1.0
    """Chance that a restart cures it; otherwise it comes back until the node is replaced."""
    event: str | None = None
    """Vendor event that the node logs, for instance "XID 79"; none: it logs nothing."""
    logged_probability: Probability = 1.0
    """Chance that the event is logged."""
    event_delay_seconds: Seconds = 0.0
    """Seconds from the fault to the logged event."""
    slow_factor: Factor = 1.0
    """Step time of the job while a "slow" fault lasts, as a multiple."""
    step_time_sigmas: NonNegativeFloat = 0.0
    """Shift of the rank's step time, in standard deviations over ranks; what the gradient layer sees."""
    gradient_sigmas: NonNegativeFloat = 0.0
    """Shift of the rank's gradient norm, in standard deviations over ranks; what the gradient layer sees."""
    loss_jump: NonNegativeFloat = 0.0
    """By how much the loss is off after a "corrupt" fault, nats per token; names no rank."""
    makes_nan: bool = False
    """The loss is not a number after a "corrupt" fault; names no rank."""


@dataclass(slots=True, kw_only=True)
class ScriptedFaultSpec:
    """One fault at a fixed instant, for rehearsals; its origin is ``injected``."""

    __pydantic_config__ = SPEC

    at_seconds: Seconds
    """Simulated seconds since start."""
    kind: str
    """A kind of the catalog."""
    node: Count | None = None
    """Node number; leave out for a fault of the whole job."""
    transient: bool = True
    """Whether a restart cures it."""
    logged: bool = False
    """Whether its node logs the kind's vendor event."""


@dataclass(slots=True, kw_only=True)
class FaultsSpec:
    """What breaks, and how often."""

    __pydantic_config__ = SPEC

    catalog: str = "llama3"
    """Name of a shipped fault catalog (`goodputd catalog` lists them), or "none" for `kinds` alone."""
    scale: NonNegativeFloat = 1.0
    """Multiple of every rate."""
    total_interruptions: PositiveFloat | None = None
    """Job-stopping faults to expect per period on this fleet; rescales the catalog instead of `scale`."""
    period_days: PositiveFloat = 54.0
    """Days that `total_interruptions` counts."""
    recurrence_hours: PositiveFloat = 2.0
    """Mean hours of training until a permanent fault strikes again after a restart."""
    during_recovery: bool = True
    """Faults also strike while the job is stopped; false draws them in running time only."""
    kinds: tuple[FaultKindSpec, ...] = ()
    """Kinds of your own, beside those of the catalog."""
    script: tuple[ScriptedFaultSpec, ...] = ()
    """Faults at fixed instants."""
    lemons: LemonsSpec = field(default_factory=LemonsSpec)
    """Nodes that fail more often than the others."""
    bursts: BurstsSpec = field(default_factory=BurstsSpec)
    """Faulty periods."""


@dataclass(slots=True, kw_only=True)
class CatalogSpec:
    """A fault catalog: kinds with their rates, and where the numbers come from."""

    __pydantic_config__ = SPEC

    name: str
    """The name used in `faults.catalog`."""
    title: str
    """One line."""
    source: str
    """Where the rates were published."""
    assumptions: str = ""
    """What is not in the source and was set by us."""
    reference_gpus: Annotated[int, Interval(ge=1)] = 16384
    """GPUs of the fleet that `count` refers to."""
    reference_days: PositiveFloat = 54.0
    """Days of the period that `count` refers to."""
    kinds: tuple[FaultKindSpec, ...] = ()
    """The kinds."""
