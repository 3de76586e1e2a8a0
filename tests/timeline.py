"""Draws one incident as an SVG, from its facts: the picture of the README.

Every instant and length comes from the history of config/recovery-timeline.toml; only words and
colours are chosen here.
"""

from html import escape
from pathlib import Path

from goodputd.assembly import build
from goodputd.settings import load
from goodputd.sim.events import DecisionMade, DetectionRaised, Fact, FaultOccurred, JobResized, StageFinished

CONFIG = Path(__file__).parents[1] / "config" / "recovery-timeline.toml"
_LEFT, _WIDTH, _TOP, _HEIGHT = 30.0, 840.0, 78.0, 46.0
_BEFORE, _AFTER = 48.0, 40.0
_COLOURS = {
    "training": "#009E73",
    "detect": "#D55E00",
    "decide": "#E69F00",
    "reschedule": "#0072B2",
    "collective_init": "#4C9BD6",
    "restore": "#56B4E9",
    "compile": "#4C9BD6",
    "verify": "#CC79A7",
}
"""Okabe and Ito's palette, which colour-blind people can tell apart."""


def incident() -> list[Fact]:
    """The facts of the shipped timeline's second incident."""
    (simulation,) = build(load(CONFIG, environ={}))
    facts = simulation.advance_to(86400.0)
    struck = [fact.at for fact in facts if isinstance(fact, FaultOccurred)][1]
    return [fact for fact in facts if fact.at >= struck and fact.at < struck + 3600.0]


def draw(facts: list[Fact]) -> str:
    """The SVG text."""
    fault = next(fact for fact in facts if isinstance(fact, FaultOccurred))
    detection = next(fact for fact in facts if isinstance(fact, DetectionRaised))
    decision = next(fact for fact in facts if isinstance(fact, DecisionMade))
    resized = next(fact for fact in facts if isinstance(fact, JobResized))
    stages = [("detect", fault.at, detection.at)]
    stages += [(f.stage.value, f.at - f.seconds, f.at) for f in facts if isinstance(f, StageFinished)]
    end = stages[-1][2]
    scale = _WIDTH / (end - fault.at + _BEFORE + _AFTER)

    def x(at: float) -> float:
        return _LEFT + (at - fault.at + _BEFORE) * scale

    def minute(at: float) -> str:
        return f"T+{int(at - fault.at) // 60}:{int(at - fault.at) % 60:02d}"

    bars = [
        ("training", fault.at - _BEFORE, fault.at, f"{resized.nominal_gpus:,} GPUs"),
        *((name, since, until, name.removeprefix("collective_")) for name, since, until in stages),
        ("training", end, end + _AFTER, f"{resized.active_gpus:,} GPUs"),
    ]
    marks = [
        (fault.at, f"fault: {fault.component.value} {fault.symptom.value} on node {fault.node}"),
        (detection.at, f"detected by {detection.layer.value}"),
        (decision.at, f"{decision.reason.value.replace('_', ' ')}: {decision.action.value}"),
        (stages[3][2], "restarted, smaller"),
        (stages[4][2], "restored, resharded"),
        (end, "verified: training"),
    ]
    lines = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 190" font-family="sans-serif" role="img">',
        "<title>One incident, from the fault to verified training</title>",
        '<rect width="900" height="190" fill="#ffffff"/>',
    ]
    for name, since, until, text in bars:
        lines += _bar(x(since), (until - since) * scale, _COLOURS[name], text)
    for index, (at, text) in enumerate(marks):
        lines += _mark(x(at), minute(at), text, index)
    return "\n".join([*lines, "</svg>", ""])


def _bar(left: float, width: float, colour: str, text: str) -> list[str]:
    """A stage and its name, in the middle."""
    middle = left + width / 2.0
    return [
        (
            f'<rect x="{left:.1f}" y="{_TOP}" width="{width:.1f}" height="{_HEIGHT}" fill="{colour}"'
            ' stroke="#ffffff"/>'
        ),
        (
            f'<text x="{middle:.1f}" y="{_TOP + _HEIGHT / 2.0 + 4.5:.1f}" font-size="13" fill="#ffffff"'
            f' text-anchor="middle">{escape(text)}</text>'
        ),
    ]


def _mark(x: float, minute: str, text: str, index: int) -> list[str]:
    """An instant: above and below the bar in turn, so that neighbours do not collide."""
    above = index % 2 == 0
    far = index in {0, 1}
    y = (30.0 if far else 50.0) if above else (172.0 if far else 152.0)
    tip = _TOP if above else _TOP + _HEIGHT
    anchor = "end" if x > 700 else "start"
    shift = -4 if x > 700 else 4
    return [
        f'<line x1="{x:.1f}" y1="{y - 10:.1f}" x2="{x:.1f}" y2="{tip}" stroke="#444444"/>',
        (
            f'<text x="{x + shift:.1f}" y="{y:.1f}" font-size="13" fill="#222222" text-anchor="{anchor}">'
            f'<tspan font-weight="bold">{minute}</tspan> {escape(text)}</text>'
        ),
    ]
