"""Settings of corruption and checkpoints: what is allowed, what is doubtful, what is built from them."""

import pytest

from goodputd import settings
from goodputd.assembly import build
from goodputd.errors import SettingsError
from goodputd.settings import Settings
from goodputd.sim.events import FaultOccurred

RATE = "corruption.per_gpu_hour = 1e-6\ncorruption.transient_probability = 1.0\n"
VALIDATED = 'detection.layers = ["heartbeat", "validation"]\n'
EIGHTY_STEPS = "checkpoint.interval_steps = 80\n"
NOT_MULTIPLE = "the last 70 steps are never validated, 100070 is no multiple of the 80 between validations"
NOT_DIVIDED = "steps do not divide the 80 between saves, so some are saved before they are validated"


def parsed(text: str) -> Settings:
    """The settings of a TOML text, without the environment."""
    return settings.parse(text, source="test.toml", environ={})


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        (
            RATE,
            "detection.layers: without validation nothing finds corruption that shifts no statistic",
        ),
        (
            RATE + VALIDATED + "detection.validation.every_steps = 60\n",
            f"detection.validation.every_steps: 60 {NOT_DIVIDED}",
        ),
        (
            RATE + VALIDATED + "detection.validation.interval_seconds = 295.0\n",
            f"detection.validation.interval_seconds: 50 {NOT_DIVIDED}",
        ),
        (
            RATE + VALIDATED + "detection.validation.coverage = 0.75\n",
            "detection.validation.coverage: 25% of corruptions are never found",
        ),
        (
            RATE + VALIDATED + "checkpoint.last_gasp_probability = 0.5\n",
            "checkpoint.last_gasp_probability: saves where the job stands, which nothing has validated",
        ),
        (
            RATE + VALIDATED + "job.target_steps = 100070\n",
            f"job.target_steps: {NOT_MULTIPLE}",
        ),
        (
            RATE + VALIDATED + 'checkpoint.keep = 1\ncorruption.baked_discovery = "at_checkpoint"\n',
            "checkpoint.keep: 1 is the corrupt one when a corruption is baked in; the job starts from step 0",
        ),
    ],
)
def test_what_lets_corruption_through_is_warned_of(text: str, warning: str) -> None:
    """Each by itself, on settings that are otherwise sound."""
    assert [f"test.toml: {warning}"] == settings.warnings(parsed(text + EIGHTY_STEPS))


def test_a_validation_rarer_than_the_checkpoints_that_are_kept_is_warned_of() -> None:
    """By the time it finds something no clean checkpoint is left."""
    found = settings.warnings(
        parsed(RATE + VALIDATED + EIGHTY_STEPS + "detection.validation.every_steps = 480\n")
    )

    assert "test.toml: checkpoint.keep: 5 saves go back 400 steps, less than a validation, 480" in found


@pytest.mark.parametrize("every", [80, 40, 20, 1])
def test_validation_before_every_checkpoint_is_not_doubtful(every: int) -> None:
    """With full coverage nothing is ever baked in."""
    assert [] == settings.warnings(parsed(RATE + VALIDATED + f"detection.validation.every_steps = {every}\n"))


@pytest.mark.parametrize("layer", ["shadow", "sentinel", "probe", "scan"])
def test_another_layer_that_sees_corruption_is_not_doubtful(layer: str) -> None:
    """Each finds some of it."""
    assert [] == settings.warnings(parsed(RATE + f'detection.layers = ["heartbeat", "{layer}"]\n'))


@pytest.mark.parametrize(("alerting", "warnings"), [("false", 0), ("true", 1)])
def test_a_scenario_that_does_not_validate_may_stand_beside_one_that_does(
    alerting: str, warnings: int
) -> None:
    """When it raises no alerts it is there to be compared with."""
    text = f'{RATE}[[scenario]]\nname = "naive"\nalerting = {alerting}\n'
    text += f'[[scenario]]\nname = "ours"\n{VALIDATED}{EIGHTY_STEPS}'

    assert warnings == len(settings.warnings(parsed(text)))


DEFECTS = "corruption.per_gpu_hour = 1e-6\n"
SHOWN = "corruption.variance_share = 1.0\n"
"""They move the statistics of a rank, which names it where somebody looks."""
FLIP = """
[[faults.kinds]]
name = "flip"
component = "gpu"
symptom = "corrupt"
per_node_day = 0.1
transient_probability = 0.5
"""


def doubts_of_naming(text: str) -> list[str]:
    """The warnings about corruption of which nobody knows where it comes from."""
    return [each for each in settings.warnings(parsed(text)) if "names no node" in each]


@pytest.mark.parametrize(
    "corruption",
    [
        DEFECTS,
        DEFECTS + SHOWN,
        FLIP,
    ],
)
def test_a_node_that_corrupts_for_good_and_is_never_named_is_warned_of(corruption: str) -> None:
    """A validation finds the state, so that a restart on the same nodes is all that follows."""
    expected = (
        'test.toml: corruption.triage.method: "none", and a validation names no node: one that corrupts for '
        "good is never evicted, and its work is undone again and again; the layers shadow, sentinel, probe "
        "and scan name it too"
    )

    assert [expected] == doubts_of_naming(VALIDATED + EIGHTY_STEPS + corruption)


@pytest.mark.parametrize(
    "named",
    [
        VALIDATED + 'corruption.triage.method = "reductive"\n',
        VALIDATED + "corruption.transient_probability = 1.0\n",
        VALIDATED + 'policy.name = "always_restart"\n',
        *(
            f'detection.layers = ["heartbeat", "validation", "{layer}"]\n'
            for layer in ("shadow", "sentinel", "probe", "scan", "gradient")
        ),
    ],
)
def test_a_node_that_is_named_is_not_doubtful(named: str) -> None:
    """By a triage, or by a layer; and it need not be when nothing stays or nobody would be evicted."""
    assert [] == doubts_of_naming(named + EIGHTY_STEPS + DEFECTS + SHOWN)


def test_defects_on_nodes_that_are_never_evicted_are_warned_of() -> None:
    """Silent corruption is as permanent as any fault."""
    text = VALIDATED + EIGHTY_STEPS + DEFECTS + 'policy.name = "always_restart"\n'
    expected = 'policy.name: "always_restart" never evicts, so permanent faults pile up'

    (warning,) = settings.warnings(parsed(text + 'faults.catalog = "none"\n'))

    assert warning.startswith(f"test.toml: {expected}")


def test_a_target_that_is_a_multiple_is_not_doubtful() -> None:
    """The last validation sees the last step."""
    assert [] == settings.warnings(parsed(RATE + VALIDATED + EIGHTY_STEPS + "job.target_steps = 100000\n"))


def test_validation_without_corruption_is_not_doubtful() -> None:
    """Whatever its interval: there is nothing to bake in."""
    assert [] == settings.warnings(parsed(VALIDATED + "detection.validation.every_steps = 7\n"))


def test_the_interval_of_validation_is_given_once() -> None:
    """In steps or in seconds."""
    with pytest.raises(SettingsError, match="cannot be given together with every_steps"):
        parsed("detection.validation.every_steps = 80\ndetection.validation.interval_seconds = 472.0\n")


def test_the_name_of_the_corruption_kind_is_taken() -> None:
    """The label `kind` must tell the two apart."""
    kind = '[[faults.kinds]]\nname = "silent_corruption"\ncomponent = "gpu"\nper_node_day = 0.1\n'
    with pytest.raises(SettingsError, match=r'faults\.kinds\[0\]\.name: must be unique.*"silent_corruption"'):
        parsed(kind)


def test_a_rate_of_corruption_is_per_gpu_and_hour() -> None:
    """16,384 GPUs at 1e-6 an hour: 39.3 in 100 days, within 3.3 standard errors, alpha = 0.001.

    The catalog's scale leaves it alone.
    """
    text = RATE + "faults.scale = 0.0\n"
    [simulation] = build(parsed(text))
    struck = [fact for fact in simulation.advance_to(100 * 86400.0) if isinstance(fact, FaultOccurred)]

    assert {"silent_corruption"} == {fault.kind for fault in struck}
    assert 16384 * 1e-6 * 2400 == pytest.approx(len(struck), abs=3.3 * 39.3**0.5)


def test_another_rate_of_corruption_is_another_fate() -> None:
    """Such scenarios are not paired, while those that find it in other ways are."""
    text = RATE + "".join(
        f'[[scenario]]\nname = "{name}"\n{override}\n'
        for name, override in [("a", ""), ("b", "corruption.per_gpu_hour = 2e-6"), ("c", VALIDATED)]
    )

    assert [True, False, True] == [scenario.paired for scenario in parsed(text).scenarios]


def test_the_shares_are_at_most_all_of_it() -> None:
    """What they leave is silent."""
    with pytest.raises(SettingsError, match=r"corruption: must have shares of at most 1 in all \(got 1\.2\)"):
        parsed("corruption.nan_share = 0.7\ncorruption.variance_share = 0.5\n")


def test_shares_of_all_of_it_are_allowed() -> None:
    """Rounding does not make ten tenths too many."""
    thirds = [f"corruption.{name} = {1 / 3}\n" for name in ("nan_share", "loss_jump_share", "variance_share")]

    assert 1.0 == pytest.approx(3 * parsed("".join(thirds)).scenarios[0].corruption.nan_share)


def test_a_script_may_corrupt() -> None:
    """The kind can be named as soon as it has a rate."""
    script = '[[faults.script]]\nat_seconds = 60.0\nkind = "silent_corruption"\nnode = 3\n'

    assert "silent_corruption" == parsed(RATE + script).scenarios[0].faults.script[0].kind


# --- checkpoints


def test_the_interval_of_saves_is_given_once() -> None:
    """In seconds, in steps, or left to Daly."""
    with pytest.raises(
        SettingsError, match=r"checkpoint\.interval: cannot be given together with interval_steps"
    ):
        parsed('checkpoint.interval_steps = 80\ncheckpoint.interval = "optimal"\n')


def test_an_optimal_interval_takes_the_default_away() -> None:
    """A file need not say that it does not mean 472 s."""
    checkpoint = parsed('checkpoint.interval = "optimal"\n').scenarios[0].checkpoint

    assert (None, None, "optimal") == (
        checkpoint.interval_seconds,
        checkpoint.interval_steps,
        checkpoint.interval,
    )


def test_an_optimal_interval_is_not_doubtful() -> None:
    """Nor is it with validation, whose interval it keeps to, or with a long write."""
    text = RATE + VALIDATED + 'checkpoint.interval = "optimal"\ncheckpoint.write_seconds = 100.0\n'

    assert [] == settings.warnings(parsed(text))


def test_a_write_that_is_longer_than_the_interval_is_warned_of() -> None:
    """The interval follows: 84 x 5.9 s and a save of 10 s."""
    expected = "500 s are longer than the interval, which becomes 495.6 s"

    assert [f"test.toml: checkpoint.write_seconds: {expected}"] == settings.warnings(
        parsed("checkpoint.write_seconds = 500.0\n")
    )
