"""Status page, list and post-mortems of scenarios that were played."""

import re
from dataclasses import replace

import pytest

from goodputd.sim.taxonomy import Component, Layer
from goodputd.web.words import percent
from tests import snapshots
from tests.history.past import (
    BUSY,
    CORRUPT,
    DAY,
    FLEET,
    FOUND_LATE,
    VALIDATED,
    VALIDATION,
    Past,
    strike,
    waiting,
)  # fmt: skip
from tests.web.asking import TWO, Client, site, site_of


@pytest.fixture(scope="module")
def past() -> Past:
    """Two scenarios on the same faults after 40 busy days."""
    return Past(scenarios=TWO, **BUSY).until(40 * DAY)


@pytest.fixture(scope="module")
def client(past: Past) -> Client:
    """A client of the site that shows them."""
    return Client(site_of(past))


def links(text: str) -> list[str]:
    """The addresses of incidents on a page, in its order."""
    return re.findall(r'href="(incidents/[^"?]+)"', text)


def test_the_index_shows_the_last_incidents_of_each_scenario(client: Client, past: Past) -> None:
    """Five of each, newest first, each a link to its post-mortem and a drawing of its stages."""
    text = client.get("/").text
    expected = [
        f"incidents/{scenario}/{incident.number}"
        for scenario in ("naive", "default")
        for incident in past.all(scenario)[:-6:-1]
    ]

    assert expected == links(text)[:10]
    assert 10 == text.count('class="stages"')


def test_the_legend_has_the_stages_that_there_may_be(client: Client) -> None:
    """A reset of devices is explained where the settings have it, and nowhere else."""
    reset = Past("[cluster.repair]\nhot_reset_probability = 1.0\n").until(60.0)
    swatch = '<rect class="stage-hot_reset"'

    assert (0, 1) == (client.get("/").text.count(swatch), Client(site_of(reset)).get("/").text.count(swatch))


def test_incidents_are_drawn_to_one_scale(client: Client) -> None:
    """In both scenarios a restore, which takes as long, is as wide: the scale is common."""
    text = client.get("/").text
    widths = [
        (float(width), title)
        for width, title in re.findall(
            r'stage-restore edge" x="[^"]+" width="([0-9.]+)%"[^>]*><title>restore ([^<]+)', text
        )
    ]
    per_title = {title: width for width, title in widths}

    assert len(widths) >= 10
    assert all(per_title[title] == pytest.approx(width, rel=0.02) for width, title in widths)


def test_the_index_explains_decisions(client: Client) -> None:
    """The last ten decisions are told with their reason in words."""
    text = client.get("/").text

    assert re.search(r"(first|second) strike on the node|software blames no node", text)
    assert 10 == text.count('aria-label="Incident')


def test_a_scenario_in_which_nothing_happened_says_so() -> None:
    """Without incidents there is no empty drawing, but a sentence."""
    text = Client(site_of(Past().until(60.0))).get("/").text

    assert ("Nothing has gone wrong yet." in text, "Nothing has been decided yet." in text) == (True, True)


def test_a_job_that_never_shrank_has_no_idle_capacity() -> None:
    """The row of the GPU account appears when there is something in it."""
    shrunk = Past(strike(3600.0, "crash"), strike(7200.0, "crash"), spares=0).until(DAY)

    assert "idle capacity" in Client(site_of(shrunk)).get("/").text
    assert "idle capacity" not in Client(site_of(Past(strike(3600.0, "crash")).until(DAY))).get("/").text


def test_the_productive_row_is_the_goodput() -> None:
    """The table of time takes back what was retracted, as the headline does, and shows it in a row."""
    past = Past(*FOUND_LATE, **VALIDATION).until(20_000.0)
    retracted_seconds = past.simulations[0].snapshot().retracted_seconds
    text = Client(site_of(past)).get("/").text
    (headline,) = re.findall(r'<span class="number">([0-9.]+ %)</span>', text)
    shown = dict(re.findall(r'</svg>([a-z ]+)</th>\n<td class="value">([0-9.]+ %)', text))

    assert retracted_seconds > 0.0
    assert {"productive": headline, "retracted work": percent(retracted_seconds / 20_000.0)} == {
        name: shown.get(name) for name in ("productive", "retracted work")
    }


def test_what_no_checkpoint_holds_has_its_printed_name() -> None:
    """The page calls it as the tables of the commands do."""
    text = Client(site(snapshots.view())).get("/").text

    assert (True, False) == ("</svg>not yet saved</th>" in text, "provisional</th>" in text)


def test_a_loss_that_is_no_number_is_shown_as_such() -> None:
    """Corrupt state can make the loss NaN, and the page says so instead of failing."""
    answer = Client(site(snapshots.view(snapshots.snapshot(loss=None, gradient_norm=None)))).get("/")

    assert (200, True) == (answer.status_code, "<dt>loss, now</dt><dd>NaN</dd>" in answer.text)


def test_planned_stops_have_a_figure_where_there_are_any() -> None:
    """Maintenance is told apart from interruptions; a job without it has no such line."""
    stopped = {**snapshots.snapshot().interruptions, (Component.PLANNED, Layer.PLANNED): 4}
    maintained = Client(site(snapshots.view(snapshots.snapshot(interruptions=stopped)))).get("/").text

    assert "<dt>planned stops</dt><dd>4</dd>" in maintained
    assert "planned stops" not in Client(site(snapshots.view())).get("/").text


def test_a_faulty_period_is_told_while_it_lasts() -> None:
    """A burst of faults is known to the simulation, and the page says that there is one."""
    fleet = snapshots.snapshot().fleet
    burst = snapshots.view(snapshots.snapshot(fleet=replace(fleet, in_burst=True)))

    assert "faulty period" in Client(site(burst)).get("/").text
    assert "faulty period" not in Client(site(snapshots.view())).get("/").text


def walked(client: Client, path: str) -> list[str]:
    """The incidents that the list shows, from page to page by its link to older ones."""
    found: list[str] = []
    while True:
        text = client.get(path).text
        found += links(text)
        older = re.search(r'href="(incidents\?[^"]+)" rel="next"', text)
        if older is None:
            return found
        path = "/" + older[1].replace("&amp;", "&")


def test_the_list_pages_through_all_incidents(client: Client, past: Past) -> None:
    """From page to page by its links every incident is listed once, newest first."""
    expected = [f"incidents/default/{incident.number}" for incident in past.all()[::-1]]

    assert len(expected) > 50
    assert expected == walked(client, "/incidents?scenario=default")


def test_the_list_pages_through_incidents_of_one_instant() -> None:
    """Both scenarios stop at the instant of each fault, and no page ends between the two of them."""
    faults = (strike(3600.0 * hour, "crash", hour % 16, logged=True) for hour in range(1, 33))
    same = [f'name = "{name}"\npolicy.strikes.strikes_to_evict = 0' for name in ("one", "two", "three")]
    past = Past(*faults, scenarios=same).until(2 * DAY)
    expected = [
        f"incidents/{name}/{number}" for number in range(32, 0, -1) for name in ("one", "two", "three")
    ]

    assert expected == walked(Client(site_of(past)), "/incidents")


def test_the_list_merges_scenarios_by_time(client: Client, past: Past) -> None:
    """Without a scenario in the query the newest incidents of all are listed."""
    both = sorted([*past.all("naive"), *past.all()], key=lambda each: each.stopped_at, reverse=True)

    assert [f"incidents/{each.scenario}/{each.number}" for each in both[:50]] == links(
        client.get("/incidents").text
    )


def test_a_page_that_is_no_number_is_the_first(client: Client) -> None:
    """A query that makes no sense is met with the newest incidents."""
    assert {tuple(links(client.get("/incidents").text))} == {
        tuple(links(client.get(f"/incidents?cursor={cursor}").text))
        for cursor in ("", "abc", "1", "1-2-3", "-1-2", "1-" + "9" * 400)
    }


@pytest.mark.parametrize(
    "shown",
    [
        "Incident 1 of default",
        "What each stage took, and what it takes by the settings",
        "checkpoint restore",
        "first: raised the detection",
        "Root cause and conclusion",
        "The conclusion is right.",
        "Was the decision right?",
        "strike standing",
        "default (this one)",
        'href="../naive/1"',
        'href="2" rel="next"',
    ],
)
def test_a_post_mortem_tells_everything(client: Client, shown: str) -> None:
    """Stages, layers, cause, judgement with its inputs, and the same fault elsewhere."""
    assert shown in client.get("/incidents/default/1").text


def in_seconds(duration: str) -> float:
    """What a duration on a page says."""
    units = {"d": 86400.0, "h": 3600.0, "min": 60.0, "s": 1.0}
    parts = duration.split()
    return sum(float(number) * units[unit] for number, unit in zip(parts[::2], parts[1::2], strict=True))


def column(text: str, number: int) -> tuple[list[float], list[float]]:
    """A column of the table of stages: what its rows say, and what its foot says; none is 0."""
    body, foot = re.findall(r"<tbody>(.*?)</tbody>\s*<tfoot>(.*?)</tfoot>", text, re.DOTALL)[0]
    cells = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in (*body.split("</tr>")[:-1], foot)]
    values = [0.0 if row[number] == "none" else in_seconds(row[number]) for row in cells]
    return values[:-1], values[-1:]


@pytest.mark.parametrize("number", [2, 3])
def test_the_table_of_stages_adds_up(number: int) -> None:
    """Both what was taken and what the settings say are the sums of their columns, to a rounded second."""
    past = Past(strike(3600.0, "crash", 5), strike(3700.0, "hang", 6)).until(DAY)
    rows, (total,) = column(Client(site_of(past)).get("/incidents/default/1").text, number)

    assert len(rows) > 8
    assert pytest.approx(sum(rows), abs=0.5 * len(rows)) == total


def test_a_post_mortem_says_whether_the_target_was_met() -> None:
    """The watchdog alone takes longer than the target, whatever the settings say of its timeout."""
    past = Past(strike(3600.0, "crash"), scenarios=TWO).until(DAY)
    naive, default = (Client(site_of(past)).get(f"/incidents/{name}/1").text for name in ("naive", "default"))

    assert '<dd>6 min 30 s: <span class="bad">missed</span></dd>' in naive
    assert '<span class="bad">missed</span>, 7 min 40 s over' in naive
    assert '<span class="good">met</span>, 1 min 50 s under' in default
    assert "The dashed line is the target of this scenario for the mean incident, 6 min 30 s" in naive


def test_a_target_that_is_not_drawn_is_told() -> None:
    """A target far beyond the incidents is named on both pages, without a dashed line."""
    past = Past(strike(3600.0, "crash"), scenarios=('name = "default"\ntargets.mttr_seconds = 86400.0',))
    client = Client(site_of(past.until(DAY)))
    texts = [client.get(path).text for path in ("/", "/incidents/default/1")]

    assert [(True, False)] * 2 == [
        ("Beyond the scale is the target" in text, 'class="target"' in text) for text in texts
    ]


def test_the_status_page_draws_the_target_of_each_scenario() -> None:
    """The dashed line of a scenario stands where its own settings say."""
    scenarios = ('name = "a"\ntargets.mttr_seconds = 240.0', 'name = "b"\ntargets.mttr_seconds = 360.0')
    past = Past(strike(3600.0, "crash"), scenarios=scenarios).until(DAY)
    text = Client(site_of(past)).get("/").text

    assert ["50.000", "75.000"] == re.findall(r'class="target" x1="([0-9.]+)%', text)
    assert ["4 min", "6 min"] == re.findall(r"dashed line is the target for the mean, ([^.]+)\.", text)


def test_every_post_mortem_can_be_shown(client: Client, past: Past) -> None:
    """Whatever happened in 40 days: every page is complete and links no page that is not there."""
    for scenario in ("naive", "default"):
        for incident in past.all(scenario):
            response = client.get(f"/incidents/{scenario}/{incident.number}")

            assert (200, True) == (response.status_code, "</html>" in response.text)


def test_every_post_mortem_of_a_corrupt_fleet_can_be_shown() -> None:
    """Corrupt state, wrong diagnoses, resets and retirements: every page is complete."""
    past = Past(FLEET, VALIDATED, **CORRUPT).until(40 * DAY)
    client = Client(site_of(past))
    for incident in past.all():
        response = client.get(f"/incidents/default/{incident.number}")

        assert (200, True) == (response.status_code, "</html>" in response.text)


def test_an_open_incident_reloads_itself() -> None:
    """Its page says that it is open, and asks again until it is closed."""
    text = (
        Client(site_of(Past(strike(3600.0, "crash", logged=True)).until(3612.0)))
        .get("/incidents/default/1")
        .text
    )

    assert 'http-equiv="refresh"' in text
    assert "stopped for 12 s so far" in text
    assert "Nothing had to be decided yet." in text


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/incidents/default/99999", "There has been no such incident of default."),
        ("/incidents/default/abc", "There has been no such incident of default."),
        ("/incidents/default/" + "9" * 400, "There has been no such incident of default."),
        ("/incidents/nobody/1", "There is no scenario &#39;nobody&#39;, but naive, default."),
        ("/incidents?scenario=nobody", "There is no scenario &#39;nobody&#39;, but naive, default."),
        ("/incidents/%3Cscript%3E/1", "There is no scenario &#39;&lt;script&gt;&#39;"),
    ],
)
def test_what_is_not_there_is_a_page_that_says_so(client: Client, path: str, words: str) -> None:
    """The answer is 404 with the reason and a way on."""
    response = client.get(path)

    assert 404 == response.status_code
    assert words in response.text


def test_what_is_forgotten_is_told_as_forgotten() -> None:
    """An incident that memory no longer holds is not one that has never been."""
    old = Past(**BUSY).until(1500 * DAY)
    response = Client(site_of(old)).get("/incidents/default/1")

    assert 404 == response.status_code
    assert "Incident 1 of default is forgotten: memory holds the newest only" in response.text


def test_a_long_incident_is_shown_in_part() -> None:
    """A wait with hundreds of faults is a page of ordinary size that says what it does not show."""
    client = Client(site_of(waiting(1100).until(3 * DAY)))
    text = client.get("/incidents/default/2").text

    assert len(text) < 80_000
    for words in (
        "facts between them are left out",
        "more faults, not shown here",
        "more decisions, not shown here",
        "more faults of this incident, not compared",
        "left out",
    ):
        assert words in text


def test_what_memory_does_not_hold_is_not_shown_as_training() -> None:
    """In the middle of a wait that is too long to be kept the job is not said to have trained."""
    text = Client(site_of(waiting(1100).until(10.0 * 3600.0))).get("/").text
    day = text[text.index('id="day-title"') : text.index('id="incidents-title"')]
    training = [
        float(width) for width in re.findall(r'bucket-productive" x="[0-9.]+%" width="([0-9.]+)%', day)
    ]

    assert "Nothing has gone wrong yet." not in text
    # Two hours of the twelve, but for the first incident: in both scenarios.
    assert 4 == len(training)
    assert sum(training) / 2 < 100.0 * 2.0 / 12.0
