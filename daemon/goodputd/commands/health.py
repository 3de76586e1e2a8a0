"""Ask a running daemon whether it is ready, with nothing but the standard library.

Made for a container's health check: no shell, no curl, no settings file needed when the address is
in the environment. It knows one path of the daemon's HTTP interface and nothing else of it.
"""

import http.client
import ipaddress
import os
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from goodputd.errors import SettingsError

READY_PATH: Final = "/-/ready"
LISTEN_VARIABLE: Final = "GOODPUTD_HTTP__LISTEN"

_NOT_READY: Final = 1
_IPV6: Final = 6


def check(url: str | None, *, config: Path | None, timeout_wall_seconds: float) -> int:
    """0 and ``ready`` on stdout, or 1 and the reason on stderr.

    Without ``url`` the address is the one that the daemon would listen on with the same settings.
    Errors: ``SettingsError`` when the address is no http(s) address.
    """
    target = ready_url(url) if url is not None else ready_url(f"http://{reachable(_listen(config))}")
    # A daemon on this machine is never behind the proxy that the environment may name.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(target, timeout=timeout_wall_seconds) as response:
            response.read()
    except urllib.error.HTTPError as error:
        body = error.read(200).decode("utf-8", "replace").strip()
        return _not_ready(target, f"HTTP {error.code} {body or error.reason}")
    except urllib.error.URLError as error:
        return _not_ready(target, str(error.reason))
    except (OSError, ValueError, http.client.HTTPException) as error:
        return _not_ready(target, str(error) or type(error).__name__)
    print("ready")
    return 0


def ready_url(url: str) -> str:
    """The address of the ready check: ``url`` itself when it has a path, else with the path put on."""
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.netloc:
        message = f"--url: {url!r} is not an address; allowed is http://host:port"
        raise SettingsError(message)
    return url if parts.path.strip("/") else f"{parts.scheme}://{parts.netloc}{READY_PATH}"


def reachable(listen: str) -> str:
    """The ``host:port`` to reach a daemon that listens on ``listen``: every-address becomes loopback."""
    host, _, port = listen.rpartition(":")
    bare = host.strip("[]")
    try:
        address = ipaddress.ip_address(bare)
    except ValueError:
        return f"{host or '127.0.0.1'}:{port}"
    if address.version == _IPV6:
        return f"[{'::1' if address.is_unspecified else bare}]:{port}"
    return f"{'127.0.0.1' if address.is_unspecified else bare}:{port}"


def _listen(config: Path | None) -> str:
    listen = os.environ.get(LISTEN_VARIABLE, "")
    if listen and not listen.startswith(("'", '"')):
        return listen
    from goodputd import settings  # the validator takes longer to load than the question takes

    return settings.load(config).http.listen


def _not_ready(target: str, reason: str) -> int:
    print(f"not ready: {target}: {reason}", file=sys.stderr)
    return _NOT_READY
