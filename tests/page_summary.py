"""What ``goodputd simulate --json`` prints of a scenario, put together from a page of metrics.

Knows which metric holds which number of the object, and nothing of simulations.
"""

import math
from typing import Any, Final

from goodputd.metrics.family import PREFIX
from tests.prometheus import Page

NOT_ON_THE_PAGE: Final = {"paired"}
"""What the object says about the settings of other scenarios."""


def flat(value: Any, path: str = "") -> dict[str, Any]:  # noqa: ANN401 - JSON
    """A JSON object as one level: ``{"time_seconds.productive": 1.0}``."""
    if not isinstance(value, dict):
        return {path: value}
    nested = [flat(each, f"{path}.{key}" if path else key) for key, each in value.items()]
    return {key: each for level in nested for key, each in level.items()}


class PageSummary:
    """One scenario of a page."""

    def __init__(self, page: Page, scenario: str, like: dict[str, Any]) -> None:
        """``like`` is an object of the same kind: it says which members of closed sets to name."""
        self._page = page
        self._scenario = scenario
        self._like = like

    def all(self) -> dict[str, Any]:
        """The object, flat."""
        return flat(
            {
                "name": self._scenario,
                **self._progress(),
                **self._reliability(),
                **self._time(),
                **self._rest(),
            }
        )

    def _progress(self) -> dict[str, Any]:
        saves = self._by("outcome", "checkpoints_total")
        return {
            "simulated_seconds": self._one("elapsed_seconds_total"),
            "steps": self._one("steps_total"),
            "step": self._one("step"),
            "lost_steps": self._one("lost_steps_total"),
            "retracted_steps": self._one("retracted_steps_total"),
            "step_seconds": self._one("step_seconds"),
            "step_time_ratio": math.prod(self._by("cause", "step_time_ratio").values()),
            "loss": self._one("loss"),
            "checkpoints": saves["saved"],
            "checkpoints_interrupted": saves["interrupted"],
            "checkpoint_interval_seconds": self._one("checkpoint_interval_seconds"),
        }

    def _corruptions(self) -> dict[str, float]:
        injected, outcomes = self._one("corruptions_injected_total"), self._by("outcome", "corruptions_total")
        assert injected is not None
        return {"injected": injected, **outcomes, "pending": injected - sum(outcomes.values())}

    def _fleet(self) -> dict[str, Any]:
        return {
            "spares": self._by("readiness", "spare_nodes"),
            "repairs": {
                stage: self._by("outcome", "repairs_total", stage=stage)
                for stage in self._like["fleet"]["repairs"]
            },
            "repair_line": self._one("repair_line_nodes"),
            "hot_resets": self._by("outcome", "hot_resets_total"),
            "misdiagnoses": self._by("outcome", "misdiagnoses_total"),
            "host_selections": self._one("host_selections_total"),
            "displaced_nodes": self._one("displaced_nodes_total"),
            "preemptions": self._one("preemptions_total"),
            "drained_nodes": self._one("drained_nodes_total"),
            "lemons": self._one("lemon_nodes"),
            "lemon_faults": self._one("lemon_faults_total"),
            "in_burst": self._one("fault_burst"),
        }

    def _tiers(self) -> dict[str, Any]:
        restored = self._by("tier", "restores_total")
        return {
            tier: {**self._by("outcome", "checkpoints_total", tier=tier), "restored": restored[tier]}
            for tier in restored
        }

    def _detections(self) -> dict[str, Any]:
        missed = self._by("layer", "detection_misses_total")
        return {
            layer: {**self._by("result", "detection_seconds_count", layer=layer), "missed": missed[layer]}
            for layer in missed
        }

    def _reliability(self) -> dict[str, Any]:
        components = self._by("component", "interruptions_total")
        layers = self._by("layer", "interruptions_total")
        planned = components.pop("planned")
        del layers["planned"]
        found = self._by("layer", "detection_seconds_count", result="first")
        took = self._by("layer", "detection_seconds_sum", result="first")
        like = self._like
        return {
            "interruptions": {
                "total": sum(components.values()),
                "by_component": components,
                "by_layer": _complete(layers, like["interruptions"]["by_layer"]),
            },
            "expected_interruptions": self._one("expected_interruptions_total"),
            "planned_stops": planned,
            "faults": {
                "by_kind": self._by("kind", "faults_total"),
                "by_origin": _complete(self._by("origin", "faults_total"), like["faults"]["by_origin"]),
            },
            "undetected_faults": self._one("undetected_faults"),
            "corruptions": self._corruptions(),
            "false_alarms": self._by("layer", "false_alarms_total"),
            "mttr_seconds": self._one("mttr_seconds"),
            "mtbf_seconds": self._one("mtbf_seconds"),
            "mttd_seconds": sum(took.values()) / sum(found.values()),
            "mttd_seconds_by_symptom": self._optional("symptom", "mttd_seconds", "mttd_seconds_by_symptom"),
        }

    def _time(self) -> dict[str, Any]:
        counts = self._by("stage", "recovery_stage_seconds_count")
        seconds = self._by("stage", "recovery_stage_seconds_sum")
        idle = self._one("gpu_seconds_total", bucket="idle_capacity")
        elapsed, gpus = self._one("elapsed_seconds_total"), self._one("nominal_gpus")
        assert idle is not None
        assert elapsed
        assert gpus
        return {
            "recovery_stage_seconds": {
                stage: seconds[stage] / count if count else None for stage, count in counts.items()
            },
            "time_seconds": self._by("bucket", "time_seconds_total"),
            "provisional_seconds": self._one("provisional_seconds"),
            "retracted_seconds": self._one("retracted_seconds_total"),
            "effective_training_time_ratio": self._one("effective_training_time_ratio"),
            "effective_utilization_ratio": self._one("effective_utilization_ratio"),
            "effective_compute_ratio": self._one("effective_compute_ratio"),
            "idle_capacity_ratio": idle / (elapsed * gpus),
        }

    def _rest(self) -> dict[str, Any]:
        states = self._by("state", "job_state")
        reasons = self._by("reason", "decisions_total")
        return {
            "decisions": _complete(self._by("action", "decisions_total"), self._like["decisions"]),
            "decisions_by_reason": _complete(reasons, self._like["decisions_by_reason"]),
            "recovery_success_ratio": self._optional(
                "action", "recovery_success_ratio", "recovery_success_ratio"
            ),
            "detections": self._detections(),
            "checkpoint_tiers": self._tiers(),
            "fleet": self._fleet(),
            "nodes": self._by("state", "nodes"),
            "job_state": max(states, key=lambda state: states[state]),
        }

    def _one(self, name: str, **labels: str) -> float | None:
        return self._page.value(PREFIX + name, scenario=self._scenario, **labels)

    def _by(self, label: str, name: str, **having: str) -> dict[str, float]:
        return self._page.totals(PREFIX + name, label, scenario=self._scenario, **having)

    def _optional(self, label: str, name: str, key: str) -> dict[str, float | None]:
        return {member: self._one(name, **{label: member}) for member in self._like[key]}


def _complete(found: dict[str, float], members: dict[str, Any]) -> dict[str, float]:
    """Members of a closed set that the page leaves out are 0: a layer that is off, for instance."""
    return {**dict.fromkeys(members, 0.0), **found}
