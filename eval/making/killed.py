"""A project whose service is killed three times on the way: no step is taken twice, nothing is made twice, and it is paid once."""

import json
from collections import Counter

from ..rows import Bar, Row
from .desk import Desk
from .outside import Receiver

KILLS = 3
ENDS = ("idle", "failed")
# How often the library is listed goes by what others have put into it.
LOOKS = {"list_items"}


def made(desk: Desk, brief: str, footage: list[str]) -> dict:
    """Has a film made of footage of which nothing is read. The service is killed after the first step, once something has
    been read, and while the film is rendered."""
    before, paid_before, kills = things(desk), {one["job_id"] for one in ended(desk)}, 0
    with Receiver() as receiver:
        begun = desk.service.call("POST", "/projects", {"brief": brief, "webhook_url": receiver.url})
        get = lambda: desk.service.call("GET", f"/projects/{begun['id']}")
        is_read = lambda: any(desk.service.call("GET", f"/library/items/{item}")["reads"] for item in footage)
        for moment in (lambda: steps(desk, begun["id"]), is_read, lambda: get()["status"] == "rendering"):
            desk.until("it can be killed", lambda: moment() or get()["status"] in ENDS, 600)
            if get()["status"] not in ENDS:
                desk.service.crash()
                kills += 1
        project = desk.until("the project is done", lambda: (found := get())["status"] in ENDS and found, 1200)
        events = lambda: [json.loads(body) for _, body in receiver.heard]
        desk.until("its last status is told", lambda: any(one["event"] == project["status"] for one in events()), 60)
        told = [{"event": one["event"], "revision": one["revision"]} for one in events()]
    paid = [one for one in ended(desk) if one["job_id"] not in paid_before]
    jobs = desk.tool("get_jobs", job_ids=sorted({one["job_id"] for one in paid}))["jobs"]
    return {
        "kills": kills,
        "status": project["status"],
        "steps": steps(desk, begun["id"]),
        "jobs": [[job["kind"], job["item_id"], job["read"]] for job in jobs],
        "ends": len(paid),
        "minutes": -sum(one["minutes"] + one["bought_minutes"] for one in paid),
        "things": [sorted(now - then) for now, then in zip(things(desk), before)],
        "told": told,
        "output": project["output_item_id"],
    }


def steps(desk: Desk, project: str) -> list[str]:
    """The tools that the agent has called, in their order."""
    log = desk.service.call("GET", f"/projects/{project}/log?limit=100")["data"]
    return [step["tool"] for step in sorted(log, key=lambda step: step["number"])]


def ended(desk: Desk) -> list[dict]:
    """The entries of the account's statement that end a job, of the newest hundred."""
    return [one for one in desk.service.call("GET", "/statement?limit=100")["data"] if one["job_id"]]


def things(desk: Desk) -> tuple[set[str], set[str]]:
    """The timelines and the films that are there, of the newest hundred."""
    timelines = desk.tool("list_timelines", limit=100)["timelines"]
    items = desk.tool("list_items", limit=100)["items"]
    films = [one for one in items if (one.get("made_by") or {}).get("tool") == "render_timeline"]
    return {one["id"] for one in timelines}, {one["id"] for one in films}


def rows(found: dict, usual: dict, statuses: list[str]) -> list[Row]:
    """`usual` has the steps and the minutes of the same brief without a kill."""
    none = Bar.at_most(0)
    kills = Bar(f"= {KILLS}", lambda value: value == KILLS)
    return [
        Row("projects", "the same brief, all of the service killed with -9 on the way: how often", found["kills"], kills, 0),
        Row(
            "projects",
            "the same: steps more or fewer than without a kill",
            differing(found["steps"], usual["steps"]),
            none,
            0,
        ),
        Row("projects", "the same: reads, timelines and films made otherwise than once", made_otherwise(found), none, 0),
        Row(
            "projects",
            "the same: minutes paid besides what it costs without a kill",
            abs(found["minutes"] - usual["minutes"]),
            none,
            2,
        ),
        Row("projects", "the same: statuses told twice or out of order", told_wrongly(found["told"], statuses), none, 0),
    ]


def differing(found: list[str], usual: list[str]) -> int:
    one, other = (Counter(tool for tool in tools if tool not in LOOKS) for tools in (found, usual))
    return ((one - other) + (other - one)).total()


def made_otherwise(found: dict) -> int:
    """Jobs that do what another one does, ends that a job has besides its own, and timelines and films besides one of each."""
    jobs = Counter(tuple(job) for job in found["jobs"])
    twice = jobs.total() - len(jobs) + found["ends"] - jobs.total()
    return twice + sum(abs(len(made) - 1) for made in found["things"])


def told_wrongly(told: list[dict], statuses: list[str]) -> int:
    """Statuses that are told and are not the next ones, and revisions that do not rise. One that was being sent when the
    service was killed is not sent again."""
    wrong, left = 0, iter(statuses)
    for one in told:
        wrong += one["event"] not in left
    revisions = [one["revision"] for one in told]
    return wrong + sum(other <= one for one, other in zip(revisions, revisions[1:]))
