"""A model behind a real Cog server: it draws, is busy, is killed in the middle, and is told of a cancellation."""

from ..rows import Bar, Row
from .desk import Desk
from .outside import PRICE, Cog

GRANTED = 100


def made(desk: Desk, seeds: int) -> dict:
    account = desk.service.credentials["account_id"]
    desk.command("admin", "credits", "grant", account, str(GRANTED), "--reference", f"eval-{seeds}")
    before = credits(desk)
    draw = lambda prompt: desk.tool("generate_image", prompt=prompt, model="painter", seed=seeds)["job_id"]
    with Cog(desk.outside):
        drawn = desk.ended(draw("a kite"))
        # It takes one at a time: the second is told so, and drawn later.
        slow, second = draw("a kite of 3 seconds"), draw("a kite of 1 seconds")
        both = [desk.ended(slow), desk.ended(second)]
    with Cog(desk.outside) as cog:
        broken = draw("a kite of 9 seconds")
        desk.until("Cog is at it", lambda: cog.status() == "BUSY")
    with Cog(desk.outside) as cog:
        again = desk.ended(broken)
        unwanted = draw("a kite of 20 seconds")
        desk.until("Cog is at it", lambda: cog.status() == "BUSY")
        desk.tool("cancel_jobs", job_ids=[unwanted])
        cancelled = desk.ended(unwanted, "cancelled")
        desk.until("Cog is told", lambda: starts(logged(desk), "Cancelling", unwanted), 15)
    said = logged(desk)
    drawn_often = [starts(said, "Starting", one["id"]) for one in (drawn, *both, again)]
    items = [desk.tool("get_item", ref=one["result"]["item_id"])["item"] for one in (drawn, *both, again)]
    return {
        "before": before,
        "after": credits(desk),
        "again": again,
        "cancelled": cancelled,
        "drawn": drawn_often,
        "items": [
            [item["width"], item["height"], item["made_by"]["model"], item["made_by"]["synthetic"]] for item in items
        ],
    }


def logged(desk: Desk) -> list[str]:
    return desk.outside.log.read_text().splitlines()


def starts(said: list[str], word: str, job: str) -> int:
    """How often Cog says that it begins to do this with a job's prediction."""
    prediction = job.removeprefix("job_").lower()
    return sum(prediction in line and f"{word} prediction" in line for line in said)


def credits(desk: Desk) -> dict:
    return desk.service.call("GET", "/balances")["credits"]


def rows(_folder, found: dict, _seeds: int) -> list[Row]:
    none, wrong = Bar.at_most(0), [item for item in found["items"] if item != [64, 64, "painter", True]]
    used = found["after"]["used"] - found["before"]["used"]
    return [
        Row(
            "generation",
            "a real Cog server, one at a time: of four pictures, one asked for while it is busy and one while it is killed, not made",
            4 - len(found["items"]) + len(wrong),
            none,
            0,
        ),
        Row(
            "generation",
            "the same: credits charged beside the price of what was made, of five calls, one cancelled",
            abs(used - 4 * PRICE) + found["after"]["held"],
            none,
            2,
        ),
        Row(
            "generation",
            "the same: pictures that Cog drew more often than once, but for that over which it was killed",
            sum(many - 1 for many in found["drawn"][:3]),
            none,
            0,
        ),
        Row(
            "generation",
            "the same: how often it was asked for that",
            found["drawn"][3],
            Bar("= 2", lambda value: value == 2),
            0,
        ),
    ]
