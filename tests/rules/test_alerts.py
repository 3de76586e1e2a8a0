"""Every alert by ``promtool test rules``: it fires, it just does not, and a restart changes neither.

The worlds are in ``cases``; the rules are the accelerated ones as they are shipped.
"""

import json
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

from tests.rules.cases import CASES
from tests.rules.reading import ACCELERATED, ALERTS
from tests.rules.worlds import END, World, input_series, promtool_file

RUNBOOKS: Final = "https://github.com/goodputd/goodputd/blob/main/grafana/README.md#"

FIRING: Final = [
    *((name, "fires", case.fires) for name, case in CASES.items()),
    *((name, said, world) for name, case in CASES.items() for said, world in case.also_fires.items()),
]
QUIET: Final = [
    *((name, "just below", case.quiet) for name, case in CASES.items()),
    *((name, said, world) for name, case in CASES.items() for said, world in case.also_quiet.items()),
]
across_a_reset = pytest.mark.parametrize("reset", [False, True], ids=["steady", "reset"])


def ids(cases: list[tuple[str, str, World]]) -> list[str]:
    """Names of the tests."""
    return [f"{name}: {said}" for name, said, _ in cases]


def check(promtool: Path, folder: Path, test: dict[str, Any]) -> None:
    """Fails with what ``promtool`` has to say unless the test passes."""
    path = folder / "rules.test.yml"
    path.write_text(json.dumps(promtool_file(str(ACCELERATED), test)), encoding="utf-8")
    tested = subprocess.run([promtool, "test", "rules", path], capture_output=True, text=True, check=False)

    assert 0 == tested.returncode, tested.stdout + tested.stderr


def firing(*names: str) -> dict[str, Any]:
    """Exactly these alerts fire at the end."""
    return {
        "expr": 'count by (alertname) (ALERTS{alertstate="firing"})',
        "eval_time": END,
        "exp_samples": [{"labels": f'{{alertname="{name}"}}', "value": 1} for name in sorted(names)],
    }


@across_a_reset
def test_nothing_fires_in_a_healthy_world(promtool: Path, tmp_path: Path, *, reset: bool) -> None:
    """No alert fires where nothing is wrong, nor after a restart of the daemon."""
    check(promtool, tmp_path, {"input_series": input_series({}, reset=reset), "promql_expr_test": [firing()]})


def test_every_alert_has_its_cases() -> None:
    """There is a firing and a quiet world for each alert, and each is played with and without a reset."""
    assert {alert.alert for alert in ALERTS} == set(CASES)


@across_a_reset
@pytest.mark.parametrize(("name", "said", "world"), FIRING, ids=ids(FIRING))
def test_it_fires(promtool: Path, tmp_path: Path, name: str, said: str, world: World, *, reset: bool) -> None:
    """The alert fires, alone or with those that are bound to, also across a restart of the daemon."""
    del said
    check(
        promtool,
        tmp_path,
        {
            "input_series": input_series(world, reset=reset),
            "promql_expr_test": [firing(name, *CASES[name].with_it)],
        },
    )


@pytest.mark.parametrize("name", CASES)
def test_it_says_what_is_wrong(promtool: Path, tmp_path: Path, name: str) -> None:
    """Its labels, summary, description with the figure, and runbook are these."""
    case = CASES[name]
    alert = {
        "exp_labels": dict(case.labels),
        "exp_annotations": {
            "summary": case.summary,
            "description": case.description,
            "runbook_url": RUNBOOKS + name.lower(),
        },
    }
    check(
        promtool,
        tmp_path,
        {
            "input_series": input_series(case.fires, reset=False),
            "alert_rule_test": [{"alertname": name, "eval_time": END, "exp_alerts": [alert]}],
        },
    )


@across_a_reset
@pytest.mark.parametrize(("name", "said", "world"), QUIET, ids=ids(QUIET))
def test_it_does_not_fire(
    promtool: Path, tmp_path: Path, name: str, said: str, world: World, *, reset: bool
) -> None:
    """Just below the threshold and in worlds that resemble a bad one it is silent, restart or not."""
    del said
    check(
        promtool,
        tmp_path,
        {
            "input_series": input_series(world, reset=reset),
            "alert_rule_test": [{"alertname": name, "eval_time": END, "exp_alerts": []}],
        },
    )
