"""What can go wrong: every exception of this library is a `MwsError`, and each prints as a sentence to act on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


class MwsError(Exception):
    """Whatever this library raises."""


class ConnectionFailed(MwsError):
    """No whole answer came: no connection, one that broke, or the deadline was over. Whether the service did what it
    was asked is not known; a call with an idempotency key can be repeated with the same key."""


class ApiError(MwsError):
    """The service refused. There is a subclass for each code, and one for each kind of status above those."""

    status: int
    """The HTTP status."""
    code: str
    """Why, as one of the words that docs/contract.md keeps stable; one that is newer than this release is there too."""
    message: str
    """What went wrong, in words to act on."""
    retryable: bool
    """Whether the same request may succeed later."""
    suggested_action: str | None
    """The next step that works, where the service names one."""
    request_id: str | None
    """What to name when you ask the operators."""
    cloud_processing: Mapping[str, Any] | None
    """The minutes that are left and held, of calls that cost some."""
    retry_after: float | None
    """Seconds after which the service says to try again."""
    raw: Mapping[str, Any]
    """The whole body."""

    def __init__(self, status: int, raw: Mapping[str, Any], headers: Mapping[str, str]) -> None:
        error = raw.get("error")
        error = error if isinstance(error, Mapping) else {}
        self.status, self.raw = status, raw
        self.code = str(error.get("code", f"http_{status}"))
        self.message = str(error.get("message", f"The answer has status {status} and no words."))
        self.retryable = bool(error.get("retryable", is_passing(status, self.code)))
        self.suggested_action = error.get("suggested_action")
        self.cloud_processing = error.get("cloud_processing")
        self.request_id = headers.get("x-request-id")
        self.retry_after = seconds(headers.get("retry-after"))
        super().__init__(str(self))

    def __str__(self) -> str:
        more = f" Next: {self.suggested_action}" if self.suggested_action else ""
        known = f", request {self.request_id}" if self.request_id else ""
        return f"{self.message}{more} ({self.code}, status {self.status}{known})"

    def __reduce__(self) -> Any:
        headers = {"x-request-id": self.request_id} if self.request_id else {}
        return (type(self), (self.status, self.raw, headers))


class BadRequestError(ApiError):
    """400: the request is not well formed."""


class AuthenticationError(ApiError):
    """401: the credential is missing, wrong or over."""


class PaymentRequiredError(ApiError):
    """402: minutes or credits are missing."""


class ForbiddenError(ApiError):
    """403: the credential may not do this."""


class NotFoundError(ApiError):
    """404: what is named is not there."""


class ConflictError(ApiError):
    """409: not in the state that something is in."""


class GoneError(ApiError):
    """410: it was there, and is over."""


class UnprocessableError(ApiError):
    """422: a rule refuses it."""


class TooManyRequestsError(ApiError):
    """429: later."""


class ServerError(ApiError):
    """5xx: the service could not, for now."""


class WaitInterrupted(MwsError):
    """Waiting for jobs ended before they did. Nothing is lost: the jobs go on, and `jobs.wait(error.job_ids)` goes on
    waiting for them, in another process too."""

    def __init__(self, words: str, job_ids: Sequence[str], jobs: Sequence[Any]) -> None:
        super().__init__(words)
        self.job_ids = list(job_ids)
        """The jobs that were waited for."""
        self.jobs = list(jobs)
        """How they stood when they were last seen."""


class WaitTimeout(WaitInterrupted):
    """The time that was given to wait is over, and the jobs go on."""


class UploadInterrupted(MwsError):
    """Bytes could not be sent to their end. `upload(path, resume=error.upload)` goes on where they were."""

    def __init__(self, words: str, upload: Any, acknowledged: int) -> None:
        super().__init__(words)
        self.upload = upload
        """The upload; `upload.raw` is JSON to keep, and `resume` takes it in another process too."""
        self.acknowledged = acknowledged
        """How many bytes the service has for certain."""


class SignatureError(MwsError):
    """A webhook is not one of the service's, or is too old: answer it 400 and do nothing."""


def is_passing(status: int, code: str) -> bool:
    """Whether the same request may succeed later."""
    return status in (408, 429) or status >= 500 or code == "idempotency_in_progress"


def seconds(text: str | None) -> float | None:
    """What `Retry-After` says, where it says seconds."""
    try:
        return max(0.0, float(text)) if text else None
    except ValueError:
        return None
