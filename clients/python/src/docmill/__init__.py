"""Client of Docmill, the document conversion service.

    from docmill import Docmill

    docmill = Docmill()  # DOCMILL_URL and DOCMILL_KEY are in the environment
    docmill.convert("report.docx").save("report.pdf")
"""

from docmill import models
from docmill._async.batches import AsyncBatch
from docmill._async.client import AsyncDocmill
from docmill._async.jobs import AsyncConversion, AsyncJob, Saved
from docmill._sources import File, Source, Sources, tool_for
from docmill._sync.batches import Batch
from docmill._sync.client import Docmill
from docmill._sync.jobs import Conversion, Job
from docmill._wire import VERSION as __version__
from docmill._wire import Response
from docmill.errors import (
    ApiError,
    AuthenticationError,
    ConflictError,
    DocmillError,
    GoneError,
    InsufficientCreditsError,
    IntegrityError,
    InvalidRequestError,
    JobCanceledError,
    JobError,
    JobFailedError,
    NetworkError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    ServerError,
    UsageError,
    ValidationError,
    WaitTimeoutError,
    WebhookError,
)
from docmill.webhooks import Webhook

__all__ = [
    "ApiError",
    "AsyncBatch",
    "AsyncConversion",
    "AsyncDocmill",
    "AsyncJob",
    "AuthenticationError",
    "Batch",
    "ConflictError",
    "Conversion",
    "Docmill",
    "DocmillError",
    "File",
    "GoneError",
    "InsufficientCreditsError",
    "IntegrityError",
    "InvalidRequestError",
    "Job",
    "JobCanceledError",
    "JobError",
    "JobFailedError",
    "NetworkError",
    "NotFoundError",
    "PermissionDeniedError",
    "RateLimitError",
    "Response",
    "Saved",
    "ServerError",
    "Source",
    "Sources",
    "UsageError",
    "ValidationError",
    "WaitTimeoutError",
    "Webhook",
    "WebhookError",
    "__version__",
    "models",
    "tool_for",
]
