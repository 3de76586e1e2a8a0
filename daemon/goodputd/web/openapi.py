"""The OpenAPI document, made from the classes that the answers are made of.

Built when somebody first asks, since the schemas take a tenth of a second. Knows no view and no
request.
"""

from dataclasses import dataclass
from typing import Any, Final

from pydantic import TypeAdapter

from goodputd import __version__
from goodputd.history.postmortem import PostMortem
from goodputd.web.answers import Decisions, Incidents, Problem, Scenarios, Status

_SCENARIO: Final = {"type": "string", "description": "Name of a scenario."}
_NUMBER: Final = {"type": "integer", "minimum": 1, "description": "Number of an incident in its scenario."}


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a path or its query."""

    name: str
    place: str
    schema: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One path and its answer."""

    path: str
    summary: str
    answer: type
    parameters: tuple[Parameter, ...] = ()
    media_type: str = "application/json"


ENDPOINTS: Final = (
    Endpoint("/api/v1/status", "The daemon and every scenario as of now.", Status),
    Endpoint("/api/v1/scenarios", "The scenarios and their settings in force.", Scenarios),
    Endpoint(
        "/api/v1/incidents",
        "The last incidents, newest first.",
        Incidents,
        (
            Parameter("scenario", "query", _SCENARIO),
            Parameter("limit", "query", {"type": "integer", "minimum": 1, "maximum": 100, "default": 20}),
            Parameter(
                "before",
                "query",
                {"type": "number", "description": "Only those that stopped before this simulated second."},
            ),
        ),
    ),
    Endpoint(
        "/api/v1/incidents/{scenario}/{number}",
        "The post-mortem of one incident.",
        PostMortem,
        (Parameter("scenario", "path", _SCENARIO), Parameter("number", "path", _NUMBER)),
    ),
    Endpoint(
        "/api/v1/decisions",
        "The last decisions and their reasons, newest first.",
        Decisions,
        (
            Parameter("scenario", "query", _SCENARIO),
            Parameter("limit", "query", {"type": "integer", "minimum": 1, "maximum": 100, "default": 20}),
        ),
    ),
    Endpoint(
        "/api/v1/events",
        "Server-sent events: the status, about once a second.",
        Status,
        (
            Parameter(
                "events", "query", {"type": "string", "enum": ["status", "fragments"], "default": "status"}
            ),
        ),
        media_type="text/event-stream",
    ),
)


def document() -> dict[str, Any]:
    """The OpenAPI 3.1 document."""
    answers = [*{endpoint.answer: None for endpoint in ENDPOINTS}, Problem]
    schemas, definitions = TypeAdapter.json_schemas(
        [(answer, "serialization", TypeAdapter(answer)) for answer in answers],
        ref_template="#/components/schemas/{model}",
    )
    components: dict[str, Any] = definitions.get("$defs", {})
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "goodputd",
            "version": __version__,
            "description": "What happens to a simulated training cluster. Seconds are simulated seconds "
            "since start unless a name says otherwise.",
        },
        "paths": {
            endpoint.path: {"get": _operation(endpoint, schemas[endpoint.answer, "serialization"])}
            for endpoint in ENDPOINTS
        },
        "components": {"schemas": dict(sorted(components.items()))},
    }


def _operation(endpoint: Endpoint, schema: dict[str, Any]) -> dict[str, Any]:
    problem = {
        "description": "What is wrong.",
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    return {
        "summary": endpoint.summary,
        "operationId": endpoint.path.removeprefix("/api/v1/").replace("/", "_").translate({123: "", 125: ""}),
        "parameters": [
            {
                "name": parameter.name,
                "in": parameter.place,
                "required": parameter.place == "path",
                "schema": parameter.schema,
            }
            for parameter in endpoint.parameters
        ],
        "responses": {
            "200": {
                "description": endpoint.summary,
                "content": {endpoint.media_type: {"schema": schema}},
            },
            "default": problem,
        },
    }
