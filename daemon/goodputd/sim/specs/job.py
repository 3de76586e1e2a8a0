"""``[job]`` and ``[loss]``: the training job, the noise of its steps and its loss curve."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

from annotated_types import Interval

from goodputd.sim.specs.fields import SPEC, NonNegativeFloat, PositiveCount, PositiveFloat, PositiveSeconds


@dataclass(slots=True, kw_only=True)
class NoiseSpec:
    """Noise of the step time; the slowest rank of each step sets the pace."""

    __pydantic_config__ = SPEC

    step_sigma: Annotated[float, Interval(ge=0, le=0.5)] = 0.0
    """Standard deviation of a rank's time from step to step, as a share of it; ranks are independent."""
    delays_per_node_step: Annotated[float, Interval(ge=0, le=1000)] = 0.0
    """Delays in the network that a node meets in a step, on average; the longest of a step counts."""
    delay_seconds: PositiveSeconds = 1.0
    """Mean seconds of such a delay, exponential."""


@dataclass(slots=True, kw_only=True)
class LossSpec:
    """The loss curve: floor + scale x (step + 1)^-exponent, with noise."""

    __pydantic_config__ = SPEC

    floor: NonNegativeFloat = 1.7
    """Irreducible loss, nats per token (Chinchilla: 1.69)."""
    scale: PositiveFloat = 9.3
    """Height of the power law above the floor at step 0."""
    exponent: PositiveFloat = 0.3
    """How fast it falls with steps."""
    noise: NonNegativeFloat = 0.01
    """Standard deviation of the loss of one step."""
    gradient_norm: PositiveFloat = 1.0
    """Gradient norm at step 0; it falls with a third of the loss's exponent."""


@dataclass(slots=True, kw_only=True)
class JobSpec:
    """The training job."""

    __pydantic_config__ = SPEC

    step_seconds: PositiveSeconds = 5.9
    """Seconds of one step (Llama 3 405B on 16,384 H100: 16 M tokens at 400 TFLOP/s a GPU)."""
    gpus_per_replica: PositiveCount = 128
    """GPUs of one model replica (tensor x pipeline parallel); the job shrinks by whole replicas."""
    on_shrink: Literal["smaller_batch", "same_batch"] = "smaller_batch"
    """"smaller_batch": the step time stays; "same_batch": it grows as replicas leave."""
    min_replicas: PositiveCount = 1
    """Replicas the job needs; with fewer it waits for capacity."""
    rejoin: Literal["next_restart", "checkpoint"] = "next_restart"
    """When a shrunk job takes nodes back: at the next restart, or by a planned stop at a checkpoint."""
    target_steps: PositiveCount | None = None
    """Steps after which the job is completed and its result handed over; left out: it trains on."""
    noise: NoiseSpec = field(default_factory=NoiseSpec)
    """Noise of the step time."""
