"""compose.yaml and what it mounts: files exist, names resolve, nothing is reachable from elsewhere.

No container is started here; the shape of the files and how they hang together is what is tested.
"""

import json
import re
import subprocess
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import pytest
import yaml

ROOT: Final = Path(__file__).parent.parent.parent
PROVISIONING: Final = ROOT / "grafana" / "provisioning"
DASHBOARDS: Final = ROOT / "grafana" / "dashboards"


def read(path: Path) -> Any:  # noqa: ANN401 - YAML
    """The one document of a YAML file."""
    return yaml.safe_load(path.read_text(encoding="utf-8"))


COMPOSE: Final[dict[str, Any]] = read(ROOT / "compose.yaml")
SERVICES: Final[dict[str, dict[str, Any]]] = COMPOSE["services"]
SCRAPE: Final[dict[str, Any]] = read(ROOT / "config" / "prometheus" / "compose.yml")
GRAFANA: Final[dict[str, str]] = SERVICES["grafana"]["environment"]

each_service = pytest.mark.parametrize("service", SERVICES)


def mounts(service: str) -> list[list[str]]:
    """The parts of each volume of a service: source, target, options."""
    return [volume.split(":") for volume in SERVICES[service].get("volumes", [])]


def on_the_host(service: str, path: str) -> Path:
    """The file of this repository that a service sees under a path."""
    for source, target, *_ in mounts(service):
        if source.startswith(".") and (path == target or path.startswith(f"{target}/")):
            return ROOT / source / path.removeprefix(target).lstrip("/")
    pytest.fail(f"{service} has nothing mounted at {path}")


def option(service: str, name: str) -> str:
    """The value of an option in the command of a service."""
    (value,) = (
        each.partition("=")[2] for each in SERVICES[service]["command"] if each.startswith(f"{name}=")
    )
    return str(value)


def published(service: str) -> dict[str, str]:
    """Port in the container -> address and port outside of it."""
    return {port.rpartition(":")[2]: port.rpartition(":")[0] for port in SERVICES[service].get("ports", [])}


@each_service
def test_what_is_mounted_exists_and_is_read_only(service: str) -> None:
    """A file that is missing would be made a folder; volumes that are named are declared."""
    bound = [mount for mount in mounts(service) if mount[0].startswith(".")]
    named = [mount[0] for mount in mounts(service) if not mount[0].startswith(".")]

    assert [] == [mount for mount in bound if not (ROOT / mount[0]).exists() or mount[2:] != ["ro"]]
    assert [] == [name for name in named if name not in COMPOSE["volumes"]]


@each_service
def test_the_image_is_pinned_or_built_here(service: str) -> None:
    """A tag has three numbers, so that today's tested stack is tomorrow's; ours is built from here."""
    if "build" in SERVICES[service]:
        assert (ROOT / SERVICES[service]["build"] / "Dockerfile").is_file()
    else:
        assert re.fullmatch(r"docker\.io/[a-z]+/[a-z]+:v?\d+\.\d+\.\d+", SERVICES[service]["image"])


@each_service
def test_nothing_is_published_beyond_this_machine(service: str) -> None:
    """Nobody needs a password here, so nobody else may come."""
    assert {"127.0.0.1"} == {urlsplit(f"//{outside}").hostname for outside in published(service).values()}


@each_service
def test_each_service_says_whether_it_is_well(service: str) -> None:
    """A health check runs a command without a shell, often enough to be of use."""
    check = SERVICES[service]["healthcheck"]

    assert "CMD" == check["test"][0]
    assert {"test", "interval", "timeout", "start_period"} == set(check)


@each_service
def test_each_service_is_confined(service: str) -> None:
    """Read-only root, no capabilities, no way to get any."""
    confined = SERVICES[service]

    assert (True, ["ALL"], ["no-new-privileges:true"]) == (
        confined["read_only"],
        confined["cap_drop"],
        confined["security_opt"],
    )


@each_service
def test_a_service_waits_for_services_that_exist(service: str) -> None:
    """Names in depends_on are services."""
    assert [] == [name for name in SERVICES[service].get("depends_on", []) if name not in SERVICES]


def test_promtool_accepts_the_scrape_configuration(promtool: Path) -> None:
    """With the rules beside it, from the folder that is mounted."""
    config = on_the_host("prometheus", option("prometheus", "--config.file"))
    checked = subprocess.run(
        [promtool, "check", "config", config], check=False, capture_output=True, text=True
    )

    assert (0, "") == (checked.returncode, checked.stderr)
    assert "rules found" in checked.stdout


def test_it_is_scraped_as_on_a_machine_without_compose() -> None:
    """Only the address of the daemon differs, and that somebody hears of alerts."""
    shipped = read(ROOT / "config" / "prometheus" / "prometheus.yml")
    (here,), (there,) = SCRAPE["scrape_configs"], shipped["scrape_configs"]

    assert {key: shipped[key] for key in ("global", "rule_files")} == {
        key: SCRAPE[key] for key in ("global", "rule_files")
    }
    assert {**there, "static_configs": here["static_configs"]} == here


def test_every_address_is_a_service_and_its_port() -> None:
    """Prometheus finds the daemon and Alertmanager, Alertmanager the inbox, Grafana what it asks."""
    (scraped,) = SCRAPE["scrape_configs"][0]["static_configs"][0]["targets"]
    (alerted,) = SCRAPE["alerting"]["alertmanagers"][0]["static_configs"][0]["targets"]
    mailed = read(on_the_host("alertmanager", option("alertmanager", "--config.file")))["global"]

    assert ("goodputd:9642", "alertmanager:9093", "inbox:1025") == (
        scraped,
        alerted,
        mailed["smtp_smarthost"],
    )
    assert {"http://prometheus:9090", "http://alertmanager:9093"} == {
        GRAFANA["PROMETHEUS_URL"],
        GRAFANA["ALERTMANAGER_URL"],
    }
    assert {"goodputd": ["9642"], "prometheus": ["9090"], "alertmanager": ["9093"], "inbox": ["8025"]} == {
        name: [*published(name)] for name in SERVICES if name != "grafana"
    }


def test_links_in_alerts_lead_to_published_ports() -> None:
    """Whoever reads a notification is outside of the containers."""
    for service in ("prometheus", "alertmanager"):
        port = urlsplit(option(service, "--web.external-url")).port
        assert f"127.0.0.1:{port}" in published(service).values()


def test_every_alert_reaches_a_receiver_that_is_there() -> None:
    """There is one route, to the one that mails to the inbox, resolved alerts included."""
    config = read(on_the_host("alertmanager", option("alertmanager", "--config.file")))
    (receiver,) = config["receivers"]

    assert receiver["name"] == config["route"]["receiver"]
    assert "routes" not in config["route"]
    assert [True] == [mail["send_resolved"] for mail in receiver["email_configs"]]


def test_grafana_opens_without_a_password_for_viewers_only() -> None:
    """Anonymous people look; there is no form, no basic authentication and no user to log in as."""
    assert ("true", "Viewer", "false", "true", "true") == (
        GRAFANA["GF_AUTH_ANONYMOUS_ENABLED"],
        GRAFANA["GF_AUTH_ANONYMOUS_ORG_ROLE"],
        GRAFANA["GF_AUTH_BASIC_ENABLED"],
        GRAFANA["GF_AUTH_DISABLE_LOGIN_FORM"],
        GRAFANA["GF_SECURITY_DISABLE_INITIAL_ADMIN_CREATION"],
    )


def test_grafana_opens_on_the_goodput_dashboard() -> None:
    """The home dashboard is a mounted file, the first of the five."""
    home = on_the_host("grafana", GRAFANA["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"])

    assert "goodputd-goodput" == json.loads(home.read_text(encoding="utf-8"))["uid"]


def test_grafana_is_given_every_dashboard() -> None:
    """The provider reads the folder of generated dashboards, where nobody edits them in the browser."""
    assert on_the_host("grafana", "/etc/grafana/provisioning") == PROVISIONING
    (provider,) = read(PROVISIONING / "dashboards" / "goodputd.yml")["providers"]

    assert on_the_host("grafana", provider["options"]["path"]) == DASHBOARDS
    assert (False, True) == (provider["allowUiUpdates"], provider["disableDeletion"])
    assert [*DASHBOARDS.glob("*.json")]


def test_links_between_dashboards_find_their_target() -> None:
    """Every uid that a dashboard links to is that of a provisioned one."""
    texts = [path.read_text(encoding="utf-8") for path in DASHBOARDS.glob("*.json")]
    uids = {json.loads(text)["uid"] for text in texts}
    linked = {uid for text in texts for uid in re.findall(r'"/d/([a-z0-9-]+)', text)}

    assert linked
    assert set() == linked - uids


def test_links_to_the_status_page_lead_to_its_published_port() -> None:
    """The address that dashboards start with is where compose publishes the daemon."""
    (port,) = published("goodputd").values()
    addresses = {
        variable["query"]
        for path in DASHBOARDS.glob("*.json")
        for variable in json.loads(path.read_text(encoding="utf-8"))["templating"]["list"]
        if variable["name"] == "goodputd_url"
    }

    assert {port.replace("127.0.0.1", "http://localhost")} == addresses


def test_the_data_source_is_the_one_that_dashboards_expect() -> None:
    """It has its uid, is the default, asks every second, and its address comes from the environment."""
    sources = {
        each["uid"]: each for each in read(PROVISIONING / "datasources" / "goodputd.yml")["datasources"]
    }
    prometheus = sources["prometheus"]

    assert ("prometheus", True) == (prometheus["type"], prometheus["isDefault"])
    assert SCRAPE["global"]["scrape_interval"] == prometheus["jsonData"]["timeInterval"]
    assert {f"${{{name}}}" for name in GRAFANA if name.endswith("_URL")} == {
        each["url"] for each in sources.values()
    }
