"""Colours: one for each name everywhere, and told apart with any kind of colour vision.

Colour blindness is simulated with the matrices of Machado, Oliveira and Fernandes (2009) at full
severity; differences are CIE76, where 2.3 is just noticeable side by side.
"""

import re
from enum import StrEnum
from importlib.resources import files
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from goodputd.sim.taxonomy import (
    Action,
    CheckpointOutcome,
    CheckpointTier,
    CorruptionOutcome,
    HotResetOutcome,
    Layer,
    Misdiagnosis,
    NodeState,
    Readiness,
    RecoveryOutcome,
    RepairOutcome,
    StageName,
    VerificationOutcome,
)
from grafana.palette import (
    ACTIONS,
    BUCKETS,
    LAYERS,
    NODE_STATES,
    OUTCOMES,
    READINESS,
    SCENARIOS,
    STAGES,
    TIERS,
)
from tests.grafana.each import PANELS

STYLE = files("goodputd.web") / "static" / "style.css"

Matrix = npt.NDArray[np.float64]

VISION: dict[str, Matrix] = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
TO_XYZ: Matrix = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
WHITE: Matrix = np.array([0.95047, 1.0, 1.08883])


def lab(colour: str, vision: str) -> Matrix:
    """CIELAB of a colour "#rrggbb" as seen with this vision."""
    coded = np.array([int(colour[place : place + 2], 16) / 255.0 for place in (1, 3, 5)])
    linear = np.where(coded <= 0.04045, coded / 12.92, ((coded + 0.055) / 1.055) ** 2.4)
    seen = np.clip(VISION[vision] @ linear, 0.0, 1.0)
    relative = TO_XYZ @ seen / WHITE
    root = np.where(relative > 0.008856, np.cbrt(relative), 7.787 * relative + 16.0 / 116.0)
    return np.array([116.0 * root[1] - 16.0, 500.0 * (root[0] - root[1]), 200.0 * (root[1] - root[2])])


def difference(one: str, other: str, vision: str) -> float:
    """How far two colours are apart."""
    return float(np.linalg.norm(lab(one, vision) - lab(other, vision)))


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize(
    "names",
    [LAYERS, ACTIONS, NODE_STATES, READINESS, TIERS, SCENARIOS],
    ids=["layers", "actions", "node states", "readiness", "tiers", "scenarios"],
)
def test_names_of_a_small_set_are_told_apart(names: dict[str, str], vision: str) -> None:
    """Any two of them differ by more than four times what is just noticeable."""
    near = [
        (one, other)
        for one, other in combinations(names, 2)
        if difference(names[one], names[other], vision) < 10.0
    ]

    assert [] == near


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("names", [BUCKETS, STAGES], ids=["buckets", "stages"])
def test_neighbours_in_a_stack_are_told_apart(names: dict[str, str], vision: str) -> None:
    """What lies upon each other differs clearly."""
    near = [
        (one, other) for one, other in pairwise(names) if difference(names[one], names[other], vision) < 10.0
    ]

    assert [] == near


@pytest.mark.parametrize("vision", VISION)
def test_productive_is_like_no_other_bucket(vision: str) -> None:
    """The bucket that everybody looks for differs from every other."""
    near = [
        name
        for name, colour in BUCKETS.items()
        if name != "productive" and difference(BUCKETS["productive"], colour, vision) < 10.0
    ]

    assert [] == near


@pytest.mark.parametrize("bucket", BUCKETS)
def test_a_bucket_has_one_colour_everywhere(bucket: str) -> None:
    """Wherever a bucket is drawn it has the colour of the palette."""
    drawn = {colour for _, panel in PANELS for name, colour in _drawn(panel) if name == bucket}

    assert drawn == {BUCKETS[bucket]}


@pytest.mark.parametrize(
    ("names", "palette"),
    [
        (Action, ACTIONS), (NodeState, NODE_STATES), (StageName, STAGES), (Layer, LAYERS),
        (Readiness, READINESS), (CheckpointTier, TIERS), (RecoveryOutcome, OUTCOMES),
        (VerificationOutcome, OUTCOMES), (CheckpointOutcome, OUTCOMES), (CorruptionOutcome, OUTCOMES),
        (RepairOutcome, OUTCOMES), (HotResetOutcome, OUTCOMES), (Misdiagnosis, OUTCOMES),
    ],
)  # fmt: skip
def test_every_name_has_a_colour(names: type[StrEnum], palette: dict[str, str]) -> None:
    """A word that the simulation learns is not drawn in whatever colour is left."""
    assert set() == set(names) - palette.keys()


def test_the_status_page_has_the_same_colours_of_buckets() -> None:
    """A ledger bucket has one colour on the dashboards and on the status page."""
    assert BUCKETS == _on_the_status_page("bucket")


def test_the_status_page_has_the_same_colours_of_stages() -> None:
    """A stage of a recovery has one colour on the dashboards and on the status page."""
    on_the_page = _on_the_status_page("stage")

    assert STAGES == {stage: on_the_page[stage] for stage in STAGES}


def _on_the_status_page(kind: str) -> dict[str, str]:
    """Name and colour of every class of this kind with a colour of its own in the style sheet."""
    rules = re.findall(r"^([^{}\n]+){ fill: (#\w{6}); }$", STYLE.read_text(encoding="utf-8"), re.MULTILINE)
    return {name: colour for selectors, colour in rules for name in re.findall(rf"\.{kind}-(\w+)", selectors)}


def _drawn(panel: dict[str, Any]) -> list[tuple[str, str]]:
    """Name and colour of every series with a fixed colour."""
    return [
        (rule["matcher"]["options"], each["value"]["fixedColor"])
        for rule in panel["fieldConfig"]["overrides"]
        for each in rule["properties"]
        if each["id"] == "color" and each["value"]["mode"] == "fixed"
    ]
