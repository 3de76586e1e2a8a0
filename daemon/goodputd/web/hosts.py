"""Which Host headers are answered: the guard against DNS rebinding.

A web page can make a browser ask this daemon under the page's own name; it cannot make it ask under
an address or a name of ours. So addresses are always answered, names only when they are known.
"""

import ipaddress
import re
from collections.abc import Sequence
from typing import Final

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

_MISDIRECTED: Final = 421
ANY: Final = "*"
_HOST: Final = re.compile(r"(?:\[(?P<bracketed>[^\[\]]+)\]|(?P<host>[^:\[\]]+))(?::[0-9]*)?")


def allowed_names(listen_host: str, configured: Sequence[str]) -> tuple[str, ...]:
    """The names to answer to, given where the daemon listens and what ``http.allowed_hosts`` says.

    On a loopback address: localhost, and the configured names. Elsewhere: the configured names, and
    any name when none is configured, since the daemon can not know what its network calls it.
    """
    if not configured and not _is_loopback(listen_host):
        return (ANY,)
    return ("localhost", listen_host.lower(), *(name.lower() for name in configured))


def is_allowed(host_header: str | None, names: Sequence[str]) -> bool:
    """Whether a request with this Host header is answered; one without it comes from no browser.

    A name ``*.example.com`` stands for every name below example.com.
    """
    if host_header is None or ANY in names:
        return True
    found = _HOST.fullmatch(host_header.strip().lower())
    if found is None:
        return False
    if found["bracketed"] is not None:
        return _is_address(found["bracketed"])
    host = found["host"]
    return _is_address(host) or any(
        host == name or (name.startswith("*.") and host.endswith(name[1:])) for name in names
    )


class HostGuard:
    """ASGI middleware that answers 421 to a name that is not ours."""

    def __init__(self, app: ASGIApp, names: Sequence[str]) -> None:
        """``names`` as ``allowed_names`` gives them."""
        self._app = app
        self._names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it with what to do about it."""
        if scope["type"] == "http" and not is_allowed(Headers(scope=scope).get("host"), self._names):
            refusal = PlainTextResponse(
                "This name is not served here; to allow it, add it to allowed_hosts in [http].\n",
                _MISDIRECTED,
            )
            await refusal(scope, receive, send)
            return
        await self._app(scope, receive, send)


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
