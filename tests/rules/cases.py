"""One case for each alert: what makes it fire, what just does not, and what it says then.

The numbers are growths in a simulated day and gauges; ``worlds`` has those of a healthy day, in which
ten interruptions are expected and happen.
"""

from typing import Final

from tests.rules.worlds import DAY, OF_THE_SCENARIO, OF_THE_TARGET, STEPS, Case, World

_CRITICAL: Final = {"severity": "critical", **OF_THE_SCENARIO}
_WARNING: Final = {"severity": "warning", **OF_THE_SCENARIO}
_HARDWARE: Final = 'interruptions_total{component="gpu", layer="hardware"}'
_WATCHDOG: Final = 'interruptions_total{component="gpu", layer="watchdog"}'
_PERSON: Final = 'interruptions_total{component="gpu", layer="none"}'
_SOFTWARE: Final = 'interruptions_total{component="software", layer="heartbeat"}'
_FALSE_ALARM: Final = 'interruptions_total{component="false_alarm", layer="gradient"}'
_PRODUCTIVE: Final = 'time_seconds_total{bucket="productive"}'
_WAITING: Final = 'time_seconds_total{bucket="waiting_for_capacity"}'
_NO_CAPACITY: Final = 'decisions_total{action="wait_for_capacity", reason="no_capacity"}'
_IDLE: Final = 'gpu_seconds_total{bucket="idle_capacity"}'
_EVICTED: Final = 'decisions_total{action="evict", reason="second_strike"}'
_RETIRED: Final = 'decisions_total{action="retire", reason="low_score"}'
_GUARDED: Final = 'decisions_total{action="restart", reason="depletion_guard"}'
_BAKED: Final = 'corruptions_total{outcome="baked"}'
_CONTINUOUS: Final = 'verifications_total{outcome="continuous"}'
_JUMP: Final = 'verifications_total{outcome="jump"}'
_FALSE_JUMP: Final = 'verifications_total{outcome="false_jump"}'
_MISSED: Final = 'verifications_total{outcome="missed"}'

_FEW: Final[World] = {_HARDWARE: 0.7, _SOFTWARE: 0.1, _FALSE_ALARM: 0.0, "expected_interruptions_total": 0.8}
"""Nine incidents in no window."""


def _every_recovery_takes(seconds: float) -> World:
    """All ten of a day, in the bucket from 420 to 480 s."""
    return {
        "recovery_seconds_sum": 10 * seconds,
        'recovery_seconds_bucket{le="300.0"}': 0,
        'recovery_seconds_bucket{le="360.0"}': 0,
        'recovery_seconds_bucket{le="420.0"}': 0,
    }


def _interrupted(times_a_day: float) -> World:
    """By hardware and, two times, by software; no false alarms."""
    return {_HARDWARE: times_a_day - 2.0, _FALSE_ALARM: 0.0}


CASES: Final = {
    "GoodputBelowTarget": Case(
        # 50 interruptions in five days: luck moves goodput by 0.1 / sqrt(50), three times that is 0.0424
        fires={_PRODUCTIVE: 0.857 * DAY},
        quiet={_PRODUCTIVE: 0.858 * DAY},
        labels=_CRITICAL,
        summary="Goodput of default is below its target.",
        description="Over five simulated days default on trainer:9642 spent 85.7% of its time on work that "
        "was kept. That is further below goodputd_target_goodput_ratio than the luck of that many "
        "interruptions explains.",
        also_fires={"work is taken back": {"retracted_seconds_total": 0.063 * DAY}},
        also_quiet={
            "fewer than ten interruptions": {_PRODUCTIVE: 0.5 * DAY, **_FEW},
            "the scenario is for comparison": {_PRODUCTIVE: 0.5 * DAY, "scenario_alerting": 0},
        },
    ),
    "MttrOverBudget": Case(
        fires=_every_recovery_takes(391),
        quiet=_every_recovery_takes(389),
        labels=_CRITICAL,
        summary="Recovery of default takes longer than its budget.",
        description="Over three simulated days an incident of default on trainer:9642 stopped training for "
        "6m 31s on average, more than goodputd_target_mttr_seconds. It is not one bad restart: every fourth "
        "took over a tenth longer than that.",
        also_quiet={
            # Of the thirty in three days one takes four hours, so that the mean is 820 s.
            "one restart takes four hours": {
                "recovery_seconds_sum": 3400 + 14400 / 3,
                'recovery_seconds_bucket{le="420.0"}': 10 - 1 / 3,
                'recovery_seconds_bucket{le="480.0"}': 10 - 1 / 3,
            },
            "fewer than ten interruptions": {**_every_recovery_takes(3000), **_FEW},
        },
    ),
    "InterruptionRateAboveExpectation": Case(
        fires=_interrupted(15.1),
        quiet=_interrupted(14.9),
        labels=_WARNING,
        summary="default is interrupted more often than its fleet should be.",
        description="For ten simulated days default on trainer:9642 has had 1.51 times the interruptions "
        "that its rates lead to expect.",
        also_quiet={
            # Ten in ten days where six were to be expected: 1.6 standard deviations.
            "ten where six are expected": {
                _HARDWARE: 1.0, _SOFTWARE: 0.0, _FALSE_ALARM: 0.0, "expected_interruptions_total": 0.6
            },
            "nothing is expected": {"expected_interruptions_total": 0},
        },
    ),
    "InterruptionsBeyondChance": Case(
        # expecting 30 in three days, four standard deviations are 21.9
        fires=_interrupted(17.35),
        quiet=_interrupted(17.25),
        labels=_CRITICAL,
        summary="default sees a burst of interruptions that chance does not explain.",
        with_it=("InterruptionRateAboveExpectation",),
        description="The interruptions of default on trainer:9642 over three simulated days are 4.026 "
        "standard deviations above those to expect.",
        also_quiet={
            # Nine in three days, expecting half a one, are twelve standard deviations.
            "fewer than ten interruptions": {
                _HARDWARE: 3.0, _SOFTWARE: 0.0, _FALSE_ALARM: 0.0, "expected_interruptions_total": 0.17
            },
        },
    ),
    "NodeFailingRepeatedly": Case(
        fires={'node_strikes{node="17"}': 4},
        quiet={'node_strikes{node="17"}': 3},
        labels={**_WARNING, "node": "17"},
        summary="Node 17 of default fails again and again.",
        description="Node 17 of default on trainer:9642 has 4 strikes standing and is still in the job after "
        "three simulated days.",
        also_quiet={"four strikes for two days": {'node_strikes{node="17"}': f"2x{STEPS - 8} 4x7"}},
    ),
    "WatchdogDoingTheDetecting": Case(
        fires={_HARDWARE: 5.7, _WATCHDOG: 2.1},
        quiet={_HARDWARE: 5.9, _WATCHDOG: 1.9},
        labels=_WARNING,
        summary="The watchdog does the detecting for default.",
        description="Over three simulated days 21% of the interruptions of default on trainer:9642 were "
        "noticed by the watchdog or by a person. The fast layers are blind to them.",
        also_fires={"a person does": {_HARDWARE: 5.7, _PERSON: 2.1}},
    ),
    "HardwareLayerBlind": Case(
        fires={'detection_seconds_count{layer="hardware", result="first"}': 6.14},
        quiet={'detection_seconds_count{layer="hardware", result="first"}': 6.25},
        labels=_WARNING,
        summary="The hardware layer of default misses faults that were logged.",
        description="Over three simulated days the hardware layer of default on trainer:9642 claimed "
        "79.25% of the faults that left a hardware event.",
        also_quiet={
            "fewer than ten events": {
                'detection_seconds_count{layer="hardware", result="first"}': 0.0, "hardware_events_total": 3.2
            },
            "the layer is off": {
                'detection_seconds_count{layer="hardware", result="first"}': "stale",
                'detection_seconds_count{layer="hardware", result="late"}': "stale",
            },
        },
    ),
    "FalseAlarmRateHigh": Case(
        fires={_HARDWARE: 5.9, _FALSE_ALARM: 2.1, 'false_alarms_total{layer="gradient"}': 2.1},
        quiet={_HARDWARE: 6.1, _FALSE_ALARM: 1.9, 'false_alarms_total{layer="gradient"}': 1.9},
        labels=_WARNING,
        summary="The layers of default cry wolf.",
        description="Over three simulated days 21% of the interruptions of default on trainer:9642 were "
        "false alarms, each of which cost a restart.",
    ),
    "SparesExhausted": Case(
        fires={_IDLE: 0.0021 * 1024 * DAY},
        quiet={_IDLE: 0.0019 * 1024 * DAY},
        labels=_CRITICAL,
        summary="default runs smaller than it should: there was no spare.",
        description="Over three simulated days default on trainer:9642 gave up 0.21% of its GPU time to "
        "replicas that could not be filled.",
        also_fires={"nodes are retired": {_IDLE: 0.05 * 1024 * DAY, _EVICTED: 0, _RETIRED: 0.7}},
        also_quiet={"one eviction": {_IDLE: 0.05 * 1024 * DAY, _EVICTED: 1 / 3}},
    ),
    "SparesRunningOut": Case(
        fires={'nodes{state="spare"}': 3.9},
        quiet={'nodes{state="spare"}': 4.1},
        labels=_WARNING,
        summary="default is running out of spares.",
        description="Over three simulated days default on trainer:9642 had 24.38% of its spare nodes ready "
        "on average; the others were in the job or in repair.",
        also_quiet={"there never were spares": {'nodes{state="spare"}': 0, "spares_configured": 0}},
    ),
    "WaitingForCapacity": Case(
        fires={_WAITING: 0.051 * DAY, _NO_CAPACITY: 0.7},
        quiet={_WAITING: 0.049 * DAY, _NO_CAPACITY: 0.7},
        labels=_CRITICAL,
        summary="default stands still for want of nodes.",
        description="default on trainer:9642 waited for capacity 5.1% of the last three simulated days.",
        also_fires={"one wait for most of three days": {_WAITING: 0.51 * DAY, **_FEW}},
        also_quiet={"one wait for a day": {_WAITING: DAY / 3, _NO_CAPACITY: 1 / 3}},
    ),
    "TooFewNodesToRetire": Case(
        fires={_GUARDED: 0.7},
        quiet={_GUARDED: 0.65},
        labels=_WARNING,
        summary="default keeps nodes that its policy would take out for good.",
        description="Over three simulated days the policy of default on trainer:9642 was overruled 2.1 "
        "times: so many nodes have left the fleet that the job needs every one of the rest.",
        also_quiet={
            "fewer than ten interruptions": {_GUARDED: 5, **_FEW},
            "the scenario is for comparison": {_GUARDED: 5, "scenario_alerting": 0},
        },
    ),
    "CorruptionBakedIn": Case(
        fires={_BAKED: 0.11},
        quiet={_BAKED: 0.09},
        labels=_CRITICAL,
        summary="Checkpoints of default were saved with corrupt state.",
        description="Over ten simulated days 1.1 silent corruptions of default on trainer:9642 were in a "
        "checkpoint before a validation found them. What was trained since is worth nothing, whether anybody "
        "has found out or not.",
        also_quiet={
            "all of it is found in time": {_BAKED: 0, 'corruptions_total{outcome="detected"}': 9},
            "the scenario is for comparison": {_BAKED: 9, "scenario_alerting": 0},
        },
    ),
    "LossNotContinuousAfterRestore": Case(
        fires={_CONTINUOUS: 8.98, _JUMP: 1.02},
        quiet={_CONTINUOUS: 9.02, _JUMP: 0.98},
        labels=_CRITICAL,
        summary="The loss of default jumps after restores.",
        description="Over ten simulated days 10.2% of the restores of default on trainer:9642 did not go on "
        "where the loss was, and were restored again.",
        also_quiet={"two of ten": {_CONTINUOUS: 0.8, _JUMP: 0.2}},
    ),
    "VerificationFailures": Case(
        fires={_CONTINUOUS: 9.39, _FALSE_JUMP: 0.21, _MISSED: 0.3},
        quiet={_CONTINUOUS: 9.41, _FALSE_JUMP: 0.19, _MISSED: 0.3},
        labels=_WARNING,
        summary="Verification of default gets it wrong.",
        description="Over ten simulated days 5.1% of the checks after a restore of default on trainer:9642 "
        "rejected a good restore or passed a wrong one.",
        also_quiet={"two of ten": {_CONTINUOUS: 0.8, _JUMP: 0.0, _MISSED: 0.2}},
    ),
    "SimulatedClockStopped": Case(
        fires={"elapsed_seconds_total": 0},
        quiet={"elapsed_seconds_total": 1},
        labels={"severity": "critical", **OF_THE_TARGET},
        summary="Simulated time stands still on trainer:9642.",
        description="No scenario on trainer:9642 moved for 1m although the clock is not paused.",
        also_fires={
            "an instant is told": {"elapsed_seconds_total": 0, "last_advance_timestamp_seconds": 1_800_000}
        },
        also_quiet={
            "the clock is paused": {"elapsed_seconds_total": 0, "speedup_ratio": 0},
            "every job is completed": {
                "elapsed_seconds_total": 0, "last_advance_timestamp_seconds": f"0+15x{STEPS}"
            },
        },
    ),
    "GoodputdLagging": Case(
        fires={"lag_wall_seconds": 1.01},
        quiet={"lag_wall_seconds": 0.99},
        labels={"severity": "warning", **OF_THE_TARGET},
        summary="goodputd on trainer:9642 does not keep its speedup.",
        description="The simulations on trainer:9642 are 1.01s behind their pace. Windows then hold fewer "
        "simulated days than their names say.",
        also_quiet={"for three quarters of a minute": {"lag_wall_seconds": f"0x{STEPS - 4} 5x3"}},
    ),
    "GoodputdDown": Case(
        fires={"up": 0, "build_info": "stale"},
        quiet={"up": f"1x{STEPS - 4} 0x3", "build_info": f"1x{STEPS - 4} stale"},
        labels={"severity": "critical", **OF_THE_TARGET},
        summary="goodputd on trainer:9642 cannot be scraped.",
        description="Prometheus knows trainer:9642 and gets no answer from it.",
    ),
    "GoodputdAbsent": Case(
        fires={"up": "stale", "build_info": "stale"},
        quiet={"up": f"1x{STEPS - 4} stale", "build_info": f"1x{STEPS - 4} stale"},
        labels={"severity": "critical"},
        summary="No goodputd is being scraped.",
        description="Prometheus has no sample of goodputd_build_info: it scrapes no goodputd.",
        also_quiet={"a target is known and down": {"up": 0, "build_info": "stale"}},
    ),
}  # fmt: skip
