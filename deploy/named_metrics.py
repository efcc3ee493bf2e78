"""Holds what deploy/ asks Prometheus for against the service: every metric that is named is one that the code exports,
every alert has a case in rules.test.yml and its lines in docs/operations.md, and the table of metrics there has each
metric that is exported, and no other. Both autoscalers go by the same expression.

usage: named_metrics.py <file to write>
Writes every query of the dashboard and of the autoscaler as a file of rules, for promtool to parse.
"""

import json
import pathlib
import re
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
OURS = re.compile(r"\b((?:mws|http_server)_[a-z_]+)\b")
# What Prometheus makes of a histogram.
PARTS = re.compile(r"_(bucket|sum|count)$")


def exported():
    """The names in the macros that count, in the code that ships."""
    names = set()
    for crate in ("api", "worker", "scheduler", "common/runtime"):
        for file in (ROOT / crate / "src").rglob("*.rs"):
            names |= set(re.findall(r'(?:counter|gauge|histogram)!\(\s*"([a-z_]+)"', file.read_text()))
    return names


def documented(runbook):
    """The names in the first column of the table of metrics."""
    table = runbook.partition("\n## Metrics\n")[2].partition("\n## ")[0]
    cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    return {name for cell in cells for name in re.findall(r"`([a-z_]+)`", cell)}


def queries():
    """Every query with where it stands."""
    for panel in json.loads((ROOT / "deploy/grafana/mws.json").read_text())["panels"]:
        for target in panel.get("targets", []):
            yield f"dashboard, {panel['title']}", target["expr"]
    for scaled in yaml.safe_load_all((ROOT / "deploy/kubernetes/autoscale-keda.yaml").read_text()):
        for trigger in scaled["spec"]["triggers"]:
            yield "autoscale-keda.yaml", trigger["metadata"]["query"]
    for hpa in yaml.safe_load_all((ROOT / "deploy/kubernetes/autoscale-hpa.yaml").read_text()):
        for metric in hpa["spec"]["metrics"]:
            yield "autoscale-hpa.yaml", metric["external"]["metric"]["name"]


def scalers_differ():
    """What the two autoscalers ask for has to be one expression over every queue; the adapter's rule is in a comment."""
    keda = {query for where, query in queries() if where == "autoscale-keda.yaml"}
    hpa = (ROOT / "deploy/kubernetes/autoscale-hpa.yaml").read_text()
    for name in (query for where, query in queries() if where == "autoscale-hpa.yaml"):
        rule = re.search(rf"`([^`]+)` as `{name}`", hpa)
        if not rule or keda != {rule[1]}:
            yield f"autoscale-keda.yaml asks for {sorted(keda)}, autoscale-hpa.yaml for {rule and rule[1]}"
    yield from (f"autoscale-keda.yaml leaves queues out: {query}" for query in sorted(keda) if "queue=" in query)


def main():
    rules = yaml.safe_load((ROOT / "deploy/prometheus/rules.yml").read_text())["groups"][0]["rules"]
    cases = yaml.safe_load((ROOT / "deploy/prometheus/rules.test.yml").read_text())["tests"]
    fires = {one["alertname"] for case in cases for one in case["alert_rule_test"] if one["exp_alerts"]}
    runbook = (ROOT / "docs/operations.md").read_text()
    known, wrong, asked = exported(), [], list(queries())
    for where, query in [*asked, *((rule["alert"], rule["expr"]) for rule in rules)]:
        for name in OURS.findall(query):
            if name not in known and PARTS.sub("", name) not in known:
                wrong.append(f"{where}: the service exports no {name}")
    wrong += scalers_differ()
    told = documented(runbook)
    wrong += [f"{name}: docs/operations.md, Metrics, does not say what it is" for name in sorted(known - told)]
    wrong += [f"docs/operations.md, Metrics: the service exports no {name}" for name in sorted(told - known)]
    for rule in rules:
        alert = rule["alert"]
        if alert not in fires:
            wrong.append(f"{alert}: no case of rules.test.yml sees it fire")
        if f"### {alert}\n" not in runbook:
            wrong.append(f"{alert}: docs/operations.md does not say what to do")
        if rule["annotations"].get("runbook_url") != f"docs/operations.md#{alert.lower()}":
            wrong.append(f"{alert}: its runbook_url leads elsewhere")
    if len(known) < 10 or len(asked) < 10:
        wrong.append("hardly a metric or a query was found: this looks in the wrong places")
    if wrong:
        sys.exit("\n".join(wrong))
    made = [{"record": f"query:{number}", "expr": query} for number, (_, query) in enumerate(asked)]
    pathlib.Path(sys.argv[1]).write_text(json.dumps({"groups": [{"name": "queries", "rules": made}]}))


main()
