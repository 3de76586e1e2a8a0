"""The files that pages load: style, script and icon, read once and served from memory.

An ETag spares the transfer; ``no-cache`` makes browsers ask, so that an upgrade shows at once.
"""

import hashlib
from importlib.resources import files
from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

_TYPES: Final = {
    "style.css": "text/css; charset=utf-8",
    "live.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
_NOT_MODIFIED: Final = 304
_NOT_FOUND: Final = 404


class Assets:
    """The files under ``/static``."""

    def __init__(self) -> None:
        """Reads them."""
        folder = files("goodputd.web") / "static"
        self._bodies = {name: (folder / name).read_bytes() for name in _TYPES}
        self._tags = {
            name: f'"{hashlib.sha256(body).hexdigest()[:16]}"' for name, body in self._bodies.items()
        }

    async def serve(self, request: Request) -> Response:
        """The file, or that the client has it already."""
        name = request.path_params["name"]
        body = self._bodies.get(name)
        if body is None:
            return PlainTextResponse("Not found.\n", _NOT_FOUND, headers={"Cache-Control": "no-store"})
        headers = {
            "Cache-Control": "no-cache",
            "Content-Type": _TYPES[name],
            "ETag": self._tags[name],
            "X-Content-Type-Options": "nosniff",
        }
        known = [
            tag.strip().removeprefix("W/") for tag in request.headers.get("if-none-match", "").split(",")
        ]
        if self._tags[name] in known or "*" in known:
            return Response(status_code=_NOT_MODIFIED, headers=headers)
        return Response(body, headers=headers)
