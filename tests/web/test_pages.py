"""Status page, list and post-mortems of scenarios that were played."""

import re

import pytest

from tests.history.past import BUSY, CORRUPT, DAY, FLEET, VALIDATED, Past, strike
from tests.web.asking import TWO, Client, site_of


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


def test_the_list_pages_through_all_incidents(client: Client, past: Past) -> None:
    """From page to page by its links every incident is listed once, newest first."""
    path: str | None = "/incidents?scenario=default"
    found: list[str] = []
    while path is not None:
        text = client.get(path).text
        found += links(text)
        older = re.search(r'href="(incidents\?[^"]+)" rel="next"', text)
        path = None if older is None else "/" + older[1].replace("&amp;", "&")

    assert [f"incidents/default/{incident.number}" for incident in past.all()[::-1]] == found


def test_the_list_merges_scenarios_by_time(client: Client, past: Past) -> None:
    """Without a scenario in the query the newest incidents of all are listed."""
    both = sorted([*past.all("naive"), *past.all()], key=lambda each: each.stopped_at, reverse=True)

    assert [f"incidents/{each.scenario}/{each.number}" for each in both[:50]] == links(
        client.get("/incidents").text
    )


def test_a_page_that_is_no_number_is_the_first(client: Client) -> None:
    """A query that makes no sense is met with the newest incidents."""
    assert links(client.get("/incidents").text) == links(client.get("/incidents?before=abc").text)


@pytest.mark.parametrize(
    "shown",
    [
        "Incident 1 of default",
        "Stages against their budget",
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
    """Stages against budget, layers, cause, judgement with its inputs, and the same fault elsewhere."""
    assert shown in client.get("/incidents/default/1").text


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
