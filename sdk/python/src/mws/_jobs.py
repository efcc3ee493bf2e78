"""Waiting for jobs and items: by long polls, and so that no job is lost on the way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from . import _types as types
from ._core import Flow, Settings, call
from ._errors import MwsError, WaitInterrupted, WaitTimeout
from ._operations import OPERATIONS

# How long one poll may wait, and how many jobs one may ask for (contract §4.4).
POLL_SECONDS = 25
MOST_JOBS = 200


def poll(left: float | None) -> int:
    """The seconds of the next poll."""
    return POLL_SECONDS if left is None else max(0, min(POLL_SECONDS, int(left)))


def wait_for_jobs(
    settings: Settings,
    job_ids: Sequence[str],
    timeout: float | None,
    on_progress: Callable[[list[types.JobAnswer]], Any] | None,
) -> Flow[list[types.JobAnswer]]:
    """Returns the jobs once all have ended, in the order of their ids."""
    ids = list(dict.fromkeys(job_ids))
    deadline = None if timeout is None else settings.clock() + timeout
    seen: dict[str, types.JobAnswer] = {}
    while live := [one for one in ids if one not in seen or not seen[one].finished_at]:
        left = None if deadline is None else deadline - settings.clock()
        known = [seen[one] for one in ids if one in seen]
        if left is not None and left <= 0 and known:
            raise WaitTimeout(f"{len(live)} of {len(ids)} jobs go on after {timeout:g} s: {' '.join(live)}", ids, known)
        body = {"job_ids": live[:MOST_JOBS]}
        maybe = {"wait_seconds": poll(left), "wait_for": "all"}
        try:
            answer = yield from call(settings, OPERATIONS["get_jobs"], body=body, maybe=maybe)
        except MwsError as error:
            words = f"waiting for {len(live)} jobs was cut short, and they go on: {error}"
            raise WaitInterrupted(words, ids, known) from error
        found = types.ToolAnswerJobsAnswer(answer.json()).data
        seen.update((job.id, job) for job in found.jobs)
        if found.missing:
            raise WaitInterrupted(f"no such jobs in this workspace: {' '.join(found.missing)}", ids, known)
        if on_progress is not None:
            on_progress([seen[one] for one in ids if one in seen])
    return [seen[one] for one in ids]


def wait_for_item(settings: Settings, item_id: str, timeout: float | None) -> Flow[types.LibraryItem]:
    """Returns the item once it is no longer being looked at: ready, or failed with words for why."""
    deadline = None if timeout is None else settings.clock() + timeout
    while True:
        left = None if deadline is None else deadline - settings.clock()
        query = {"wait_seconds": poll(left)}
        answer = yield from call(settings, OPERATIONS["get_library_item"], path={"id": item_id}, query=query)
        item = types.LibraryItem(answer.json())
        if item.status != "processing":
            return item
        if left is not None and left <= 0:
            raise WaitInterrupted(f"item {item_id} is still being looked at after {timeout:g} s", [], [])
