"""The schedule hands out what is due, in an order that depends on its history alone."""

from hypothesis import given, settings
from hypothesis import strategies as st

from goodputd.sim.schedule import Schedule


def names(schedule: Schedule, at: float) -> list[str]:
    """The names of what is due at ``at``, in order."""
    return [name for _, _, name, _ in schedule.due(at)]


def test_the_earliest_entry_has_its_turn_first() -> None:
    """Entries come by their instant, whatever the order they were scheduled in."""
    schedule = Schedule()
    for at, name in ((30.0, "c"), (10.0, "a"), (20.0, "b")):
        schedule.push(at, name)

    assert ["a", "b", "c"] == names(schedule, 100.0)


def test_ties_run_in_scheduling_order() -> None:
    """Entries of the same instant come as they were scheduled, though their payloads cannot be compared."""
    schedule = Schedule()
    for index in range(100):
        schedule.push(5.0, str(index), object())

    assert [str(index) for index in range(100)] == names(schedule, 5.0)


def test_due_includes_the_instant_and_leaves_what_is_later() -> None:
    """What is due exactly at the instant has its turn; what is later stays."""
    schedule = Schedule()
    schedule.push(10.0, "now")
    schedule.push(10.000001, "later")

    assert ["now"] == names(schedule, 10.0)
    assert 10.000001 == schedule.next_at


def test_an_empty_schedule_has_no_next_entry() -> None:
    """``next_at`` is None before the first entry and after the last."""
    schedule = Schedule()
    assert schedule.next_at is None
    schedule.push(1.0, "only")
    assert ["only"] == names(schedule, 1.0)

    assert schedule.next_at is None


def test_what_is_scheduled_on_the_way_has_its_turn() -> None:
    """An entry that a handler schedules for the same instant comes after those that are already due."""
    schedule = Schedule()
    schedule.push(1.0, "first")
    schedule.push(1.0, "second")
    seen = []
    for _, _, name, _ in schedule.due(2.0):
        seen.append(name)
        if name == "first":
            schedule.push(1.0, "pushed for now")
            schedule.push(1.5, "pushed for soon")

    assert ["first", "second", "pushed for now", "pushed for soon"] == seen


def test_what_is_cancelled_on_the_way_has_no_turn() -> None:
    """A handler may cancel an entry that is due in the same call."""
    schedule = Schedule()
    schedule.push(1.0, "first")
    victim = schedule.push(1.0, "victim")
    schedule.push(1.0, "last")
    seen = []
    for _, _, name, _ in schedule.due(2.0):
        seen.append(name)
        if name == "first":
            schedule.cancel(victim)

    assert ["first", "last"] == seen


def test_the_next_entry_is_never_a_cancelled_one() -> None:
    """``next_at`` looks past cancelled entries, or a simulation would stop for nothing."""
    schedule = Schedule()
    victims = [schedule.push(float(at), "victim") for at in range(5)]
    schedule.push(7.0, "kept")
    for victim in victims:
        schedule.cancel(victim)

    assert 7.0 == schedule.next_at


def test_cancelled_entries_do_not_pile_up() -> None:
    """100,000 entries scheduled far ahead and cancelled, as a year of runs does, leave little behind."""
    schedule = Schedule()
    schedule.push(1e9, "kept")
    for _ in range(100_000):
        schedule.cancel(schedule.push(1e8, "victim"))

    assert len(repr(schedule)) < 10_000
    assert ["kept"] == names(schedule, 1e9)


def test_a_handler_that_cancels_many_does_not_lose_the_rest() -> None:
    """Sweeping cancelled entries out while entries are handed out skips and repeats none."""
    schedule = Schedule()
    victims = [schedule.push(2.0, "victim") for _ in range(500)]
    for index in range(100):
        schedule.push(1.0 + index, str(index))
    seen = []
    for _, _, name, _ in schedule.due(1000.0):
        seen.append(name)
        for victim in victims:
            schedule.cancel(victim)
        victims = []

    assert [str(index) for index in range(100)] == seen


OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("push"), st.integers(0, 50)),
        st.tuples(st.just("cancel"), st.integers(0, 200)),
        st.tuples(st.just("due"), st.integers(0, 10)),
    ),
    max_size=300,
)


@settings(max_examples=100)
@given(OPERATIONS)
def test_the_schedule_is_a_sorted_list_with_holes(operations: list[tuple[str, int]]) -> None:
    """Any mix of pushes, cancels and turns gives what a list sorted by (instant, sequence) gives."""
    schedule = Schedule()
    expected: list[tuple[float, int, str]] = []
    now = 0.0
    for operation, number in operations:
        if operation == "push":
            at = now + number
            sequence = schedule.push(at, f"entry {number}")
            expected.append((at, sequence, f"entry {number}"))
            expected.sort()
        elif operation == "cancel" and expected:
            schedule.cancel(expected.pop(number % len(expected))[1])
        elif operation == "due":
            now += number
            due = [entry for entry in expected if entry[0] <= now]
            expected = expected[len(due) :]
            assert due == [entry[:3] for entry in schedule.due(now)]
        assert schedule.next_at == (expected[0][0] if expected else None)


def test_sequence_numbers_are_never_used_twice() -> None:
    """A number identifies one entry for ever, so a stale cancel cannot hit another entry."""
    schedule = Schedule()
    numbers = []
    for at in range(200):
        numbers.append(schedule.push(float(at), "entry"))
        list(schedule.due(at / 2.0))

    assert len(set(numbers)) == 200
