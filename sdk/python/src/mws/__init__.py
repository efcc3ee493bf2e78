"""The client of the Media and Workspace Service: `Client` and `AsyncClient`, of one core; `webhooks.verify`."""

from . import _codes as errors
from . import _types as types
from . import webhooks
from ._call import AsyncPages, Page
from ._client import AsyncClient, Client, Prepared
from ._core import VERSION as __version__
from ._errors import (
    ApiError,
    ConnectionFailed,
    MwsError,
    SignatureError,
    UploadInterrupted,
    WaitInterrupted,
    WaitTimeout,
)
from ._events import Streamed
from ._uploads import Progress

__all__ = [
    "ApiError", "AsyncClient", "AsyncPages", "Client", "ConnectionFailed", "MwsError", "Page", "Prepared", "Progress",
    "SignatureError", "Streamed", "UploadInterrupted", "WaitInterrupted", "WaitTimeout", "__version__", "errors",
    "types", "webhooks",
]
