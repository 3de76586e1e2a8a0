"""The OpenAPI document, made from the table of endpoints and the classes of their answers.

Built when somebody first asks, since the schemas take pydantic a tenth of a second. Knows no view
and no request.
"""

from typing import Any

from pydantic import TypeAdapter

from goodputd import __version__
from goodputd.web.answers import Problem
from goodputd.web.endpoints import ENDPOINTS, Endpoint


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
            "since start unless a name says otherwise. A parameter that is not listed is refused.",
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
        "operationId": endpoint.name,
        "parameters": [
            {
                "name": parameter.name,
                "in": parameter.place,
                "required": parameter.place == "path",
                "description": parameter.description,
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
