"""What the API consists of, once: its paths, their parameters and the classes of their answers.

The OpenAPI document, the page for people and the check of a request are made from this table. Knows
no request and no schema; nothing here takes time to load.
"""

from dataclasses import dataclass
from typing import Any, Final

from goodputd.history.postmortem import PostMortem
from goodputd.web.answers import Decisions, Incidents, Scenarios, Status

PER_PAGE: Final = 20
MOST_PER_PAGE: Final = 100


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a path or its query."""

    name: str
    place: str
    """``path`` or ``query``."""
    description: str
    schema: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One path and its answer; the name is that of its handler."""

    name: str
    path: str
    summary: str
    answer: type
    parameters: tuple[Parameter, ...] = ()
    media_type: str = "application/json"

    @property
    def query(self) -> frozenset[str]:
        """The names that its query may have."""
        return frozenset(parameter.name for parameter in self.parameters if parameter.place == "query")


_OF_SCENARIO: Final = Parameter("scenario", "query", "Only those of this scenario.", {"type": "string"})
_LIMIT: Final = Parameter(
    "limit",
    "query",
    "At most so many.",
    {"type": "integer", "minimum": 1, "maximum": MOST_PER_PAGE, "default": PER_PAGE},
)
_CURSOR: Final = Parameter(
    "cursor",
    "query",
    "Where the page before ended: opaque, taken from its next, for the same scenario.",
    {"type": "string"},
)

DOCUMENT_PATH: Final = "/api/v1/openapi.json"
ENDPOINTS: Final = (
    Endpoint("status", "/api/v1/status", "The daemon and every scenario as of now.", Status),
    Endpoint("scenarios", "/api/v1/scenarios", "The scenarios and their settings in force.", Scenarios),
    Endpoint(
        "incidents",
        "/api/v1/incidents",
        "The last incidents, by when they stopped training, newest first.",
        Incidents,
        (_OF_SCENARIO, _LIMIT, _CURSOR),
    ),
    Endpoint(
        "incident",
        "/api/v1/incidents/{scenario}/{number}",
        "The post-mortem of one incident.",
        PostMortem,
        (
            Parameter("scenario", "path", "Name of a scenario.", {"type": "string"}),
            Parameter(
                "number", "path", "Number of an incident in its scenario.", {"type": "integer", "minimum": 1}
            ),
        ),
    ),
    Endpoint(
        "decisions",
        "/api/v1/decisions",
        "The last decisions and their reasons, newest first.",
        Decisions,
        (_OF_SCENARIO, _LIMIT),
    ),
    Endpoint(
        "events",
        "/api/v1/events",
        "Server-sent events: the status, about once a second.",
        Status,
        (
            Parameter(
                "events",
                "query",
                "What is told; fragments is for the status page: the HTML of what changed on it.",
                {"type": "string", "enum": ["status", "fragments"], "default": "status"},
            ),
        ),
        media_type="text/event-stream",
    ),
)
