"""The summary for people, drawn on consoles of several widths and encodings."""

import io
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from rich.console import Console

from goodputd.commands.table import print_summary
from goodputd.sim.snapshot import Corruptions, Snapshot, StepTime
from goodputd.sim.taxonomy import (
    IDLE_CAPACITY,
    Action,
    Bucket,
    Component,
    CorruptionOutcome,
    Layer,
    NodeState,
    Reason,
    Slowing,
)
from goodputd.summary import Target, summarize
from tests.snapshots import BUCKETS, NOW, snapshot


def drawn(*snapshots: Snapshot, width: int = 80, encoding: str = "utf-8", **told: Any) -> list[str]:  # noqa: ANN401 - what summarize takes
    """The lines of the summary of these scenarios."""
    out = io.TextIOWrapper(io.BytesIO(), encoding=encoding, newline="")
    console = Console(file=out, width=width, markup=False, highlight=False)
    print_summary(summarize(snapshots, version="1.2.3", seed=7, **told), console, source="here.toml")
    out.seek(0)
    return [line.rstrip() for line in out.read().splitlines()]


def row(lines: list[str], label: str) -> list[str]:
    """The cells of the first line that begins with ``label``."""
    line = next(line for line in lines if line.strip().startswith(f"{label} "))
    return line.strip().removeprefix(label).split()


def bars(**shares: float) -> list[str]:
    """The lines of a scenario whose time went to these buckets, in shares, and else was productive."""
    seconds = {**dict.fromkeys(Bucket, 0.0), Bucket.PRODUCTIVE: NOW * (1.0 - sum(shares.values()))}
    seconds |= {Bucket(name): NOW * share for name, share in shares.items()}
    return drawn(snapshot(seconds=seconds, provisional_seconds=0.0))


@pytest.mark.parametrize(
    ("label", "cell"),
    [
        ("goodput", "98.44%"),
        ("interruptions", "3"),
        ("MTTR", "5 min 53 s"),
        ("lost steps", "118"),
        ("checkpoints", "1,200"),
        ("decided: restart (held)", "1 (100%)"),
        ("decided: evict (held)", "1 (-)"),
        ("software", "1"),
        ("hardware", "2"),
    ],
)
def test_headline_figures_have_a_row(label: str, cell: str) -> None:
    """Ratios are percentages, durations have units, and what has no data is a dash."""
    assert cell == " ".join(row(drawn(snapshot()), label))


def test_each_scenario_is_a_column() -> None:
    """Scenarios stand side by side in the order of the settings."""
    lines = drawn(snapshot("a", mttr_seconds=60.0), snapshot("b", mttr_seconds=None))
    assert ["a", "b"] == lines[2].split()
    assert ["1", "min", "-"] == row(lines, "MTTR")


def test_what_never_happened_has_no_row() -> None:
    """Components and layers without an interruption are left out."""
    lines = drawn(snapshot())
    assert [] == [line for line in lines if "watchdog" in line or "storage" in line]


def test_planned_stops_have_a_row_when_there_were_any() -> None:
    """Maintenance is told apart from interruptions; without it there is no such row."""
    stopped = {**snapshot().interruptions, (Component.PLANNED, Layer.PLANNED): 4}

    assert ["4", "0"] == row(drawn(snapshot("a", interruptions=stopped), snapshot("b")), "planned stops")
    assert [] == [line for line in drawn(snapshot()) if "planned" in line]


LITTLE: dict[str, Any] = {
    "corruptions": Corruptions(0, dict.fromkeys(CorruptionOutcome, 0)),
    "step_time": StepTime(6.0, dict.fromkeys(Slowing, 1.0)),
    "decisions": dict.fromkeys(product(Action, Reason), 0),
}
"""No corruption, steps as in the settings, nobody evicted."""


def with_fleet(**changes: Any) -> Snapshot:  # noqa: ANN401 - any field of a fleet
    """Little happened, and this to the fleet."""
    return snapshot(**LITTLE, fleet=replace(snapshot().fleet, **changes))


def with_nodes(**counts: int) -> Snapshot:
    """Little happened, and so many nodes are in these states."""
    return snapshot(**LITTLE, nodes={**snapshot().nodes, **{NodeState(s): n for s, n in counts.items()}})


@pytest.mark.parametrize(
    ("label", "cell", "having"),
    [
        ("SDC injected", "3", snapshot()),
        ("SDC detected", "0", snapshot()),
        ("SDC baked in", "2", snapshot()),
        ("step time, now", "x 1.250", snapshot()),
        (
            "idle capacity",
            "12.50%",
            snapshot(**LITTLE, gpu_seconds={**snapshot().gpu_seconds, IDLE_CAPACITY: 128 * NOW}),
        ),
        ("spares left", "2", snapshot()),
        ("in repair", "3", with_nodes(repairing=3)),
        ("of them wait for a crew", "4", with_fleet(repair_line=4)),
        ("retired", "5", with_nodes(retired=5)),
        ("displaced", "6", with_fleet(displaced_nodes=6)),
    ],
)
def test_what_is_not_there_has_no_row(label: str, cell: str, having: Snapshot) -> None:
    """Corruption, slower steps and what became of nodes are told where there is any."""
    assert cell == " ".join(row(drawn(having), label))
    assert [] == [line for line in drawn(snapshot(**LITTLE)) if line.strip().startswith(label)]


@pytest.mark.parametrize("width", [60, 80, 200])
def test_it_fits_the_console(width: int) -> None:
    """Scenarios that do not fit side by side go below, and no line is wider than the console."""
    names = [f"scenario-{number}" for number in range(7)]
    lines = drawn(*map(snapshot, names), width=width)
    assert max(map(len, lines)) <= width
    for name in names:
        assert any(name in line.split() for line in lines)


def test_bars_add_up_to_the_whole_time() -> None:
    """The shares of one scenario are 100 %, what is not yet saved and what was taken back included."""
    lines = drawn(snapshot(retracted_seconds=8640.0))
    start = next(n for n, line in enumerate(lines) if line.startswith("where the time went"))
    shares = [float(line.split()[-1].removesuffix("%")) for line in lines[start + 1 :] if line.endswith("%")]
    assert pytest.approx(100.0, abs=0.05) == sum(shares)
    assert "1.00%" == row(lines, "retracted work")[-1]


def test_the_productive_bar_is_the_goodput() -> None:
    """Work that was taken back is not shown as productive, as in the ratio."""
    kept = BUCKETS[Bucket.PRODUCTIVE] - 8640.0
    assert f"{kept / NOW:.2%}" == row(drawn(snapshot(retracted_seconds=8640.0)), "productive")[-1]


def test_a_bar_is_as_long_as_its_share() -> None:
    """Half of the time is half of the bar of all of it."""
    half, whole = (row(bars(lost_work=share), "lost work")[1] for share in (0.5, 1.0))
    assert len(whole) == 2 * len(half)
    assert {"█"} == set(whole)


def test_the_smallest_share_still_shows() -> None:
    """What happened at all has a sliver of a bar; what did not has no line."""
    lines = bars(straggler=1e-6)
    assert ["default", "▏", "0.00%"] == row(lines, "straggler")
    assert not any(line.startswith("validation") for line in lines)


def test_a_terminal_without_unicode_gets_plain_bars() -> None:
    """Everything is ASCII where only ASCII can be shown."""
    assert row(drawn(snapshot(), encoding="ascii"), "productive")[1].startswith("####")


def test_a_target_has_its_rows() -> None:
    """When it was reached, or that it was not."""
    targets = {
        "a": Target(100, completed=True, seconds=600.0),
        "b": Target(100, completed=False, seconds=None),
    }
    lines = drawn(snapshot("a"), snapshot("b"), targets=targets)
    assert ["100", "100"] == row(lines, "target step")
    assert ["10", "min", "not", "completed"] == row(lines, "reached after")


def test_unpaired_scenarios_are_noted() -> None:
    """Who compares scenarios that met other faults is warned, with the tables by name."""
    lines = drawn(snapshot("a"), snapshot("b"), unpaired=["b"])
    note = " ".join(lines[lines.index("", len(lines) - 4) :])
    assert note.strip().startswith("Note: b did not meet the same faults as a, since [faults] or [cluster]")


def test_paired_scenarios_need_no_note() -> None:
    """A fair comparison is not commented."""
    assert not any(line.startswith("Note") for line in drawn(snapshot("a"), snapshot("b")))
