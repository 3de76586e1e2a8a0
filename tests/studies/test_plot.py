"""Pictures of sweeps: what is on them, and that they are the same each time."""

import io
import re
import sys
from typing import Any

import pytest

from goodputd.errors import EnvironmentProblemError
from goodputd.studies import plot
from goodputd.studies.axes import Axis
from goodputd.studies.sweeping import INTERVAL_SECONDS
from tests.studied import TIME, results
from tests.studies.test_sweeping import INTERVALS, interval_results, swept, varied

AXIS = Axis(INTERVAL_SECONDS, INTERVALS, is_log=True)


def drawn(sweep: dict[str, Any], kind: str = "svg") -> bytes:
    """The picture."""
    file = io.BytesIO()
    plot.draw(sweep, kind, file)
    return file.getvalue()


def texts(sweep: dict[str, Any]) -> list[str]:
    """The texts of the picture, which an SVG of matplotlib has as comments beside their glyphs."""
    return re.findall(r"<!-- (.*?) -->", drawn(sweep).decode())


@pytest.fixture(scope="module")
def interval_sweep() -> dict[str, Any]:
    """A curve with an optimum and both formulas."""
    columns: dict[str, Any] = {"interruptions": [[10, 10]] * 5, "effective_compute_ratio": [[0.75, 0.75]] * 5}
    return swept(interval_results(**columns), AXIS)


def test_the_optimum_and_the_formulas_are_marked(interval_sweep: dict[str, Any]) -> None:
    """By name and value, as in the object."""
    formulas = interval_sweep["curves"][0]["formulas"]
    found = texts(interval_sweep)

    assert "optimum: 400 (400 to 400)" in found
    assert f"Young: {formulas['young']['value']:,.0f}" in found
    assert f"Daly: {formulas['daly']['value']:,.0f}" in found


def test_axes_are_labelled_in_full(interval_sweep: dict[str, Any]) -> None:
    """The key, the figure, what was played, numbers as people write them."""
    found = texts(interval_sweep)

    assert {INTERVAL_SECONDS, TIME, "here.toml: 1 d, 2 seeds, 95 % interval", "1,000"} <= set(found)


def test_every_curve_has_a_name() -> None:
    """Held keys tell curves apart."""
    points = varied(*({"cluster.spares": x, "faults.scale": y} for x in (1, 2) for y in (0.5, 2.0)))
    sweep = swept(results(*points, seeds=1), Axis("cluster.spares", (1, 2)), Axis("faults.scale", (0.5, 2.0)))

    assert {"scale 0.5", "scale 2.0", "here.toml: 1 d, one seed"} <= set(texts(sweep))


def test_a_figure_of_several_magnitudes_has_a_logarithmic_scale() -> None:
    """A hazard that grows with the cluster is a straight line."""
    points = varied(*({"cluster.nodes": value} for value in (1, 10, 100)))
    found = results(*points, seeds=1, hazard_per_hour=[[0.001], [0.01], [0.1]])
    sweep = swept(found, Axis("cluster.nodes", (1, 10, 100), is_log=True), figure="hazard_per_hour")

    assert any("mathdefault{10^{-2}}" in text for text in texts(sweep))


def test_a_zero_that_is_no_number_has_a_word() -> None:
    """Beyond the numbers, and in the names of curves."""
    never = "policy.strikes.strikes_to_evict"
    points = varied(*({never: x, "cluster.repair.crews": y} for x in (0, 1, 2) for y in (0, 5)))
    sweep = swept(results(*points, seeds=2), Axis(never, (0, 1, 2)), Axis("cluster.repair.crews", (0, 5)))
    found = texts(sweep)

    assert ["1", "2", "never"] == found[:3]
    assert {"crews no limit", "crews 5"} <= set(found)


def test_points_without_data_are_left_out() -> None:
    """A run without an interruption has no MTTR, and the rest is still drawn."""
    points = varied(*({"cluster.spares": value} for value in (1, 2)))
    found = results(*points, seeds=2, mttr_seconds=[[None, None], [300.0, 310.0]])

    assert drawn(swept(found, Axis("cluster.spares", (1, 2)), figure="mttr_seconds"))


@pytest.mark.parametrize(("kind", "start"), [("svg", b"<?xml"), ("png", b"\x89PNG")])
def test_the_same_sweep_gives_the_same_bytes(interval_sweep: dict[str, Any], kind: str, start: bytes) -> None:
    """A picture in a repository changes only when the curve does."""
    first = drawn(interval_sweep, kind)

    assert first.startswith(start)
    assert first == drawn(interval_sweep, kind)


def test_without_matplotlib_it_says_which_extra_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """One line that can be pasted."""
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)

    with pytest.raises(EnvironmentProblemError, match=r"pip install 'goodputd\[plots\]'"):
        plot.require()
