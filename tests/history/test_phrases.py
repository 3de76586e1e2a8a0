"""Names in sentences."""

import pytest

from goodputd.history import phrases
from goodputd.sim.taxonomy import Component, Symptom


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gpu_hbm3", "GPU HBM3"),
        ("io_expansion_board", "IO expansion board"),
        ("nvlink", "NVLink"),
        ("lost_work", "lost work"),
        ("Fan_9", "Fan 9"),
    ],
)
def test_names_are_spoken(name: str, expected: str) -> None:
    """Underscores are spaces, abbreviations are capitals, the rest is left as it is."""
    assert expected == phrases.spoken(name)


@pytest.mark.parametrize("component", list(Component))
def test_a_fault_has_its_article(component: Component) -> None:
    """Before a vowel that is heard stands "an", before everything else "a"."""
    article, word = phrases.a_fault_of(component).split()[:2]

    assert ("an" if word in {"NVLink", "operator's"} else "a") == article


@pytest.mark.parametrize("symptom", list(Symptom))
def test_every_symptom_can_be_told_of_every_component(symptom: Symptom) -> None:
    """What broke and what was seen of it are two things: an operator does not crash."""
    told = [phrases.nature(component, symptom) for component in Component]

    assert len(Component) == len(set(told))
    assert all(", " in each for each in told)


def test_a_sentence_begins_with_a_capital() -> None:
    """The rest keeps its capitals."""
    assert "Faulty GPU" == phrases.sentence("faulty GPU")
    assert "" == phrases.sentence("")
