"""The recovery chain takes about six minutes, and each stage what the settings say."""

from collections import defaultdict
from pathlib import Path
from statistics import mean, stdev

import pytest

from goodputd.assembly import build
from goodputd.settings import load
from goodputd.sim.events import (
    DecisionMade,
    DetectionRaised,
    Fact,
    FaultOccurred,
    JobResized,
    StageFinished,
    TrainingResumed,
)
from goodputd.sim.taxonomy import Action, Component, Layer, Reason, StageName

CONFIG = Path(__file__).parents[1] / "config"
SEEDS = 20


def plain_incidents(facts: list[Fact]) -> list[tuple[TrainingResumed, dict[StageName, float], float]]:
    """Incidents of one crash or hang with one run of the plan: (resumed, stages, seconds to detect)."""
    found = []
    stages: dict[StageName, float] = {}
    faults, detections, cut = 0, [], False
    for fact in facts:
        match fact:
            case FaultOccurred():
                faults += 1
            case DetectionRaised():
                detections.append(fact.latency_seconds)
            case StageFinished():
                cut |= fact.cut or fact.stage in stages
                stages[fact.stage] = fact.seconds
            case TrainingResumed():
                if (
                    faults == 1
                    and len(detections) == 1
                    and not cut
                    and fact.component is not Component.FALSE_ALARM
                ):
                    found.append((fact, stages, detections[0]))
                stages, faults, detections, cut = {}, 0, [], False
            case _:
                pass
    return found


def test_stages_take_what_the_settings_say_and_the_whole_330_to_390_seconds() -> None:
    """Over 20 seeds of 54 days: stage means within 3 standard errors, fault to verified 330-390 s."""
    stages: dict[StageName, list[float]] = defaultdict(list)
    totals: list[float] = []
    for seed in range(SEEDS):
        settings = load(CONFIG / "llama3-16k.toml", overrides={"seed": seed}, environ={})
        simulation = next(s for s in build(settings) if s.name == "default")
        for resumed, took, _ in plain_incidents(simulation.advance_to(54 * 86400.0)):
            totals.append(resumed.stopped_seconds)
            for stage, seconds in took.items():
                stages[stage].append(seconds)
    scenario = next(s for s in settings.scenarios if s.name == "default")
    recovery, checkpoint = scenario.recovery, scenario.checkpoint
    configured = {
        StageName.DECIDE: recovery.decide_seconds,
        StageName.RESCHEDULE: recovery.reschedule_seconds,
        StageName.COLLECTIVE_INIT: recovery.collective_init_seconds,
        StageName.RESTORE: checkpoint.restore_seconds(scenario.cluster.nodes, resharded=False),
        StageName.COMPILE: recovery.compile_seconds,
        StageName.VERIFY: recovery.verify_seconds,
    }

    assert len(totals) > 5000
    assert 330.0 < mean(totals) < 390.0
    for stage, seconds in configured.items():
        error = stdev(stages[stage]) / len(stages[stage]) ** 0.5
        assert abs(mean(stages[stage]) - seconds) < 3 * error, stage


def test_the_shipped_timeline_is_exact_at_every_instant() -> None:
    """Second strike, no spare: detected at 30 s, decided 60, restarted 120, restored 300, verified 360 s."""
    (simulation,) = build(load(CONFIG / "recovery-timeline.toml", environ={}))
    facts = simulation.advance_to(86400.0)
    struck = [fact.at for fact in facts if isinstance(fact, FaultOccurred)][1]
    story = [fact for fact in facts if fact.at >= struck]

    def since(fact_type: type[Fact]) -> list[float]:
        return [fact.at - struck for fact in story if isinstance(fact, fact_type)]

    detection = next(fact for fact in story if isinstance(fact, DetectionRaised))
    decision = next(fact for fact in story if isinstance(fact, DecisionMade))
    resized = next(fact for fact in story if isinstance(fact, JobResized))
    ends = {fact.stage: fact.at - struck for fact in story if isinstance(fact, StageFinished)}

    assert (Layer.HEARTBEAT, [30.0]) == (detection.layer, since(DetectionRaised))
    assert (Action.EVICT, Reason.SECOND_STRIKE, [60.0]) == (
        decision.action,
        decision.reason,
        since(DecisionMade),
    )
    assert (1024, 960, [60.0]) == (resized.nominal_gpus, resized.active_gpus, since(JobResized))
    assert [120.0, 300.0, 360.0] == pytest.approx(
        [ends[stage] for stage in (StageName.COLLECTIVE_INIT, StageName.RESTORE, StageName.VERIFY)]
    )
    assert since(TrainingResumed) == pytest.approx([360.0])
