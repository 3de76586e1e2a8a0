"""How long stretches are kept short."""

from goodputd.history.stretches import Entry, FactsLeftOut, last_resume, shortened, split
from goodputd.sim.events import FaultOccurred, NodeReturned, TargetReached, TrainingResumed
from goodputd.sim.taxonomy import Action, Component, Layer, Origin, Symptom


def fact(at: float) -> TargetReached:
    """Any fact."""
    return TargetReached(at, 1)


def benign(at: float) -> FaultOccurred:
    """A fault that changes nothing."""
    return FaultOccurred(
        at, "benign/0/0", "benign", Component.MEMORY, Symptom.BENIGN, Origin.PRIMARY, 1, transient=True
    )


def resume(at: float) -> TrainingResumed:
    """The end of a stretch."""
    return TrainingResumed(at, 1, Component.GPU, Layer.HARDWARE, Action.RESTART, 1, 10, 0, 0, 300.0, 64)


def test_a_short_stretch_is_left_alone() -> None:
    """What fits is the same object."""
    stretch = [fact(1.0), fact(2.0), fact(3.0)]

    assert shortened(stretch, 3) is stretch


def test_the_middle_goes() -> None:
    """Beginning and end stay, and between them stands what was there."""
    stretch = [fact(float(at)) for at in range(10)]

    assert [*stretch[:2], FactsLeftOut(2.0, 7.0, 6), *stretch[-2:]] == shortened(stretch, 4)


def test_benign_faults_go_first() -> None:
    """Whatever else fits is kept whole; the benign ones are counted."""
    stretch: list[Entry] = [fact(0.0), *(benign(float(at)) for at in range(1, 9)), fact(9.0), fact(10.0)]
    kept = shortened(stretch, 4)

    assert [fact(0.0), fact(9.0), fact(10.0)] == [each for each in kept if isinstance(each, TargetReached)]
    assert [8] == [each.facts for each in kept if isinstance(each, FactsLeftOut)]


def test_nothing_but_benign_faults_is_a_count() -> None:
    """A long quiet time leaves how many there were."""
    assert [FactsLeftOut(19.0, 19.0, 20)] == shortened([benign(float(at)) for at in range(20)], 4)


def test_shortening_again_and_again_keeps_the_beginning_and_the_count() -> None:
    """However a stretch comes, in pieces of any size, facts kept and left out are all there were."""
    for piece in (1, 2, 3, 7, 50):
        kept: list[Entry] = []
        for begins in range(0, 200, piece):
            kept += [
                benign(float(at)) if at % 5 == 0 else NodeReturned(float(at), at)
                for at in range(begins, min(200, begins + piece))
            ]
            kept = list(shortened(kept, 8))
        (gap,) = [each for each in kept if isinstance(each, FactsLeftOut)]

        assert 200 == gap.facts + len(kept) - 1
        assert sorted(each.at for each in kept) == [each.at for each in kept]
        assert 1.0 >= kept[0].at
        assert 199.0 == kept[-1].at


def test_stretches_end_with_their_resume() -> None:
    """Facts are cut after each resume."""
    entries: list[Entry] = [fact(1.0), resume(2.0), resume(3.0), fact(4.0), resume(5.0)]

    assert [entries[:2], entries[2:3], entries[3:]] == list(split(entries))


def test_the_last_resume_is_found_from_the_end() -> None:
    """Its position, or -1."""
    assert (2, -1) == (
        last_resume([resume(1.0), fact(2.0), resume(3.0), fact(4.0)]),
        last_resume([fact(1.0)]),
    )
