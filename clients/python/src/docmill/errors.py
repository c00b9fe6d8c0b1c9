"""What can go wrong, with one class for each family of error codes. All are `DocmillError`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Optional

if TYPE_CHECKING:
    from collections.abc import Mapping

    from docmill import models


class DocmillError(Exception):
    """Anything that this package raises on purpose. Its text has no secrets."""


class UsageError(DocmillError, ValueError):
    """The call makes no sense: for example, no tool converts this file into a PDF."""


class NetworkError(DocmillError):
    """There was no answer, after all tries."""


class IntegrityError(DocmillError):
    """A downloaded file is not what the job says, after all tries. Nothing was saved."""


class WebhookError(DocmillError):
    """The request is not a webhook of this secret, or is too old."""


class WaitTimeoutError(DocmillError, TimeoutError):
    """The job or batch did not end in time. It goes on: wait for `job_id` again, or cancel it."""

    def __init__(self, job_id: str, seconds: float, what: str = "job") -> None:
        super().__init__(f"{what} {job_id} has not ended within {seconds:g} s")
        self.job_id = job_id


class JobError(DocmillError):
    """The job has no result. `job` is the job as it ended."""

    def __init__(self, text: str, job: models.Job, request_id: str) -> None:
        super().__init__(f"{text} (job {job['id']}, request {request_id})")
        self.job = job
        self.job_id = job["id"]
        self.request_id = request_id


class JobFailedError(JobError):
    """The job failed. `code` says why; `retryable`, whether the same job may succeed later."""

    def __init__(self, job: models.Job, request_id: str) -> None:
        error: Mapping[str, Any] = job.get("error") or {}
        self.code: str = error.get("code", "unknown")
        self.message: str = error.get("message", "The job failed.")
        self.retryable: bool = error.get("retryable", False)
        super().__init__(f"{self.code}: {self.message}", job, request_id)


class JobCanceledError(JobError):
    """The job was canceled."""

    def __init__(self, job: models.Job, request_id: str) -> None:
        super().__init__("job_canceled: The job was canceled.", job, request_id)


class ApiError(DocmillError):
    """The API refused a request. Decide by `code`, or by the class if you don't know the code."""

    def __init__(self, status: int, request_id: str, retry_after: Optional[int], error: Mapping[str, Any]) -> None:
        self.status = status
        self.request_id = request_id
        self.retry_after = retry_after
        """Seconds after which the request may succeed."""
        self.code: str = error.get("code") or f"http_{status}"
        self.message: str = error.get("message") or f"HTTP status {status}"
        self.details: list[models.ErrorDetail] = error.get("details") or []
        """Every invalid value, with a JSON Pointer into the body."""
        named = f" (request {request_id})" if request_id else ""
        super().__init__("; ".join([f"{self.code}: {self.message}", *map(describe_detail, self.details)]) + named)


class InvalidRequestError(ApiError):
    """400, 405, 413, 415: the request can't be read."""


class AuthenticationError(ApiError):
    """401: the API key is missing, unknown or revoked."""


class InsufficientCreditsError(ApiError):
    """402: the tools cost more credits (`required`) than are left (`available`)."""

    def __init__(self, status: int, request_id: str, retry_after: Optional[int], error: Mapping[str, Any]) -> None:
        super().__init__(status, request_id, retry_after, error)
        self.required: Optional[int] = error.get("required")
        self.available: Optional[int] = error.get("available")


class PermissionDeniedError(ApiError):
    """403: the key, the plan or the account may not do this."""


class NotFoundError(ApiError):
    """404: there is no such job, tool, event, …"""


class ConflictError(ApiError):
    """409: the state of what is named does not allow this."""


class GoneError(ApiError):
    """410: the result has expired or was deleted."""


class ValidationError(ApiError):
    """422: the request does not match the schema: see `details`."""


class RateLimitError(ApiError):
    """429: too many requests: see `retry_after`."""


class ServerError(ApiError):
    """5xx: an error on the side of the service, after all tries."""


FAMILIES: dict[int, type[ApiError]] = {
    400: InvalidRequestError,
    401: AuthenticationError,
    402: InsufficientCreditsError,
    403: PermissionDeniedError,
    404: NotFoundError,
    405: InvalidRequestError,
    409: ConflictError,
    410: GoneError,
    413: InvalidRequestError,
    415: InvalidRequestError,
    422: ValidationError,
    429: RateLimitError,
}


def describe_detail(detail: models.ErrorDetail) -> str:
    return f"{detail.get('path')} {detail.get('message')}"


def api_error(status: int, headers: Mapping[str, str], body: bytes) -> ApiError:
    """The error that a response describes, which may also be one of the gateway or the storage."""
    try:
        answer = json.loads(body)
    except ValueError:
        answer = None
    answer = answer if isinstance(answer, dict) else {}
    error = answer.get("error")
    family = FAMILIES.get(status, ServerError if status >= 500 else ApiError)
    request_id = answer.get("requestId") or headers.get("x-request-id", "")
    return family(status, request_id, seconds(headers.get("retry-after")), error if isinstance(error, dict) else {})


def seconds(text: Optional[str]) -> Optional[int]:
    return int(text) if text is not None and text.isdigit() else None
