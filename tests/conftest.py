"""What every test may rely on: a clean environment, the system's tools, golden files.

Holds no simulation: ``tests.world`` builds those.
"""

import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import hypothesis
import pytest

GOLDEN = Path(__file__).parent / "golden"

# The same tree gives the same verdict: a red run is a red change, not a lucky draw.
hypothesis.settings.register_profile("goodputd", deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.load_profile("goodputd")


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--update-golden`` writes the golden files instead of comparing with them."""
    parser.addoption("--update-golden", action="store_true", help="write tests/golden anew (make golden)")


def pytest_configure(config: pytest.Config) -> None:
    """No test sees a developer's own ``GOODPUTD_*`` variables, and Ctrl-C works in what it starts."""
    del config
    for name in [name for name in os.environ if name.startswith("GOODPUTD_")]:
        del os.environ[name]
    # A shell starts background jobs with SIGINT ignored, and what is ignored is inherited.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With ``--update-golden`` only the tests that have a golden file run."""
    if config.getoption("--update-golden"):
        items[:] = [item for item in items if "golden" in getattr(item, "fixturenames", ())]


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """``golden(name, text)`` fails unless ``tests/golden/<name>`` holds exactly ``text``."""

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        expected = path.read_text(encoding="utf-8") if path.exists() else ""

        assert expected == text, f"{path} differs; if that is meant: make golden, and read the diff"

    return compare


@pytest.fixture(scope="session")
def prometheus() -> Path:
    """The system's Prometheus server."""
    return _system_command("prometheus")


@pytest.fixture(scope="session")
def promtool() -> Path:
    """The system's promtool."""
    return _system_command("promtool")


def _system_command(name: str) -> Path:
    path = shutil.which(name)
    if path is None:
        pytest.fail(
            f"missing: {name}, which this test runs for real; `make test` installs it as root", pytrace=False
        )
    return Path(path)
