"""/api/v1: every answer as its schema says, and the same figures as the pages."""

import html
import re
from typing import Any

import jsonschema
import pytest

from goodputd.summary import summarize
from tests import snapshots
from tests.history.past import BUSY, DAY, Past, strike
from tests.web.asking import TWO, Client, site, site_of


@pytest.fixture(scope="module")
def past() -> Past:
    """Two scenarios after 40 busy days."""
    return Past(scenarios=TWO, **BUSY).until(40 * DAY)


@pytest.fixture(scope="module")
def client(past: Past) -> Client:
    """A client of the site that shows them."""
    return Client(site_of(past))


@pytest.fixture(scope="module")
def document(client: Client) -> dict[str, Any]:
    """The OpenAPI document."""
    found: dict[str, Any] = client.get("/api/v1/openapi.json").json()
    return found


def check(document: dict[str, Any], path: str, answer: object) -> None:
    """Fail unless the answer is what the document says of the path."""
    (content,) = document["paths"][path]["get"]["responses"]["200"]["content"].values()
    schema = {**content["schema"], "components": document["components"]}
    jsonschema.Draft202012Validator(schema).validate(answer)


@pytest.mark.parametrize(
    ("path", "described"),
    [
        ("/api/v1/status", "/api/v1/status"),
        ("/api/v1/scenarios", "/api/v1/scenarios"),
        ("/api/v1/incidents?limit=100", "/api/v1/incidents"),
        ("/api/v1/incidents?scenario=naive", "/api/v1/incidents"),
        ("/api/v1/incidents/default/1", "/api/v1/incidents/{scenario}/{number}"),
        ("/api/v1/decisions?limit=100", "/api/v1/decisions"),
    ],
)
def test_answers_are_as_described(
    client: Client, document: dict[str, Any], path: str, described: str
) -> None:
    """The answer has the type and the schema that the document names."""
    response = client.get(path)

    assert (200, "application/json") == (response.status_code, response.headers["content-type"])
    check(document, described, response.json())


def test_a_loss_that_is_no_number_is_as_described(document: dict[str, Any]) -> None:
    """The schema admits that there is none."""
    nan = Client(site(snapshots.view(snapshots.snapshot(loss=None))))

    check(document, "/api/v1/status", nan.get("/api/v1/status").json())


def test_every_post_mortem_is_as_described(client: Client, document: dict[str, Any], past: Past) -> None:
    """Whatever happened in 40 days, the schema admits it."""
    for incident in past.all():
        path = f"/api/v1/incidents/default/{incident.number}"
        check(document, "/api/v1/incidents/{scenario}/{number}", client.get(path).json())


def test_the_schema_admits_nothing_else(client: Client, document: dict[str, Any]) -> None:
    """An answer with a key too many or too few would not pass."""
    status = client.get("/api/v1/status").json()
    for wrong in ({**status, "more": 1}, {key: value for key, value in status.items() if key != "speedup"}):
        with pytest.raises(jsonschema.ValidationError):
            check(document, "/api/v1/status", wrong)


def test_the_document_lists_every_path(client: Client, document: dict[str, Any]) -> None:
    """Each path of the document is answered, and each is described and OpenAPI 3.1."""
    paths = [path.format(scenario="default", number=1) for path in document["paths"] if "events" not in path]

    assert "3.1.0" == document["openapi"]
    assert {200} == {client.get(path).status_code for path in paths}
    assert all(operation["get"]["summary"] for operation in document["paths"].values())


def test_the_page_of_the_api_is_made_from_the_document(client: Client, document: dict[str, Any]) -> None:
    """People find every path, its sentence and its parameters, and a link to the document itself."""
    text = html.unescape(client.get("/api").text)

    for path, operations in document["paths"].items():
        assert f"<code>{path}</code>" in text
        assert operations["get"]["summary"] in text
        for parameter in operations["get"]["parameters"]:
            assert f"<code>{parameter['name']}</code>" in text
            assert parameter["description"] in text
    assert 'href="api/v1/openapi.json"' in text


def test_the_page_of_the_api_links_what_can_be_shown(client: Client, document: dict[str, Any]) -> None:
    """Each link leads to JSON: neither a template of a path nor a stream without end is one."""
    linked = re.findall(r'href="(api/v1/[^"]+)"', client.get("/api").text)

    assert {"application/json"} == {client.get(f"/{path}").headers["content-type"] for path in linked}
    assert len(document["paths"]) - 2 + 1 == len(linked)


def test_the_status_has_the_figures_of_simulate(client: Client, past: Past) -> None:
    """Every key of ``simulate --json`` is there, with its value."""
    taken = [simulation.snapshot() for simulation in past.simulations]
    expected = summarize(taken, version="1.2.3", seed=1)["scenarios"]
    found = client.get("/api/v1/status").json()["scenarios"]

    assert expected == [
        {key: value for key, value in scenario.items() if key in expected[0]} for scenario in found
    ]


def walked(client: Client, path: str | None) -> list[tuple[str, int]]:
    """The incidents that following ``next`` finds."""
    found: list[tuple[str, int]] = []
    while path is not None:
        answer = client.get(path).json()
        found += [(incident["scenario"], incident["number"]) for incident in answer["incidents"]]
        path = answer["next"]
    return found


@pytest.mark.parametrize("limit", [1, 7, 100])
def test_incidents_are_paged(client: Client, past: Past, limit: int) -> None:
    """Following ``next`` lists every incident of a scenario once, newest first."""
    expected = [("default", incident.number) for incident in past.all()[::-1]]

    assert expected == walked(client, f"/api/v1/incidents?scenario=default&limit={limit}")


@pytest.mark.parametrize("limit", [1, 2, 3, 100])
def test_incidents_of_one_instant_are_all_listed(limit: int) -> None:
    """Scenarios on the same faults stop together; wherever a page ends, the next one goes on there."""
    faults = (strike(3600.0 * hour, "crash", hour % 16, logged=True) for hour in range(1, 13))
    past = Past(*faults, scenarios=TWO).until(DAY)
    client = Client(site_of(past))
    instants = [incident.stopped_at for incident in past.all()]

    assert instants == [incident.stopped_at for incident in past.all("naive")]
    assert [(name, number) for number in range(12, 0, -1) for name in ("naive", "default")] == walked(
        client, f"/api/v1/incidents?limit={limit}"
    )


def test_paging_goes_on_where_it_was_while_time_goes_on() -> None:
    """What happens between two pages neither hides an older incident nor shows one twice."""
    faults = (strike(3600.0 * hour, "crash", hour % 16, logged=True) for hour in range(1, 20))
    past = Past(*faults, scenarios=TWO).until(5.0 * 3600.0 + 10.0)  # naive has not noticed the fifth yet
    path: str | None = "/api/v1/incidents?limit=2"
    found: list[tuple[str, int]] = []
    while path is not None:
        answer = Client(site_of(past)).get(path).json()
        found += [(incident["scenario"], incident["number"]) for incident in answer["incidents"]]
        path = answer["next"]
        past.until(past.now + 3600.0)

    older = [(name, number) for number in range(4, 0, -1) for name in ("naive", "default")]
    assert [("default", 5), *older] == found


def test_an_entry_leads_to_its_post_mortem(client: Client) -> None:
    """The path of an entry answers with the incident of its number."""
    entry = client.get("/api/v1/incidents?limit=1").json()["incidents"][0]
    incident = client.get(entry["path"]).json()["incident"]

    assert (entry["scenario"], entry["number"]) == (incident["scenario"], incident["number"])


def test_decisions_are_those_of_the_incidents(client: Client) -> None:
    """A decision is the one that the post-mortem of its incident tells."""
    told = client.get("/api/v1/decisions?scenario=default&limit=1").json()["decisions"][0]["decision"]
    incident = client.get(f"/api/v1/incidents/default/{told['incident']}").json()["incident"]

    assert told in incident["decisions"]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/v1/incidents?limit=0", 400),
        ("/api/v1/incidents?limit=101", 400),
        ("/api/v1/incidents?limit=1.5", 400),
        ("/api/v1/incidents?limit=1_0", 400),
        ("/api/v1/incidents?limit=" + "9" * 5000, 400),
        ("/api/v1/incidents?limit=", 400),
        ("/api/v1/incidents?limit=5&limit=6", 400),
        ("/api/v1/incidents?limit=inf", 400),
        ("/api/v1/incidents?limit=many", 400),
        ("/api/v1/incidents?cursor=nan", 400),
        ("/api/v1/incidents?cursor=1", 400),
        ("/api/v1/incidents?cursor=1-2-3", 400),
        ("/api/v1/incidents?scenario=default&cursor=1-2", 400),
        ("/api/v1/incidents?before=100", 400),
        ("/api/v1/status?color=blue", 400),
        ("/api/v1/scenarios?scenario=default", 400),
        ("/api/v1/incidents/default/1?limit=3", 400),
        ("/api/v1/decisions?cursor=1-1", 400),
        ("/api/v1/events?evnts=status", 400),
        ("/api/v1/events?events=other", 400),
        ("/api/v1/openapi.json?pretty", 400),
        ("/api/v1/incidents?scenario=nobody", 404),
        ("/api/v1/incidents/nobody/1", 404),
        ("/api/v1/incidents/default/0", 404),
        ("/api/v1/incidents/default/x", 404),
        ("/api/v1/decisions?scenario=nobody", 404),
        ("/api/v1/decisions?limit=-1", 400),
        ("/api/v1/nothing", 404),
        ("/api/v2/status", 404),
        ("/api/v1/incidents/default/1/more", 404),
    ],
)
def test_a_mistake_is_a_problem_document(
    client: Client, document: dict[str, Any], path: str, status: int
) -> None:
    """What is wrong is told as RFC 9457 says, with the status in it."""
    response = client.get(path)
    schema = {**document["components"]["schemas"]["Problem"], "components": document["components"]}

    assert (status, "application/problem+json") == (response.status_code, response.headers["content-type"])
    assert status == response.json()["status"]
    jsonschema.Draft202012Validator(schema).validate(response.json())


def test_an_unknown_parameter_is_told_with_those_there_are(client: Client) -> None:
    """A slip of the pen is refused, not taken for no limit."""
    answer = client.get("/api/v1/incidents?limmit=3").json()

    assert "There is no parameter 'limmit': there are cursor, limit, scenario." == answer["detail"]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
@pytest.mark.parametrize("path", ["/api/v1/status", "/api/v1/events", "/api/v1/openapi.json"])
def test_another_method_is_a_problem_document(client: Client, method: str, path: str) -> None:
    """The API can only be read, and the answer says how, for programs."""
    response = client.request(method, path)

    assert (405, "application/problem+json", 405) == (
        response.status_code, response.headers["content-type"], response.json()["status"],
    )  # fmt: skip
    assert {"GET", "HEAD"} == set(response.headers["allow"].split(", "))


@pytest.mark.parametrize("path", ["status", "scenarios", "incidents", "incidents/default/1", "decisions"])
def test_before_the_first_view_there_is_nothing_to_tell(path: str) -> None:
    """Asked while it starts, the daemon says when to ask again."""
    response = Client(site(None)).get(f"/api/v1/{path}")

    assert (503, "1") == (response.status_code, response.headers["retry-after"])
    assert "application/problem+json" == response.headers["content-type"]


def test_a_scenario_without_data_has_nulls(document: dict[str, Any]) -> None:
    """Means and ratios that have no data yet are null, and the schema knows it."""
    nothing = snapshots.snapshot(effective_training_time_ratio=None, mttr_seconds=None, mtbf_seconds=None)
    answer = Client(site(snapshots.view(nothing))).get("/api/v1/status").json()

    check(document, "/api/v1/status", answer)
    assert None is answer["scenarios"][0]["mttr_seconds"]


def test_an_open_incident_is_as_described(document: dict[str, Any]) -> None:
    """What is not known yet is null."""
    client = Client(site_of(Past(strike(3600.0, "crash")).until(3640.0)))
    answer = client.get("/api/v1/incidents/default/1").json()

    check(document, "/api/v1/incidents/{scenario}/{number}", answer)
    assert (None, None) == (answer["incident"]["resumed_at"], answer["incident"]["lost_steps"])
