"""Which Host headers are answered."""

import pytest

from goodputd.web.hosts import allowed_names, is_allowed

EVERY_ADDRESS = "0.0.0.0"  # noqa: S104 - nothing is bound here


@pytest.mark.parametrize("listen", ["127.0.0.1", "::1", "localhost", "127.9.9.9"])
@pytest.mark.parametrize(
    ("host", "expected"),
    [
        (None, True),
        ("localhost", True),
        ("LOCALHOST:9642", True),
        ("127.0.0.1:9642", True),
        ("[::1]:9642", True),
        ("192.0.2.7", True),
        ("evil.example", False),
        ("evil.example:9642", False),
        ("localhost.evil.example", False),
        ("127.0.0.1.evil.example", False),
        ("", False),
        ("[localhost].evil.example", False),
        ("localhost:80.evil.example", False),
        ("[127.0.0.1].evil.example", False),
        ("[::1]evil.example", False),
        ("[localhost]", False),
        ("[fe80::1%eth0]:9642", True),
        ("localhost:", True),
    ],
)
def test_on_loopback_only_addresses_and_localhost_are_answered(
    listen: str, host: str | None, *, expected: bool
) -> None:
    """A name that a stranger can point at this machine is refused; an address can not be pointed."""
    assert expected == is_allowed(host, allowed_names(listen, ()))


@pytest.mark.parametrize("listen", [EVERY_ADDRESS, "", "::", "192.0.2.7", "metrics.example"])
def test_on_a_network_any_name_is_answered_until_names_are_configured(listen: str) -> None:
    """The daemon does not know what its network calls it, unless it is told."""
    before = is_allowed("anything.example", allowed_names(listen, ()))
    after = is_allowed("anything.example", allowed_names(listen, ("goodputd.example",)))

    assert (True, False) == (before, after)


@pytest.mark.parametrize("listen", ["127.0.0.1", EVERY_ADDRESS])
@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("goodputd.example:9642", True),
        ("Goodputd.Example", True),
        ("localhost:9642", True),
        ("10.0.0.3:9642", True),
        ("a.pods.example", True),
        ("pods.example", False),
        ("xpods.example", False),
        ("other.example", False),
    ],
)
def test_configured_names_are_answered(listen: str, host: str, *, expected: bool) -> None:
    """Names are compared without case and port; a star stands for what comes before a dot."""
    names = allowed_names(listen, ("Goodputd.example", "*.pods.example"))

    assert expected == is_allowed(host, names)


def test_a_star_answers_everybody() -> None:
    """allowed_hosts = ["*"] turns the guard off."""
    assert is_allowed("evil.example", allowed_names("127.0.0.1", ("*",)))


def test_the_name_that_is_listened_on_is_answered() -> None:
    """Listening on a name answers to it, whatever else is configured."""
    assert is_allowed("metrics.example", allowed_names("metrics.example", ("other.example",)))
