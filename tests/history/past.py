"""A past to ask about: small scenarios, scripted or busy, whose facts a history has been handed.

``Past`` takes TOML that is put behind the small tables; node faults strike only when scripted.
"""

import asyncio
from collections.abc import Iterable
from typing import Any

from goodputd import assembly, settings
from goodputd.history.keeping import Chronicle, History
from goodputd.history.postmortem import PostMortem, post_mortem
from goodputd.history.records import IncidentRecord
from goodputd.sim.events import Fact

DAY = 86400.0

TABLES = """
[cluster]
nodes = 16
spares = {spares}
[job]
step_seconds = 10.0
gpus_per_replica = 64
min_replicas = {min_replicas}
rejoin = "{rejoin}"
[policy.strikes]
on_slow = "{on_slow}"
[detection]
layers = [{layers}]
[detection.heartbeat]
jitter_seconds = 0.0
[detection.gradient]
z_threshold = {z_threshold}
[recovery]
spread = {spread}
wrong_restore_probability = {wrong_restore_probability}
[checkpoint]
interval_steps = 10
save_seconds = 5.0
size_bytes = 1e9
total_bandwidth_bytes_per_second = 1e7
[faults]
catalog = "none"
[[faults.kinds]]
name = "crash"
component = "gpu"
event = "XID 79"
transient_probability = 0.5
per_node_day = {per_node_day}
[[faults.kinds]]
name = "hang"
component = "switch"
symptom = "hang"
per_node_day = 0.0
[[faults.kinds]]
name = "slow"
component = "gpu"
symptom = "slow"
slow_factor = 1.5
step_time_sigmas = 20.0
per_node_day = 0.0
[[faults.kinds]]
name = "benign"
component = "memory"
symptom = "benign"
event = "XID 92"
per_node_day = 0.0
[[faults.kinds]]
name = "bug"
component = "software"
scope = "job"
per_job_day = {per_job_day}
[[faults.kinds]]
name = "flip"
component = "memory"
symptom = "corrupt"
per_node_day = {corrupt_per_node_day}
"""
PLAIN: dict[str, Any] = {
    "spares": 2,
    "min_replicas": 1,
    "rejoin": "next_restart",
    "on_slow": "restart",
    "layers": '"heartbeat", "hardware", "watchdog", "gradient"',
    "z_threshold": 6.0,
    "spread": 0.0,
    "wrong_restore_probability": 0.0,
    "per_node_day": 0.0,
    "per_job_day": 0.0,
    "corrupt_per_node_day": 0.0,
}
BUSY: dict[str, Any] = {
    "per_node_day": 0.2,
    "per_job_day": 0.5,
    "spread": 0.2,
    "wrong_restore_probability": 0.1,
}
"""Something breaks every few hours, and restores are sometimes wrong."""
CORRUPT: dict[str, Any] = {
    **BUSY,
    "corrupt_per_node_day": 0.05,
    "layers": '"heartbeat", "hardware", "gradient", "validation"',
}
"""The same with silent corruption, half of which is baked into a checkpoint before a validation."""
VALIDATED: str = """
[detection.validation]
every_steps = 21
"""
FLEET: str = """
[policy]
name = "score"
score.evict_at = 30.0
score.retire_at = -60.0
[cluster.capacity]
warm_standbys = 1
host_selection_seconds = 60.0
[cluster.repair]
stages = "automatic_then_manual"
hot_reset_probability = 0.5
[detection.diagnosis]
found_probability = 0.8
innocent_probability = 0.2
"""
"""Everything that can be done about nodes, and done wrong."""


def strike(
    at: float, kind: str, node: int | None = 0, *, transient: bool = True, logged: bool = False
) -> str:
    """TOML of a scripted fault."""
    where = "" if node is None else f"node = {node}\n"
    flags = f"transient = {str(transient).lower()}\nlogged = {str(logged).lower()}\n"
    return f'[[faults.script]]\nat_seconds = {at!r}\nkind = "{kind}"\n{where}{flags}'


FOUND_LATE: tuple[str, ...] = (strike(4100.0, "flip", 3), strike(4200.0, "crash", 5, logged=True), VALIDATED)
"""Corrupted after step 382 and saved at 390; a crash restores that; the validation of step 399 finds it."""
VALIDATION: dict[str, Any] = {"layers": '"hardware", "validation"'}


class Past:
    """Scenarios that were played, and the history of them."""

    def __init__(self, *script: str, scenarios: Iterable[str] = (), **tables: Any) -> None:  # noqa: ANN401 - see PLAIN
        """``script`` is faults and other TOML; without ``scenarios``, tables, there is one, "default"."""
        text = TABLES.format(**{**PLAIN, **tables})
        entries = "".join(f"[[scenario]]\n{entry}\n" for entry in scenarios)
        self.settings = settings.parse(f"{text}{''.join(script)}{entries}", source="past.toml", environ={})
        self.simulations = assembly.build(self.settings)
        self.history = History(self.settings.scenarios)
        self.facts: dict[str, list[Fact]] = {simulation.name: [] for simulation in self.simulations}
        self.now = 0.0

    def until(self, at: float) -> "Past":
        """Play to ``at`` seconds, inclusive."""
        for simulation in self.simulations:
            facts = simulation.advance_to(at)
            self.facts[simulation.name] += facts
            self.history.facts(simulation.name, facts)
        self.now = at
        return self

    def chronicle(self, scenario: str = "default") -> Chronicle:
        """The chronicle of one scenario."""
        found = self.history.of(scenario)
        assert found is not None
        return found

    def incident(self, number: int, scenario: str = "default") -> IncidentRecord:
        """One incident."""
        found = self.chronicle(scenario).incident(number, self.now)
        assert found is not None
        return found

    def post_mortem(self, number: int, scenario: str = "default") -> PostMortem:
        """The post-mortem of one incident."""
        found = asyncio.run(post_mortem(self.history, self.chronicle(scenario), number, self.now))
        assert found is not None
        return found

    def all(self, scenario: str = "default") -> list[IncidentRecord]:
        """Every incident that is kept, oldest first."""
        return list(self.chronicle(scenario).newest_first(self.now))[::-1]


def waiting(bugs: int, *, repair_hours: float = 100_000.0) -> Past:
    """The second incident waits for a repair while one software fault a minute strikes, so many in all."""
    scenarios = [f'name = "{name}"\ncluster.repair_hours = {repair_hours!r}' for name in ("default", "other")]
    faults = [strike(8000.0 + 60.0 * number, "bug", None) for number in range(bugs)]
    twice = (strike(3600.0, "crash"), strike(7200.0, "crash"))
    return Past(*twice, *faults, scenarios=scenarios, spares=0, min_replicas=2)
