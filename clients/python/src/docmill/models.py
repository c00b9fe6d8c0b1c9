"""Generated from the API's description by scripts/generate_models.py: objects of the API, with its names."""
from __future__ import annotations

from typing import Any, Literal, Optional, TypedDict, Union

from typing_extensions import TypeAlias, NotRequired


class ReceiptSignature(TypedDict):
    keyId: str
    algorithm: Literal["ed25519"]
    value: str


class Receipt(TypedDict):
    statement: dict[str, Any]
    signature: ReceiptSignature


class UploadRequest(TypedDict):
    contentType: str
    """
    The document's media type. The content decides how it is converted.
    """
    bytes: int
    """
    The document's exact size: at most the `sourceBytes` of your limits.
    """
    filename: NotRequired[str]
    """
    The document's name. It tells txt from csv, and names the result.
    """
    sha256: NotRequired[str]
    """
    The document's SHA-256 digest in lower-case hexadecimal. If you give it, a damaged upload is refused.
    """


class FontRequest(TypedDict):
    uploadId: str
    """
    An upload of your account that is complete and less than an hour old.
    """


class BatchRequestOutput(TypedDict):
    """
    What a job's `output` says, for all jobs, without `putUrl` and `putHeaders`.
    """

    archive: NotRequired[bool]
    """
    Whether a ZIP of all results is made when all items have ended. Large ones have several files.
    """


class BatchRequestWebhook(TypedDict):
    """
    Where the events of the batch are sent, besides your account's webhook endpoints. Events of its jobs are not sent there.
    """

    url: str
    secret: NotRequired[str]


class BatchItem(TypedDict):
    """
    The request for a job without what the batch says: `input` or its short names, `options` and `metadata` as the tool's schema defines them, and `filename`, the name of the result.
    """

    input: NotRequired[dict[str, Any]]
    options: NotRequired[dict[str, Any]]
    metadata: NotRequired[dict[str, str]]
    filename: NotRequired[str]


class RotationRequest(TypedDict):
    overlapHours: NotRequired[int]
    """
    For how many hours the replaced secret signs too.
    """


class ReplayRequest(TypedDict):
    """
    One of `eventId`, `failed` and `since`.
    """

    eventId: NotRequired[str]
    """
    Send this event again.
    """
    failed: NotRequired[Literal[True]]
    """
    Send all events again whose delivery failed or was dropped.
    """
    since: NotRequired[str]
    """
    Send all events since this time again.
    """
    after: NotRequired[str]
    """
    With `since`: only events after this one, the `nextCursor` of the request before.
    """


class WebhookTestRequest(TypedDict):
    url: str
    """
    The address of your receiver: https, without user name and password.
    """
    deliver: NotRequired[bool]
    """
    Whether the sample is also sent. The response then has an `attempt`.
    """


class JobThenItem(TypedDict):
    toolSlug: str
    options: dict[str, Any]


class JobWebhook(TypedDict):
    """
    The webhook that the request named. Its deliveries are listed under `id`.
    """

    id: str
    url: str


class JobCredits(TypedDict):
    charged: int
    refunded: int
    """
    All credits of a failed or canceled job, unless its whole result was sent to `output.putUrl` or the account used up its daily budget for failures.
    """


JobStatus: TypeAlias = Literal["queued", "processing", "completed", "failed", "expired", "canceled", "deleted"]
"""
More may be added: treat an unknown status as not ended.
"""


class Progress(TypedDict):
    """
    How far a running job is that makes many files, such as a mail merge.
    """

    step: int
    """
    The step that runs, counted from 1 in the order of `steps`.
    """
    done: int
    """
    The files that it has made.
    """
    total: int
    """
    The files that it is to make.
    """


class Output(TypedDict):
    """
    The result of a completed job.
    """

    format: str
    contentType: str
    bytes: int
    pages: NotRequired[int]
    """
    Pages of a document. Absent for other files.
    """
    width: NotRequired[int]
    """
    Of a picture, in pixels.
    """
    height: NotRequired[int]
    """
    Of a picture, in pixels.
    """
    sha256: NotRequired[str]
    """
    Lower-case hexadecimal. Absent once the job is deleted.
    """
    filename: NotRequired[str]
    """
    Absent once the job is deleted.
    """


class OutputFile(TypedDict):
    """
    One file of a result.
    """

    index: int
    """
    The file's number, for `?output=` of the download.
    """
    format: str
    contentType: str
    bytes: int
    pages: NotRequired[int]
    """
    Pages of a document. Absent for other files.
    """
    width: NotRequired[int]
    """
    Of a picture, in pixels.
    """
    height: NotRequired[int]
    """
    Of a picture, in pixels.
    """
    sha256: NotRequired[str]
    """
    Lower-case hexadecimal. Absent once the job is deleted.
    """
    filename: NotRequired[str]
    """
    Absent once the job is deleted.
    """


class Engine(TypedDict):
    """
    The program that made the result.
    """

    name: str
    version: str


class Warning(TypedDict):
    """
    How the result differs from the source, or an option that had no effect.
    """

    code: str
    """
    A stable code, such as `unknown_option`, `resource_blocked` or `missing_glyph`. More may be added.
    """
    message: str
    detail: NotRequired[str]
    pages: NotRequired[str]
    """
    The pages of the step's PDF that the warning is about, such as `1-3,8`, if they are known.
    """


class Timings(TypedDict):
    """
    Durations in milliseconds.
    """

    queuedMs: int
    fetchMs: int
    convertMs: int
    storeMs: int


class TemplatePlace(TypedDict):
    """
    Where a tag is.
    """

    row: NotRequired[int]
    """
    The entry of the list in `data`, counted from 1, if there is a document for each.
    """
    part: NotRequired[str]
    """
    The part of the file, such as `word/header1.xml`, or `filenamePattern`.
    """
    page: NotRequired[int]
    """
    The page on which the program that saved the template put it, or the slide.
    """
    line: NotRequired[int]
    """
    The line of an HTML or Markdown template.
    """
    sheet: NotRequired[str]
    """
    The name of a spreadsheet's sheet.
    """
    cell: NotRequired[str]
    """
    A spreadsheet's cell, such as `B5`.
    """
    text: NotRequired[str]
    """
    The text of the paragraph. Lists, events and webhooks leave it out.
    """


class Download(TypedDict):
    url: str
    """
    A signed link. Fetch it with GET and without a key. Keep it secret.
    """
    expiresAt: str
    """
    When the link stops working.
    """
    filename: str
    contentType: str
    bytes: int
    sha256: str
    """
    Lower-case hexadecimal.
    """
    index: NotRequired[int]
    """
    In a list: which file, as in `job.outputs`.
    """


Downloads: TypeAlias = list[Download]
"""
Links to each file of the result, 1,000 at most.
"""


class ToolPageVisibility(TypedDict):
    """
    Where the tool is listed.
    """

    public: bool
    category: bool
    navigation: bool
    homepage: bool
    api: bool


class Tool(TypedDict):
    slug: str
    name: str
    description: str
    accessTier: Literal["free", "starter", "pro", "enterprise"]
    creditCost: int
    """
    How many credits a job costs.
    """
    pageVisibility: ToolPageVisibility
    """
    Where the tool is listed.
    """
    state: Literal["live", "beta", "maintenance", "disabled"]
    """
    In `maintenance`, new jobs are refused with 503.
    """
    category: str
    endpoints: list[str]
    """
    The paths that create jobs for this tool.
    """


class ToolSchemaOutputFormat(TypedDict):
    format: str
    contentType: str
    extension: str


class ToolSchemaMetadata(TypedDict):
    """
    More may be added.
    """

    limits: dict[str, int]
    """
    The limits that hold for jobs of the calling key: sizes in bytes, durations in milliseconds. A plan or a key may have lower ones than the service.
    """


class ToolSchema(TypedDict):
    slug: str
    version: str
    parameters: dict[str, Any]
    """
    JSON Schema 2020-12 of the job body.
    """
    supportedModes: list[str]
    outputFormat: ToolSchemaOutputFormat
    metadata: ToolSchemaMetadata
    """
    More may be added.
    """


class UsagePeriod(TypedDict):
    start: str
    """
    Start of the month in UTC.
    """
    end: str
    """
    Start of the next month.
    """


class UsageCredits(TypedDict):
    included: int
    """
    Credits of the plan, renewed each month. Unused ones do not carry over.
    """
    used: int
    remaining: int
    """
    Included and granted credits. Granted credits carry over.
    """
    resetsAt: str
    """
    When the included credits are renewed.
    """


class UsageJobs(TypedDict):
    created: int
    completed: int
    failed: int
    canceled: int


class UsageByToolItem(TypedDict):
    toolSlug: str
    jobs: int
    credits: int


class RateLimit(TypedDict):
    limit: int
    """
    Requests per window.
    """
    windowSeconds: int


class UsageOfDaysRowJobs(TypedDict):
    created: int
    completed: int
    failed: int
    canceled: int


class UsageOfDaysRowCredits(TypedDict):
    charged: int
    refunded: int
    used: int


class UsageOfDaysRow(TypedDict):
    """
    One day, tool or key.
    """

    day: NotRequired[str]
    toolSlug: NotRequired[str]
    keyId: NotRequired[str]
    jobs: UsageOfDaysRowJobs
    credits: UsageOfDaysRowCredits


class UsageOfDaysTotalJobs(TypedDict):
    created: int
    completed: int
    failed: int
    canceled: int


class UsageOfDaysTotalCredits(TypedDict):
    charged: int
    refunded: int
    used: int


class UsageOfDaysTotal(TypedDict):
    jobs: UsageOfDaysTotalJobs
    credits: UsageOfDaysTotalCredits


UsageOfDays = TypedDict(
    "UsageOfDays",
    {
        "from": str,
        "to": str,
        "groupBy": Literal["day", "tool", "key"],
        "rows": list[UsageOfDaysRow],
        "total": UsageOfDaysTotal,
    },
)


class BatchCounts(TypedDict):
    """
    Items by state. Each is counted once. Items without a job yet are `queued`, and those that could not become jobs `failed`.
    """

    total: int
    queued: int
    processing: int
    completed: int
    failed: int
    canceled: int


class BatchCredits(TypedDict):
    """
    What all jobs together have cost.
    """

    charged: int
    refunded: int


class BatchArchive(TypedDict):
    """
    The archive of all results, if the request asks for one. `GET /v1/batches/{batch_id}/download` has its links.
    """

    files: int
    """
    How many ZIP files it has so far.
    """
    results: int
    """
    How many results they have.
    """
    bytes: int
    leftOut: int
    """
    Results that had expired or were deleted before the archive was made.
    """


class BatchWebhook(TypedDict):
    """
    The webhook that the request named. Its deliveries are listed under `id`.
    """

    id: str
    url: str


BatchStatus: TypeAlias = Literal["processing", "paused", "canceling", "archiving", "completed", "canceled", "deleting"]
"""
`completed`: all items have ended. `counts` shows how many succeeded. `archiving`: they have ended, and the archive is being made.
"""


class RefusedItemErrorDetail(TypedDict):
    path: str
    message: str


class RefusedItemError(TypedDict):
    code: str
    """
    The code that a request for this job would get.
    """
    message: str
    details: NotRequired[list[RefusedItemErrorDetail]]


class RefusedItem(TypedDict):
    index: int
    """
    The place of the item in the batch, from 0.
    """
    error: RefusedItemError


class BatchResult(TypedDict):
    """
    What became of an item.
    """

    index: int
    """
    The place of the item in the batch, from 0.
    """
    jobId: NotRequired[str]
    """
    The job's id; absent if the item could not become a job.
    """
    status: JobStatus
    filename: NotRequired[str]
    """
    The name of the primary result.
    """
    contentType: NotRequired[str]
    bytes: NotRequired[int]
    sha256: NotRequired[str]
    url: NotRequired[str]
    """
    Downloads the primary result. It is a secret.
    """
    expiresAt: NotRequired[str]
    """
    When the link ends.
    """
    errorCode: NotRequired[str]
    """
    Why the job failed, or could not be created.
    """
    errorMessage: NotRequired[str]


class ArchiveFile(TypedDict):
    """
    A ZIP with results, 500 MiB at most unless it has a single one.
    """

    filename: str
    bytes: int
    results: int
    """
    How many results it has.
    """
    url: str
    """
    Downloads the ZIP. It is a secret.
    """
    expiresAt: str
    """
    When the link ends.
    """


class Upload(TypedDict):
    id: str
    """
    Use it as `uploadId` in jobs.
    """
    url: str
    """
    A signed link. Send the document's bytes there, without a key. Keep it secret.
    """
    method: Literal["PUT"]
    headers: dict[str, str]
    """
    Send these with the document, exactly as they are: they are part of the signature, and so is the document's length.
    """
    urlExpiresAt: str
    """
    Start the upload before this time.
    """
    expiresAt: str
    """
    Use the upload before this time.
    """


class TemplateDelimiters(TypedDict):
    """
    What begins and ends a tag in this template, if not `{` and `}`. Jobs that fill it need not say so again.
    """

    open: str
    close: str


class TemplateVersion(TypedDict):
    """
    A version of a stored template.
    """

    version: int
    """
    From 1. No number is given twice.
    """
    format: Literal["docx", "xlsx", "pptx", "odt", "html", "md"]
    bytes: int
    createdAt: str
    delimiters: NotRequired[TemplateDelimiters]


class FontFace(TypedDict):
    family: str
    style: str
    weight: int
    """
    400 is regular, 700 bold.
    """
    italic: bool
    postscriptName: NotRequired[str]


class WebhookDisabled(TypedDict):
    """
    Why the endpoint gets no events: you disabled it (`account`), it answered 410 (`gone`), or it only failed for five days (`failing`).
    """

    reason: Literal["account", "gone", "failing"]
    at: str


class WebhookFailing(TypedDict):
    """
    Only while requests fail: since when, and how many have failed in a row.
    """

    since: str
    failures: int


class WebhookDestination(TypedDict):
    """
    An SQS queue or an EventBridge bus in your AWS account, instead of `url`. Messages and events are sent under a role of yours, which trusts the `deliveryRole` of `/.well-known/docmill-webhooks.json` with the `externalId` of your account.
    """

    type: Literal["sqs", "eventbridge"]
    queueArn: NotRequired[str]
    """
    The queue, if `type` is `sqs`.
    """
    busArn: NotRequired[str]
    """
    The bus, if `type` is `eventbridge`.
    """
    roleArn: str
    """
    The role that may send to it.
    """
    externalId: NotRequired[str]
    """
    What the role's trust policy asks for. It belongs to your account: in requests, it has no effect.
    """


EventType: TypeAlias = Literal["job.completed", "job.failed", "job.canceled", "batch.completed", "batch.paused", "batch.canceled", "quota.warning", "quota.exhausted", "api_key.revoked", "webhook.disabled"]
"""
More may be added: ignore types that you don't know.
"""


WebhookTestSampleHeaders = TypedDict(
    "WebhookTestSampleHeaders",
    {
        "content-type": str,
        "webhook-id": str,
        "webhook-timestamp": str,
        "webhook-signature": str,
    },
)


class WebhookTestSample(TypedDict):
    """
    A delivery as your receiver sees it.
    """

    secret: str
    """
    The secret that signs this sample.
    """
    headers: WebhookTestSampleHeaders
    body: str
    """
    The exact text that is signed. Verify it before you parse it.
    """


class WebhookAttempt(TypedDict):
    at: str
    durationMs: int
    status: NotRequired[int]
    """
    The HTTP status of the response. Absent if the endpoint did not respond.
    """
    response: NotRequired[str]
    """
    The beginning of the answer, at most 1 KiB.
    """
    error: NotRequired[str]
    """
    Why there was no answer.
    """


class ReplayResponse(TypedDict):
    ok: Literal[True]
    requestId: str
    """
    The header `x-request-id`.
    """
    replayed: int
    """
    How many events are sent again.
    """
    hasMore: bool
    """
    Whether there are more: repeat the request, with `since` also with `after`.
    """
    nextCursor: NotRequired[str]


DeliveryStatus: TypeAlias = Literal["pending", "delivered", "failed", "dropped"]


class ListedEvent(TypedDict):
    id: str
    """
    The same as the `webhook-id`.
    """
    type: EventType
    timestamp: str
    """
    When the event happened.
    """
    data: dict[str, Any]
    """
    What the event is about, for example `job`.
    """


class EventsResponse(TypedDict):
    ok: Literal[True]
    requestId: str
    """
    The header `x-request-id`.
    """
    events: list[ListedEvent]
    hasMore: bool
    """
    Whether there can be more events after these now.
    """
    nextCursor: NotRequired[str]
    """
    What to send as `after` to go on. Absent while your account has no events.
    """


class ErrorDetail(TypedDict):
    path: str
    """
    JSON Pointer into the body, or `?` and the name of a query parameter.
    """
    message: str


class Error(TypedDict):
    code: Literal["invalid_json", "invalid_idempotency_key", "missing_api_key", "invalid_api_key", "revoked_api_key", "insufficient_credits", "tool_not_allowed", "origin_not_allowed", "test_mode_disabled", "account_suspended", "tool_not_found", "job_not_found", "font_not_found", "template_not_found", "event_not_found", "webhook_not_found", "batch_not_found", "route_not_found", "method_not_allowed", "job_failed", "job_canceled", "job_ended", "job_not_ended", "batch_ended", "too_many_fonts", "too_many_templates", "too_many_webhooks", "webhook_disabled", "output_expired", "payload_too_large", "unsupported_media_type", "validation_failed", "invalid_font", "invalid_template", "challenge_failed", "idempotency_key_reused", "rate_limited", "internal", "unavailable"]
    """
    A stable code. More may be added: decide by `status` if you don't know one.
    """
    message: str
    """
    What happened and what to do.
    """
    status: int
    """
    The HTTP status.
    """
    details: NotRequired[list[ErrorDetail]]
    """
    Every invalid value, or every mistake in a template. Only with `validation_failed` and `invalid_template`.
    """
    required: NotRequired[int]
    """
    How many credits the tool costs. Only with `insufficient_credits`.
    """
    available: NotRequired[int]
    """
    How many credits are left. Only with `insufficient_credits`.
    """


class Event(TypedDict):
    type: EventType
    timestamp: str
    """
    When the event happened.
    """
    data: dict[str, Any]
    """
    What the event is about, for example `job`.
    """


class JobWebhookRequest(TypedDict):
    """
    Where this job's events are sent, besides your webhook endpoints.
    """

    url: str
    """
    Where events are sent: https, without user name and password.
    """
    secret: NotRequired[str]
    """
    Signs the requests (`v1`): `whsec_` and the base64 of 24 to 64 random bytes. Never logged, never shown. Without it, they only have the service's signature (`v1a`).
    """


ToolSlug: TypeAlias = str
"""
Optional here. If given, it must be this tool's slug.
"""


Filename: TypeAlias = str
"""
The file's name. Its extension tells the format if the content does not (txt or csv).
"""


class ReceiptResponse(TypedDict):
    ok: Literal[True]
    requestId: str
    """
    As `x-request-id`.
    """
    receipt: Receipt


class TemplateRequest(TypedDict):
    name: str
    """
    The template's name. If you have a template of this name, the upload becomes its next version.
    """
    uploadId: str
    """
    An upload of your account that is complete and less than an hour old.
    """
    delimiters: NotRequired[TemplateDelimiters]


class BatchRequest(TypedDict):
    toolSlug: str
    """
    The tool that runs the jobs.
    """
    items: NotRequired[list[BatchItem]]
    """
    What each job is made of. Give either this or `itemsUploadId`.
    """
    itemsUploadId: NotRequired[str]
    """
    An upload of your account with up to 100,000 items as JSON lines, in 64 MiB. It is complete and less than an hour old.
    """
    options: NotRequired[dict[str, Any]]
    """
    Options of all jobs. An item's own options count more, name by name.
    """
    then: NotRequired[list[dict[str, Any]]]
    """
    Further steps of all jobs, as in a job.
    """
    output: NotRequired[BatchRequestOutput]
    """
    What a job's `output` says, for all jobs, without `putUrl` and `putHeaders`.
    """
    webhook: NotRequired[BatchRequestWebhook]
    """
    Where the events of the batch are sent, besides your account's webhook endpoints. Events of its jobs are not sent there.
    """
    onError: NotRequired[Literal["continue", "stop"]]
    """
    `stop`: as soon as an item fails, the batch is canceled.
    """


class WebhookRequest(TypedDict):
    """
    Either `url` or `destination` is required.
    """

    url: NotRequired[str]
    """
    Where events are sent: https, without user name and password.
    """
    destination: NotRequired[WebhookDestination]
    events: NotRequired[Optional[list[EventType]]]
    """
    The types of events that are sent; null: all, also those that may be added.
    """
    description: NotRequired[str]
    """
    For you.
    """
    rateLimit: NotRequired[Optional[int]]
    """
    Most requests a second; null: no limit.
    """
    signature: NotRequired[Literal["v1", "v1a", "both"]]
    """
    Which signatures requests have: `v1` needs the endpoint's secret, and `v1a` the service's public key.
    """
    challenge: NotRequired[bool]
    """
    Whether each new URL must first answer a challenge: a POST whose `data.challenge` it sends back.
    """
    status: NotRequired[Literal["active", "disabled"]]
    """
    A disabled endpoint gets no events.
    """


class WebhookChange(TypedDict):
    url: NotRequired[str]
    """
    Where events are sent: https, without user name and password.
    """
    destination: NotRequired[WebhookDestination]
    events: NotRequired[Optional[list[EventType]]]
    """
    The types of events that are sent; null: all, also those that may be added.
    """
    description: NotRequired[str]
    """
    For you.
    """
    rateLimit: NotRequired[Optional[int]]
    """
    Most requests a second; null: no limit.
    """
    signature: NotRequired[Literal["v1", "v1a", "both"]]
    """
    Which signatures requests have: `v1` needs the endpoint's secret, and `v1a` the service's public key.
    """
    challenge: NotRequired[bool]
    """
    Whether each new URL must first answer a challenge: a POST whose `data.challenge` it sends back.
    """
    status: NotRequired[Literal["active", "disabled"]]
    """
    A disabled endpoint gets no events.
    """


class Step(TypedDict):
    """
    A tool that ran.
    """

    toolSlug: str
    engine: Engine
    durationMs: int
    warnings: NotRequired[list[Warning]]
    report: NotRequired[dict[str, Any]]
    """
    As the job's, of a step before the last, unless it is large.
    """


class TemplateMistake(TypedDict):
    """
    A mistake in a template, or a tag that the data does not fit.
    """

    reason: Literal["unknown_filter", "unclosed_section", "unopened_section", "invalid_tag", "unknown_name", "unclosed_tag", "unopened_tag", "mismatched_section", "misplaced", "unusable_value"]
    """
    What is wrong. More may be added.
    """
    message: str
    """
    What is wrong, for people.
    """
    tag: str
    """
    The tag, with its delimiters.
    """
    place: TemplatePlace
    suggestion: NotRequired[str]
    """
    The known name that is probably meant.
    """


class ToolsResponse(TypedDict):
    ok: Literal[True]
    requestId: str
    """
    The header `x-request-id`.
    """
    tools: list[Tool]


class ToolSchemaResponse(TypedDict):
    ok: Literal[True]
    requestId: str
    """
    The header `x-request-id`.
    """
    tool: ToolSchema


class UsageRateLimit(TypedDict):
    create: RateLimit
    read: RateLimit


class Usage(TypedDict):
    period: UsagePeriod
    plan: str
    testMode: bool
    """
    Whether the request used a test key.
    """
    credits: UsageCredits
    jobs: UsageJobs
    byTool: list[UsageByToolItem]
    rateLimit: UsageRateLimit


class Batch(TypedDict):
    id: str
    """
    The batch's id.
    """
    status: BatchStatus
    reason: NotRequired[str]
    """
    Why the batch is paused or canceled. Paused: `insufficient_credits`, `test_limit_reached`, `revoked_api_key`, `account_suspended`, `test_mode_disabled`, `tool_not_allowed`. Canceled: `requested`, `item_failed`, `paused_too_long` (a week). More may be added.
    """
    toolSlug: str
    """
    The tool that runs the jobs.
    """
    testMode: bool
    """
    Whether the jobs are free and their results marked TEST.
    """
    onError: Literal["continue", "stop"]
    createdAt: str
    """
    When the request was accepted.
    """
    finishedAt: NotRequired[str]
    """
    When the batch ended.
    """
    counts: BatchCounts
    """
    Items by state. Each is counted once. Items without a job yet are `queued`, and those that could not become jobs `failed`.
    """
    credits: BatchCredits
    """
    What all jobs together have cost.
    """
    archive: NotRequired[BatchArchive]
    """
    The archive of all results, if the request asks for one. `GET /v1/batches/{batch_id}/download` has its links.
    """
    webhook: NotRequired[BatchWebhook]
    """
    The webhook that the request named. Its deliveries are listed under `id`.
    """


class BatchesResponse(TypedDict):
    ok: Literal[True]
    requestId: str
    """
    The header `x-request-id`.
    """
    batches: list[Batch]
    nextCursor: NotRequired[str]
    """
    The `cursor` of the next page. Absent on the last page.
    """


class BatchResultsResponseArchive(TypedDict):
    """
    The archive of all results, if the request asks for one, on the first page.
    """

    files: list[ArchiveFile]
    leftOut: int
    """
    Results that had expired or were deleted before the archive was made.
    """


class BatchResultsResponse(TypedDict):
    ok: Literal[True]
    requestId: str
    """
    The header `x-request-id`.
    """
    results: list[BatchResult]
    archive: NotRequired[BatchResultsResponseArchive]
    """
    The archive of all results, if the request asks for one, on the first page.
    """
    nextCursor: NotRequired[str]
    """
    Where the next page begins; absent on the last one.
    """


class UploadResponse(TypedDict):
    ok: Literal[True]
    requestId: str
    """
    The header `x-request-id`.
    """
    upload: Upload


class Template(TypedDict):
    """
    A stored template, with one of its versions.
    """

    name: str
    version: int
    """
    From 1. No number is given twice.
    """
    format: Literal["docx", "xlsx", "pptx", "odt", "html", "md"]
    bytes: int
    createdAt: str
    delimiters: NotRequired[TemplateDelimiters]
    versions: list[TemplateVersion]
    """
    All versions, the oldest first.
    """
    schema: NotRequired[dict[str, Any]]
    """
    The data that this version expects, as a JSON Schema. Lists leave it out.
    """
    example: NotRequired[dict[str, Any]]
    """
    An example of such data. Lists leave it out.
    """


class TemplatesResponse(TypedDict):
    ok: Literal[True]
    requestId: str
    """
    The header `x-request-id`.
    """
    templates: list[Template]


class Font(TypedDict):
    id: str
    """
    The same for the same file.
    """
    family: str
    """
    The name by which documents and style sheets find it.
    """
    format: Literal["ttf", "otf", "ttc", "woff2"]
    """
    Of the file that you uploaded.
    """
    bytes: int
    """
    Size of the file that you uploaded.
    """
    faces: list[FontFace]
    """
    A collection (TTC) has several.
    """
    createdAt: str


class FontsResponse(TypedDict):
    ok: Literal[True]
    requestId: str
    """
    The header `x-request-id`.
    """
    fonts: list[Font]


class Webhook(TypedDict):
    id: str
    url: NotRequired[str]
    """
    Unless there is a `destination`.
    """
    destination: NotRequired[WebhookDestination]
    events: list[EventType]
    description: str
    rateLimit: Optional[int]
    signature: Literal["v1", "v1a", "both"]
    challenge: bool
    status: Literal["active", "disabled"]
    createdAt: str
    updatedAt: str
    disabled: NotRequired[WebhookDisabled]
    """
    Why the endpoint gets no events: you disabled it (`account`), it answered 410 (`gone`), or it only failed for five days (`failing`).
    """
    failing: NotRequired[WebhookFailing]
    """
    Only while requests fail: since when, and how many have failed in a row.
    """
    secret: NotRequired[str]
    """
    Signs requests. Only in the responses that create or rotate it: keep it.
    """


class WebhooksResponse(TypedDict):
    ok: Literal[True]
    requestId: str
    """
    The header `x-request-id`.
    """
    webhooks: list[Webhook]


class WebhookTest(TypedDict):
    id: str
    url: str
    status: Literal["recorded"]
    recordedAt: str
    """
    When the test was recorded.
    """
    deliveryEnabled: bool
    """
    Whether webhooks are delivered.
    """
    sample: WebhookTestSample
    """
    A delivery as your receiver sees it.
    """
    attempt: NotRequired[WebhookAttempt]


class Delivery(TypedDict):
    eventId: str
    """
    The same as the `webhook-id`.
    """
    type: EventType
    status: DeliveryStatus
    createdAt: str
    triesLeft: int
    attempts: list[WebhookAttempt]
    """
    Oldest first.
    """
    jobId: NotRequired[str]
    nextTryAt: NotRequired[str]
    droppedBecause: NotRequired[Literal["endpoint_disabled", "job_deleted", "event_expired"]]
    """
    Only of a dropped delivery.
    """


class EventResponse(TypedDict):
    ok: Literal[True]
    requestId: str
    """
    The header `x-request-id`.
    """
    event: ListedEvent


class JobOutput(TypedDict):
    """
    How the result is named, kept and delivered.
    """

    filename: NotRequired[Filename]
    """
    Name of the resulting file.
    """
    retentionSeconds: NotRequired[int]
    """
    How long the result is kept after completion, in seconds.
    """
    keepSignatures: NotRequired[bool]
    """
    Fails the job instead of rewriting a signed document.
    """
    putUrl: NotRequired[str]
    """
    URL to which the result is also sent with `PUT`, such as a presigned URL of your own storage. If three tries fail, the job fails.
    """
    putHeaders: NotRequired[dict[str, str]]
    """
    Headers to send with the `PUT`. Never logged, never shown.
    """


class FurtherStep(TypedDict):
    toolSlug: ToolSlug
    """
    The tool of this step.
    """
    options: NotRequired[dict[str, Any]]
    """
    That tool's options, as its own schema describes them.
    """


FurtherSteps: TypeAlias = list[FurtherStep]
"""
Further tools to run. Each gets the whole result of the one before. The job costs the sum of all tools.
"""


class JobError(TypedDict):
    """
    Why a job failed.
    """

    code: Literal["source_unreachable", "source_forbidden", "source_too_large", "source_timeout", "unsupported_format", "corrupt_document", "password_required", "wrong_password", "page_limit_exceeded", "render_failed", "redaction_incomplete", "document_signed", "signing_failed", "invalid_signature_key", "template_error", "conversion_timeout", "engine_crashed", "source_job_failed", "delivery_failed", "internal"]
    """
    Why the job failed.
    """
    message: str
    """
    What to do.
    """
    retryable: bool
    """
    Whether the same request may succeed later.
    """
    details: NotRequired[list[TemplateMistake]]
    """
    The mistakes in a template (`template_error`), 20 at most.
    """


class UsageResponse(TypedDict):
    ok: Literal[True]
    requestId: str
    """
    The header `x-request-id`.
    """
    usage: Union[Usage, UsageOfDays]


class BatchResponse(TypedDict):
    ok: Literal[True]
    requestId: str
    """
    The header `x-request-id`.
    """
    batch: Batch


class TemplateResponse(TypedDict):
    ok: Literal[True]
    requestId: str
    """
    The header `x-request-id`.
    """
    template: Template


class FontResponse(TypedDict):
    ok: Literal[True]
    requestId: str
    """
    The header `x-request-id`.
    """
    font: Font


class WebhookResponse(TypedDict):
    ok: Literal[True]
    requestId: str
    """
    The header `x-request-id`.
    """
    webhook: Webhook


class WebhookTestResponse(TypedDict):
    ok: Literal[True]
    requestId: str
    """
    The header `x-request-id`.
    """
    webhookTest: WebhookTest


class DeliveriesResponse(TypedDict):
    ok: Literal[True]
    requestId: str
    """
    The header `x-request-id`.
    """
    deliveries: list[Delivery]
    hasMore: bool
    nextCursor: NotRequired[str]


class Job(TypedDict):
    id: str
    """
    The job's id.
    """
    status: JobStatus
    version: int
    """
    Grows with each change of `status` or `attempts`. Of two responses or events about a job, the one with the higher version is newer.
    """
    toolSlug: str
    """
    The tool that runs the job.
    """
    mode: Literal["live", "test"]
    """
    The mode of the key that created the job.
    """
    testMode: bool
    """
    Whether the job was free and its result is marked TEST.
    """
    batchId: NotRequired[str]
    """
    The batch that the job belongs to.
    """
    index: NotRequired[int]
    """
    The place of its item in the batch, from 0.
    """
    createdAt: str
    """
    When the request was accepted.
    """
    startedAt: NotRequired[str]
    """
    When a worker first started the job.
    """
    finishedAt: NotRequired[str]
    """
    When the job ended.
    """
    expiresAt: NotRequired[str]
    """
    When the result is deleted.
    """
    deletedAt: NotRequired[str]
    """
    When you deleted the job.
    """
    waitingFor: NotRequired[list[str]]
    """
    The unfinished jobs whose results this job needs. It starts when all of them have completed.
    """
    attempts: int
    """
    How often a worker started the job.
    """
    progress: NotRequired[Progress]
    input: dict[str, Any]
    """
    The input of the request without secrets: the query of a URL is replaced by `[redacted]`, inline HTML by its size and digest. Of a request above 16 KB, long texts and lists are shown in part, with `[shortened]` at their end; the job itself uses all of it.
    """
    options: dict[str, Any]
    """
    The options of the request without secrets, shortened like `input`. Passwords and free texts, such as what is redacted, filled in or stamped, are `[redacted]`.
    """
    then: NotRequired[list[JobThenItem]]
    """
    The further steps of the request without secrets, shortened like `input`.
    """
    metadata: dict[str, str]
    """
    Your own labels.
    """
    webhook: NotRequired[JobWebhook]
    """
    The webhook that the request named. Its deliveries are listed under `id`.
    """
    credits: JobCredits
    output: NotRequired[Output]
    outputs: NotRequired[list[OutputFile]]
    """
    Every file of the result. If there are several, `output` is a ZIP of them. If there are very many, only the download lists them.
    """
    report: NotRequired[dict[str, Any]]
    """
    What the last tool reports about its work. Each tool describes its own.
    """
    steps: NotRequired[list[Step]]
    """
    The tools that ran, in order.
    """
    engine: NotRequired[Engine]
    timings: NotRequired[Timings]
    warnings: NotRequired[list[Warning]]
    error: NotRequired[JobError]


class JobsResponse(TypedDict):
    ok: Literal[True]
    requestId: str
    """
    The header `x-request-id`.
    """
    jobs: list[Job]
    nextCursor: NotRequired[str]
    """
    Where the next page begins; absent on the last one.
    """


class WaitResponse(TypedDict):
    ok: Literal[True]
    requestId: str
    """
    The header `x-request-id`.
    """
    job: Job
    download: NotRequired[Download]
    """
    A link to the result, if the job completed while the request waited.
    """
    downloads: NotRequired[Downloads]


class DownloadResponse(TypedDict):
    ok: Literal[True]
    requestId: str
    """
    The header `x-request-id`.
    """
    job: Job
    download: Download
    downloads: NotRequired[Downloads]


class BatchJobsResponse(TypedDict):
    ok: Literal[True]
    requestId: str
    """
    The header `x-request-id`.
    """
    jobs: list[Job]
    refused: list[RefusedItem]
    """
    Items among those of this page that could not become jobs. Nothing was charged for them.
    """
    nextCursor: NotRequired[str]
    """
    Where the next page begins; absent on the last one.
    """


class ErrorResponse(TypedDict):
    ok: Literal[False]
    requestId: str
    """
    The header `x-request-id`.
    """
    error: Error
    job: NotRequired[Job]


class JobResponse(TypedDict):
    ok: Literal[True]
    requestId: str
    """
    The header `x-request-id`.
    """
    job: Job
