"""Holds what deploy/ starts against itself and the service: what is scraped runs and listens, a worker's scratch folder
is on disk and large enough for its reads, images are named by version, what is mounted is there, and no unit stops or
stays down with another.

usage: wiring.py
"""

import pathlib
import re
import sys
import tomllib

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
DEPLOY = ROOT / "deploy"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text()
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
SERVICES = COMPOSE["services"]
VERSION = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
# What every process may write besides: its log, and small files.
BESIDE_SCRATCH = 2
UNITS = {"Mi": 1 / 1024, "Gi": 1, "Ti": 1024}


def gib(quantity):
    return int(quantity[:-2]) * UNITS[quantity[-2:]]


def image_env(name):
    """A variable that the image sets."""
    found = re.search(rf"\b{name}=(\S+)", DOCKERFILE)
    return found and found[1]


def mounts(service):
    """Where the service's volumes are mounted, each with its source."""
    return {volume.split(":")[1]: volume.split(":")[0] for volume in service.get("volumes", [])}


def upload_gib():
    """MWS_MAX_UPLOAD_BYTES as it usually is."""
    settings = (ROOT / "common/runtime/src/config/mod.rs").read_text()
    return int(re.search(r'"MWS_MAX_UPLOAD_BYTES", default_value_t = (\d+) << 30', settings)[1])


def jobs(file):
    """The jobs of a configuration of Prometheus, by their names."""
    config = yaml.safe_load((DEPLOY / "prometheus" / file).read_text())
    return {one["job_name"]: one for one in config["scrape_configs"]}


def scrapes_lead_nowhere():
    """Each job of Prometheus has to be a service that it has a network with, that runs this program and listens."""
    scraped, port = jobs("compose.yml"), image_env("MWS_HEALTH_LISTEN").rpartition(":")[2]
    ours = SERVICES["prometheus"]
    rules = (DEPLOY / "prometheus/rules.yml").read_text()
    needed = set(jobs("prometheus.yml")) | set(re.findall(r'absent\(up\{job="([^"]+)"', rules))
    if set(scraped) != needed:
        yield f"prometheus/compose.yml scrapes {sorted(scraped)}, the alerts go by {sorted(needed)}"
    for job, scrape in scraped.items():
        for at in scrape["dns_sd_configs"]:
            for name in at["names"]:
                service = SERVICES.get(name, {})
                if service.get("command") != [job]:
                    yield f"{job}: {name} is no service of compose.yaml that runs it"
                if not set(service.get("networks", [])) & set(ours["networks"]):
                    yield f"{job}: prometheus has no network with {name}"
                listen = service.get("environment", {}).get("MWS_HEALTH_LISTEN", f":{port}").rpartition(":")[2]
                if str(at["port"]) != listen or at["type"] != "A":
                    yield f"{job}: {name} listens on {listen}, and {at['port']} is scraped"
    config = next(one for one in ours["command"] if one.startswith("--config.file=")).partition("=")[2]
    if mounts(ours).get(str(pathlib.PurePath(config).parent)) != "./prometheus":
        yield f"prometheus: {config} is not in what is mounted"
    elif not (DEPLOY / "prometheus" / pathlib.PurePath(config).name).exists():
        yield f"prometheus: there is no {config}"
    for name in yaml.safe_load((DEPLOY / "prometheus/compose.yml").read_text())["rule_files"]:
        if not (DEPLOY / "prometheus" / name).exists():
            yield f"prometheus: there are no rules {name}"


def dashboard_is_not_shown():
    """Grafana has to ask the Prometheus beside it, and to find the dashboard where its provider looks."""
    grafana = SERVICES["grafana"]
    at = mounts(grafana)
    source = yaml.safe_load((DEPLOY / "grafana/provisioning/datasources/prometheus.yml").read_text())["datasources"][0]
    host, _, port = source["url"].removeprefix("http://").partition(":")
    if not set(SERVICES.get(host, {}).get("networks", [])) & set(grafana["networks"]) or port != "9090":
        yield f"grafana: {source['url']} is no service that it reaches"
    if at.get("/etc/grafana/provisioning") != "./grafana/provisioning":
        yield "grafana: its provisioning is not mounted"
    provider = yaml.safe_load((DEPLOY / "grafana/provisioning/dashboards/mws.yml").read_text())["providers"][0]
    path = provider["options"]["path"]
    if at.get(f"{path}/mws.json") != "./grafana/mws.json":
        yield f"grafana: the dashboard is not in {path}"


def services_are_unsound():
    """What is mounted is there, what is published is for this host alone, and `observability` has what only looks."""
    for name, service in SERVICES.items():
        for place, source in mounts(service).items():
            if not ((DEPLOY / source).exists() if source.startswith("./") else source in COMPOSE["volumes"]):
                yield f"{name}: {source}, for {place}, is not there"
        for port in service.get("ports", []):
            if not port.startswith("127.0.0.1:"):
                yield f"{name}: {port} is published to the network"
        if (service.get("profiles") == ["observability"]) != (name in ("prometheus", "grafana")):
            yield f"{name}: its profiles are {service.get('profiles')}"
    api = SERVICES["api"]["environment"]
    port = image_env("MWS_LISTEN").rpartition(":")[2]
    if api.get("MWS_BASE_URL") != f"http://127.0.0.1:{port}/api/v1" or "MWS_OPERATOR_TOKEN_FILE" not in api:
        yield "api: `docker compose exec api mws admin …` would not find the api or the operator's token"
    ignored = (ROOT / ".dockerignore").read_text().split()
    for name in ("deploy/secrets", "deploy/.env"):
        if name not in ignored:
            yield f".dockerignore lets {name} into the image's context"


def scratch_is_no_disk():
    """A worker's TMPDIR is a volume of its user's in compose, and a folder on disk in its unit."""
    worker = SERVICES["worker"]
    folder = worker["environment"].get("TMPDIR", "/tmp")
    source = mounts(worker).get(folder, "")
    options = (COMPOSE["volumes"].get(source) or {}).get("driver_opts", {})
    if source not in COMPOSE["volumes"] or options.get("type") == "tmpfs":
        yield f"compose.yaml: the worker's TMPDIR, {folder}, is on no volume"
    if any(one.split(":")[0] == folder for one in worker.get("tmpfs", [])):
        yield f"compose.yaml: the worker's TMPDIR, {folder}, is memory"
    user = worker["user"].partition(":")[0]
    made = re.search(r"install --directory --owner=(\d+) --group=\d+ ([^\\\n]+)", DOCKERFILE)
    if made[1] != user or folder not in made[2].split():
        yield f"Dockerfile: {folder} is not made for the user {user}, so an empty volume there is root's"
    unit = (DEPLOY / "systemd/mws-worker.service").read_text().splitlines()
    if "Environment=TMPDIR=/var/tmp" not in unit or "PrivateTmp=yes" not in unit:
        yield "mws-worker.service: TMPDIR is not a /var/tmp of its own"


def scratch_is_too_small():
    """In Kubernetes a worker has disk and memory for as many reads as it runs (docs/operations.md, Sizing)."""
    deployment = next(yaml.safe_load_all((DEPLOY / "kubernetes/worker.yaml").read_text()))
    pod = deployment["spec"]["template"]["spec"]
    worker = pod["containers"][0]
    env = {one["name"]: one["value"] for one in worker.get("env") or []}
    at = {one["mountPath"]: one["name"] for one in worker["volumeMounts"]}
    volume = next((one for one in pod["volumes"] if one["name"] == at.get(env.get("TMPDIR", "/tmp"))), {})
    scratch = volume.get("emptyDir", {})
    reads = int(env.get("MWS_WORKER_READS", 0))
    needed = 2 * reads * upload_gib()
    if not reads or "medium" in scratch or gib(scratch.get("sizeLimit", "0Gi")) < needed:
        yield f"kubernetes/worker.yaml: {reads} reads need {needed} GiB of disk at TMPDIR: {volume}"
    requests, limits = worker["resources"]["requests"], worker["resources"]["limits"]
    for name, most in (("requests", requests), ("limits", limits)):
        if gib(most.get("ephemeral-storage", "0Gi")) < gib(scratch.get("sizeLimit", "0Gi")) + BESIDE_SCRATCH:
            yield f"kubernetes/worker.yaml: {name} have less ephemeral-storage than scratch and {BESIDE_SCRATCH} GiB"
    if gib(requests["memory"]) < 1 + reads or int(requests["cpu"]) < reads:
        yield f"kubernetes/worker.yaml: it requests less than a core and 1 GiB for each of {reads} reads, and 1 GiB"


def images_are_not_named():
    """Ours have MWS_TAG or the version, so that the one before is not overwritten; others have their own versions."""
    for name, service in SERVICES.items():
        image = service["image"]
        if "build" in service and image != f"mws:${{MWS_TAG:-{VERSION}}}":
            yield f"compose.yaml, {name}: {image} is not named by MWS_TAG, or else {VERSION}"
        if "build" not in service and not re.fullmatch(r"[a-z/]+:v?\d[\w.-]*", image):
            yield f"compose.yaml, {name}: {image} has no version"
    for file in sorted((DEPLOY / "kubernetes").glob("*.yaml")):
        for image in re.findall(r"\bimage: (\S+)", file.read_text()):
            if image != f"mws:{VERSION}":
                yield f"{file.name}: {image} is not of {VERSION}"


def words(unit, *keys):
    """All values of these keys of a unit of systemd."""
    lines = (DEPLOY / "systemd" / f"{unit}.service").read_text().splitlines()
    pairs = [line.partition("=") for line in lines]
    return [word for key, _, value in pairs if key in keys for word in value.split()]


def units_hang_together():
    """Units are restarted one by one in an upgrade, and start again until the database is there."""
    for unit in ("mws-migrate", "mws-scheduler", "mws-worker", "mws-api"):
        # Each of these stops or restarts the unit with what it names; the first three also keep it down.
        bound = words(unit, "Requires", "Requisite", "BindsTo", "PartOf")
        if bound:
            yield f"{unit}.service: it is stopped or restarted with {bound}"
        if unit == "mws-migrate":
            # Were it left active, `systemctl start` would do nothing after an upgrade.
            if words(unit, "RemainAfterExit", "WantedBy"):
                yield f"{unit}.service: it is a step of an upgrade, and is neither enabled nor left active"
            continue
        if words(unit, "Restart") != ["always"] or words(unit, "StartLimitIntervalSec") != ["0"]:
            yield f"{unit}.service: it is not started again without end"
        if "mws-migrate.service" not in words(unit, "After"):
            yield f"{unit}.service: started together with mws-migrate, it does not come after it"


def main():
    checks = [
        scrapes_lead_nowhere,
        dashboard_is_not_shown,
        services_are_unsound,
        scratch_is_no_disk,
        scratch_is_too_small,
        images_are_not_named,
        units_hang_together,
    ]
    wrong = [line for check in checks for line in check()]
    if wrong:
        sys.exit("\n".join(wrong))


main()
