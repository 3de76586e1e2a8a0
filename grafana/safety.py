"""Dashboard "Fleet and capacity", last part: is the work safe, and is it right.

Checkpoints by tier, what they do not cover yet, and silent corruption. Draws counters and ages.
"""

from grafana_foundation_sdk.models import dashboard as model

from goodputd.sim.taxonomy import Bucket, CheckpointOutcome, CorruptionOutcome
from grafana import headlines
from grafana.board import Line, Section
from grafana.fields import A_DAY, HOURS, MINUTES
from grafana.palette import OUTCOMES, TIERS
from grafana.panels import Query, bars, trend
from grafana.queries import (
    DAY,
    SHOWN,
    WINDOW,
    across,
    current,
    hours,
    increase,
    minutes,
    over_time,
)


def safety() -> Section:
    """Checkpoints, work at risk, and corruption."""
    return Section("Is the work safe?", [Line(8, _checkpoints()), Line(8, _corruption())])


def _checkpoints() -> list[tuple[model.Panel, int]]:
    outcomes = headlines.a_day(increase("checkpoints_total", SHOWN, "tier", "outcome"), SHOWN)
    saves = bars(
        "Saves a day by tier and outcome",
        "Checkpoint saves per simulated day by what became of them, over the time shown; one that an incident"
        " interrupted cost time and saved nothing, one that is unreadable was saved before.",
        across(f'label_join({outcomes}, "saved_to", " to ", "scenario", "tier")', "saved_to", "outcome"),
        A_DAY,
        row="saved_to",
        column="outcome",
        colours={name: OUTCOMES[name] for name in CheckpointOutcome},
        stacked=True,
    )
    now = f"on (job, instance, scenario) group_left () {current('simulated_timestamp_seconds')}"
    newest = current("last_checkpoint_timestamp_seconds", "tier")
    age = trend(
        "Age of the newest checkpoint",
        "Simulated time since the last checkpoint became durable, and in grey the time between two saves."
        " It grows while the job stands still, and to many intervals where interruptions are more frequent"
        " than saves: each one starts the interval anew. Memory and local are tiers that a lost host may take"
        " along.",
        [
            Query(hours(f"-1 * ({newest} - {now})"), "{{scenario}} {{tier}}"),
            Query(hours(current("checkpoint_interval_seconds")), "{{scenario}} interval"),
        ],
        HOURS,
        limits=" interval",
    )
    at_risk = trend(
        "Work at risk",
        "Trained time that no durable checkpoint covers, the most in a simulated day: what an interruption"
        " would have cost.",
        [Query(hours(over_time("max", "provisional_seconds", DAY)))],
        HOURS,
    )
    retracted = trend(
        "Work taken back a day",
        "Trained time per simulated day that a checkpoint covered and that was taken back nevertheless,"
        " because the restore went further back; over the last three days.",
        [Query(minutes(headlines.a_day(increase("retracted_seconds_total", WINDOW), WINDOW)))],
        MINUTES,
    )
    return [(saves, 6), (age, 6), (at_risk, 6), (retracted, 6)]


def _corruption() -> list[tuple[model.Panel, int]]:
    outcomes = bars(
        "What became of silent corruption (a day)",
        "Silent corruptions per simulated day by what became of them, over the time shown: detected before a"
        " checkpoint held them, baked into one, or harmless because a restore for another reason took them"
        " away. Known to the simulation only, but for what was detected.",
        headlines.in_the_time_shown("corruptions_total", "outcome"),
        A_DAY,
        row="scenario",
        column="outcome",
        colours={name: OUTCOMES[name] for name in CorruptionOutcome},
        stacked=True,
    )
    baked = increase("corruptions_total", WINDOW, outcome=CorruptionOutcome.BAKED)
    struck = trend(
        "Silent corruption a day (ground truth)",
        "GPUs that corrupted the training state, per simulated day over the last three days, and (dashed)"
        " those of them that a checkpoint was saved with. Zero unless [corruption] or a kind of fault says"
        " how often.",
        [
            Query(headlines.a_day(increase("corruptions_injected_total", WINDOW), WINDOW)),
            Query(headlines.a_day(baked, WINDOW), "{{scenario}} baked in"),
        ],
        A_DAY,
        second=" baked in",
    )
    validation = increase("time_seconds_total", WINDOW, bucket=Bucket.VALIDATION)
    validating = trend(
        "Validation a day",
        "Time per simulated day in which the job looked for corrupt state instead of training, over the last"
        " three days. Zero where the validation layer is off.",
        [Query(minutes(headlines.a_day(validation, WINDOW)))],
        MINUTES,
    )
    restored = bars(
        "Restores a day by tier",
        "Restores that training went on from, per simulated day by where the checkpoint lay, over the time"
        " shown.",
        headlines.in_the_time_shown("restores_total", "tier"),
        A_DAY,
        row="scenario",
        column="tier",
        colours=TIERS,
        stacked=True,
    )
    return [(outcomes, 6), (struck, 6), (validating, 6), (restored, 6)]
