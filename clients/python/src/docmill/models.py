"""Generated from the API's description by scripts/generate_models.py: objects of the API, with its names."""
from __future__ import annotations

from typing import Any, Literal, Optional, TypedDict, Union

from typing_extensions import TypeAlias, NotRequired


class JobWebhook(TypedDict):
    """
    The webhook that the request named. Its deliveries are listed under `id`.
    """

    id: str
    url: str


class JobThenItem(TypedDict):
    toolSlug: str
    options: dict[str, Any]


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


class Timings(TypedDict):
    """
    Durations in milliseconds.
    """

    queuedMs: int
    fetchMs: int
    convertMs: int
    storeMs: int


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


class JobError(TypedDict):
    """
    Why a job failed.
    """

    code: Literal["source_unreachable", "source_forbidden", "source_too_large", "source_timeout", "unsupported_format", "corrupt_document", "password_required", "wrong_password", "page_limit_exceeded", "render_failed", "redaction_incomplete", "conversion_timeout", "engine_crashed", "source_job_failed", "delivery_failed", "internal"]
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


class RateLimit(TypedDict):
    limit: int
    """
    Requests per window.
    """
    windowSeconds: int


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


class FontRequest(TypedDict):
    uploadId: str
    """
    An upload of your account that is complete and less than an hour old.
    """


class FontFace(TypedDict):
    family: str
    style: str
    weight: int
    """
    400 is regular, 700 bold.
    """
    italic: bool
    postscriptName: NotRequired[str]


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


class ReplayResponse(TypedDict):
    ok: Literal[True]
    requestId: str
    """
    The same as the header `x-request-id`.
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


class WebhookAttempt(TypedDict):
    at: str
    durationMs: int
    status: NotRequired[int]
    """
    The HTTP status of the answer. Absent if there was none.
    """
    response: NotRequired[str]
    """
    The beginning of the answer, at most 1 KiB.
    """
    error: NotRequired[Optional[str]]
    """
    Why there was no answer.
    """


DeliveryStatus: TypeAlias = Literal["pending", "delivered", "failed", "dropped"]


class WebhookTestRequest(TypedDict):
    url: str
    """
    The address of your receiver: https, without user name and password.
    """
    deliver: NotRequired[bool]
    """
    Whether the sample is also sent. The response then has an `attempt`.
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
    attempt: NotRequired[WebhookAttempt]
    sample: WebhookTestSample
    """
    A delivery as your receiver sees it.
    """


EventType: TypeAlias = Literal["job.completed", "job.failed", "job.canceled", "quota.warning", "quota.exhausted", "api_key.revoked", "webhook.disabled"]
"""
More may be added: ignore types that you don't know.
"""


class ErrorDetail(TypedDict):
    path: str
    """
    JSON Pointer into the body, or `?` and the name of a query parameter.
    """
    message: str


class Error(TypedDict):
    code: Literal["invalid_json", "invalid_idempotency_key", "missing_api_key", "invalid_api_key", "revoked_api_key", "insufficient_credits", "tool_not_allowed", "origin_not_allowed", "test_mode_disabled", "account_suspended", "tool_not_found", "job_not_found", "font_not_found", "event_not_found", "webhook_not_found", "route_not_found", "method_not_allowed", "job_failed", "job_canceled", "job_ended", "too_many_fonts", "too_many_webhooks", "webhook_disabled", "output_expired", "payload_too_large", "unsupported_media_type", "validation_failed", "invalid_font", "challenge_failed", "idempotency_key_reused", "rate_limited", "internal", "unavailable"]
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
    Every invalid value. Only with `validation_failed`.
    """
    required: NotRequired[int]
    """
    How many credits the tool costs. Only with `insufficient_credits`.
    """
    available: NotRequired[int]
    """
    How many credits are left. Only with `insufficient_credits`.
    """


ToolSlug: TypeAlias = str
"""
Optional here. If given, it must be this tool's slug.
"""


Filename: TypeAlias = str
"""
The file's name. Its extension tells the format if the content does not (txt or csv).
"""


SourcePassword: TypeAlias = str
"""
Password of an encrypted file. It is deleted with the job's request and never shown.
"""


class WaitFor2(TypedDict):
    """
    What to wait for before the page is printed, for at most 30 seconds.
    """

    selector: str


class WaitFor3(TypedDict):
    """
    What to wait for before the page is printed, for at most 30 seconds.
    """

    expression: str


class WaitFor4(TypedDict):
    """
    What to wait for before the page is printed, for at most 30 seconds.
    """

    delayMs: int


WaitFor: TypeAlias = Union[Literal["load", "networkIdle"], WaitFor2, WaitFor3, WaitFor4]
"""
What to wait for before the page is printed, for at most 30 seconds.
"""


class WaitForAllItem2(TypedDict):
    """
    must be one of the forms of `waitFor`
    """

    selector: str


class WaitForAllItem3(TypedDict):
    """
    must be one of the forms of `waitFor`
    """

    expression: str


class WaitForAllItem4(TypedDict):
    """
    must be one of the forms of `waitFor`
    """

    delayMs: int


WaitForAll: TypeAlias = list[Union[Literal["load", "networkIdle"], WaitForAllItem2, WaitForAllItem3, WaitForAllItem4]]
"""
Several conditions instead of `waitFor`. All must be met, each within 30 seconds.
"""


class Cookie(TypedDict):
    name: str
    """
    The cookie's name.
    """
    value: str
    """
    The cookie's value: no blanks, quotation marks, commas, semicolons or backslashes.
    """
    path: NotRequired[str]
    """
    A path that begins with a slash, `/` by default.
    """


Cookies: TypeAlias = list[Cookie]
"""
Cookies for the host of `url` only. Never logged, never shown.
"""


Languages: TypeAlias = list[Literal["ara", "ces", "chi_sim", "chi_tra", "dan", "deu", "ell", "eng", "fin", "fra", "heb", "hin", "hun", "ita", "jpn", "kor", "nld", "nor", "pol", "por", "ron", "rus", "spa", "swe", "tur", "ukr"]]
"""
Languages of the text, by their ISO 639-2 codes, the main one first; `chi_sim` and `chi_tra` are simplified and traditional Chinese. Name only those that occur: each one takes time, and too many make mistakes more likely.
"""


class OfficeToPdfOptions(TypedDict):
    """
    Options of `office-to-pdf`.
    """

    conversionProviderMode: NotRequired[Literal["default", "best_output"]]
    """
    `default` is fast and small; `best_output` is tagged, keeps images lossless, and writes bookmarks.
    """
    pageRange: NotRequired[str]
    """
    Pages to keep, such as `1-3,8,z`: pages and ranges in any order, counted from 1; `z` is the last page, `r2` the one before it.
    """
    pdfVersion: NotRequired[Literal["1.7", "pdfa-1b", "pdfa-2b", "pdfa-3b", "pdfua"]]
    """
    The version or standard of the PDF: 1.7, PDF/A-1b, 2b or 3b for archives, or PDF/UA for accessibility.
    """
    landscape: NotRequired[bool]
    """
    Turns every page to landscape (true) or portrait (false). If left out, the document decides.
    """
    password: NotRequired[SourcePassword]
    """
    Password of an encrypted source. It is deleted with the job's request and never shown.
    """
    imageQuality: NotRequired[int]
    """
    The JPEG quality of photographs that are scaled down, that are of a much higher quality, or that are no JPEGs. If left out, `best_output` keeps pictures unchanged.
    """
    maxImageDpi: NotRequired[Literal[75, 150, 300, 600, 1200]]
    """
    Pictures above this resolution are scaled down if that makes them smaller.
    """
    singlePageSheets: NotRequired[bool]
    """
    Prints each sheet on one page of its own size.
    """
    includeNotes: NotRequired[bool]
    """
    Adds speaker notes (presentations) or comments in the margin (text documents).
    """
    bookmarks: NotRequired[bool]
    """
    Writes headings as PDF bookmarks; on by default with `best_output`.
    """
    trackedChanges: NotRequired[Literal["accepted", "shown"]]
    """
    How to print tracked changes of a text document: `accepted`, or `shown` as changes.
    """
    filename: NotRequired[Filename]
    """
    Name of the resulting PDF.
    """


class ConvertOfficeOptions(TypedDict):
    """
    Options of `convert-office`.
    """

    format: Literal["docx", "odt", "rtf", "txt", "html", "xlsx", "ods", "csv", "pptx", "odp", "png"]
    """
    The format of the result. Text documents become docx, odt, rtf, txt or html; spreadsheets xlsx, ods or csv; presentations pptx or odp; and a page of any of them, or of a drawing, a png.
    """
    page: NotRequired[int]
    """
    The page that a png shows, as the document is printed.
    """
    dpi: NotRequired[int]
    """
    Resolution of a png in dots per inch.
    """
    sheet: NotRequired[Union[int, str]]
    """
    The sheet that becomes csv: its number, counted from 1, or its name; `all` makes a file of each sheet.
    """
    separator: NotRequired[str]
    """
    What separates the cells of csv.
    """
    encoding: NotRequired[Literal["utf-8", "utf-8-bom", "windows-1250", "windows-1251", "windows-1252", "shift_jis", "gb18030", "big5", "euc-kr"]]
    """
    The encoding of csv. Excel opens csv as UTF-8 only with a byte order mark: `utf-8-bom`.
    """
    password: NotRequired[SourcePassword]
    """
    Password of an encrypted source. It is deleted with the job's request and never shown. The result is not encrypted.
    """
    filename: NotRequired[Filename]
    """
    Name of the result.
    """


class HtmlToPdfOptions(TypedDict):
    """
    Options of `html-to-pdf`.
    """

    renderMode: NotRequired[Literal["basic", "browser"]]
    """
    `browser`: Chromium, for faithful results. `basic`: a faster engine without JavaScript.
    """
    pageSize: NotRequired[Literal["A0", "A1", "A2", "A3", "A4", "A5", "A6", "Letter", "Legal", "Tabloid", "Ledger"]]
    """
    Page size. `width` and `height` together replace it.
    """
    width: NotRequired[Union[float, str]]
    """
    Page width, instead of `pageSize`, together with `height`.
    """
    height: NotRequired[Union[float, str]]
    """
    Page height, instead of `pageSize`, together with `width`.
    """
    marginTop: NotRequired[Union[float, str]]
    """
    Top margin: CSS pixels, or a number with its unit (mm, cm, in, px, pt).
    """
    marginRight: NotRequired[Union[float, str]]
    """
    Right margin: CSS pixels, or a number with its unit (mm, cm, in, px, pt).
    """
    marginBottom: NotRequired[Union[float, str]]
    """
    Bottom margin: CSS pixels, or a number with its unit (mm, cm, in, px, pt).
    """
    marginLeft: NotRequired[Union[float, str]]
    """
    Left margin: CSS pixels, or a number with its unit (mm, cm, in, px, pt).
    """
    landscape: NotRequired[bool]
    """
    Turns pages to landscape.
    """
    scale: NotRequired[float]
    """
    Scale of the rendering.
    """
    printBackground: NotRequired[bool]
    """
    Prints background colors and pictures.
    """
    pageRange: NotRequired[str]
    """
    Pages to keep, such as `1-3,8,z`: pages and ranges in any order, counted from 1; `z` is the last page, `r2` the one before it.
    """
    headerHtml: NotRequired[str]
    """
    Header of each page; elements of class pageNumber, totalPages, title, date, url are filled in.
    """
    footerHtml: NotRequired[str]
    """
    Footer of each page, like `headerHtml`.
    """
    preferCssPageSize: NotRequired[bool]
    """
    A page size in the page's CSS overrides `pageSize`.
    """
    waitFor: NotRequired[WaitFor]
    media: NotRequired[Literal["print", "screen"]]
    """
    The CSS media type that the page is rendered for.
    """
    tagged: NotRequired[bool]
    """
    Writes the structure that assistive technology reads.
    """
    outline: NotRequired[bool]
    """
    Writes headings as PDF bookmarks; needs `tagged`.
    """
    waitForAll: NotRequired[WaitForAll]
    emulate: NotRequired[list[Literal["dark", "reducedMotion"]]]
    """
    Preferences of the reader to emulate: `dark` colors, `reducedMotion`.
    """
    userAgent: NotRequired[str]
    """
    The browser's name that sites see.
    """
    cookies: NotRequired[Cookies]
    headers: NotRequired[dict[str, str]]
    """
    Headers for the origin of `url` only (scheme, host and port), such as `Authorization`. They are not sent to other origins, not even after redirects. Never logged, never shown.
    """
    failOnStatus: NotRequired[bool]
    """
    Fails the job if the page answers with an error (HTTP status 400 and above). If false, the error page is converted.
    """
    failOnResourceErrors: NotRequired[bool]
    """
    Fails the job if anything that the page requests can't be loaded, instead of a warning.
    """
    failOnConsole: NotRequired[bool]
    """
    Fails the job if the page's scripts throw an uncaught error, or write an error to the console.
    """
    filename: NotRequired[Filename]
    """
    Name of the resulting PDF.
    """


class MarkdownToPdfOptions(TypedDict):
    """
    Options of `markdown-to-pdf`.
    """

    theme: NotRequired[Literal["document", "github", "letter"]]
    """
    `document`: a report with serifs, title, author and date; `github`: as on GitHub; `letter`: sender (`from`), recipient (`to`), date and subject of the front matter come first.
    """
    css: NotRequired[str]
    """
    Your own style sheet, applied after that of the theme.
    """
    toc: NotRequired[bool]
    """
    Writes a table of contents with links to the headings of the first three levels.
    """
    pageSize: NotRequired[Literal["A0", "A1", "A2", "A3", "A4", "A5", "A6", "Letter", "Legal", "Tabloid", "Ledger"]]
    """
    Page size. `width` and `height` together replace it.
    """
    width: NotRequired[Union[float, str]]
    """
    Page width, instead of `pageSize`, together with `height`.
    """
    height: NotRequired[Union[float, str]]
    """
    Page height, instead of `pageSize`, together with `width`.
    """
    marginTop: NotRequired[Union[float, str]]
    """
    Top margin: CSS pixels, or a number with its unit (mm, cm, in, px, pt).
    """
    marginRight: NotRequired[Union[float, str]]
    """
    Right margin: CSS pixels, or a number with its unit (mm, cm, in, px, pt).
    """
    marginBottom: NotRequired[Union[float, str]]
    """
    Bottom margin: CSS pixels, or a number with its unit (mm, cm, in, px, pt).
    """
    marginLeft: NotRequired[Union[float, str]]
    """
    Left margin: CSS pixels, or a number with its unit (mm, cm, in, px, pt).
    """
    landscape: NotRequired[bool]
    """
    Turns pages to landscape.
    """
    scale: NotRequired[float]
    """
    Scale of the rendering.
    """
    printBackground: NotRequired[bool]
    """
    Prints background colors and pictures.
    """
    pageRange: NotRequired[str]
    """
    Pages to keep, such as `1-3,8,z`: pages and ranges in any order, counted from 1; `z` is the last page, `r2` the one before it.
    """
    headerHtml: NotRequired[str]
    """
    Header of each page; elements of class pageNumber, totalPages, title, date, url are filled in.
    """
    footerHtml: NotRequired[str]
    """
    Footer of each page, like `headerHtml`.
    """
    tagged: NotRequired[bool]
    """
    Writes the structure that assistive technology reads.
    """
    outline: NotRequired[bool]
    """
    Writes headings as PDF bookmarks; needs `tagged`.
    """
    filename: NotRequired[Filename]
    """
    Name of the resulting PDF.
    """


class EmailToPdfOptions(TypedDict):
    """
    Options of `email-to-pdf`.
    """

    attachments: NotRequired[Literal["list", "embed", "convert"]]
    """
    `list`: their names and sizes are printed below the headers; `embed`: they are also attached to the PDF; `convert`: those that a tool can convert follow as pages, and warnings name the others.
    """
    allowRemote: NotRequired[bool]
    """
    Loads pictures and fonts from the internet. Senders can see that by them. Without it, a warning says how many were not loaded.
    """
    pageSize: NotRequired[Literal["A0", "A1", "A2", "A3", "A4", "A5", "A6", "Letter", "Legal", "Tabloid", "Ledger"]]
    """
    Page size. `width` and `height` together replace it.
    """
    width: NotRequired[Union[float, str]]
    """
    Page width, instead of `pageSize`, together with `height`.
    """
    height: NotRequired[Union[float, str]]
    """
    Page height, instead of `pageSize`, together with `width`.
    """
    marginTop: NotRequired[Union[float, str]]
    """
    Top margin: CSS pixels, or a number with its unit (mm, cm, in, px, pt).
    """
    marginRight: NotRequired[Union[float, str]]
    """
    Right margin: CSS pixels, or a number with its unit (mm, cm, in, px, pt).
    """
    marginBottom: NotRequired[Union[float, str]]
    """
    Bottom margin: CSS pixels, or a number with its unit (mm, cm, in, px, pt).
    """
    marginLeft: NotRequired[Union[float, str]]
    """
    Left margin: CSS pixels, or a number with its unit (mm, cm, in, px, pt).
    """
    landscape: NotRequired[bool]
    """
    Turns pages to landscape.
    """
    scale: NotRequired[float]
    """
    Scale of the rendering.
    """
    printBackground: NotRequired[bool]
    """
    Prints background colors and pictures.
    """
    headerHtml: NotRequired[str]
    """
    Header of each page; elements of class pageNumber, totalPages, title, date, url are filled in.
    """
    footerHtml: NotRequired[str]
    """
    Footer of each page, like `headerHtml`.
    """
    tagged: NotRequired[bool]
    """
    Writes the structure that assistive technology reads.
    """
    filename: NotRequired[Filename]
    """
    Name of the resulting PDF.
    """


class HtmlToImageOptions(TypedDict):
    """
    Options of `html-to-image`.
    """

    format: NotRequired[Literal["png", "jpeg", "webp"]]
    """
    Format of the picture. `webp` allows at most 16,383 pixels on a side.
    """
    fullPage: NotRequired[bool]
    """
    Captures the whole page instead of the window only.
    """
    width: NotRequired[int]
    """
    Width of the window, in CSS pixels.
    """
    height: NotRequired[int]
    """
    Height of the window, in CSS pixels.
    """
    deviceScale: NotRequired[float]
    """
    Pixels of the picture for each CSS pixel: 2 for a sharp screen.
    """
    selector: NotRequired[str]
    """
    Captures only the first element that this CSS selector matches.
    """
    omitBackground: NotRequired[bool]
    """
    Keeps the background transparent where the page has none (`png`, `webp`).
    """
    quality: NotRequired[int]
    """
    Quality of `jpeg` and `webp`.
    """
    waitFor: NotRequired[WaitFor]
    """
    What to wait for before the picture is taken, for at most 30 seconds.
    """
    waitForAll: NotRequired[WaitForAll]
    media: NotRequired[Literal["print", "screen"]]
    """
    The CSS media type that the page is rendered for.
    """
    emulate: NotRequired[list[Literal["dark", "reducedMotion"]]]
    """
    Preferences of the reader to emulate: `dark` colors, `reducedMotion`.
    """
    userAgent: NotRequired[str]
    """
    The browser's name that sites see.
    """
    cookies: NotRequired[Cookies]
    headers: NotRequired[dict[str, str]]
    """
    Headers for the origin of `url` only (scheme, host and port), such as `Authorization`. They are not sent to other origins, not even after redirects. Never logged, never shown.
    """
    failOnStatus: NotRequired[bool]
    """
    Fails the job if the page answers with an error (HTTP status 400 and above). If false, the error page is converted.
    """
    failOnResourceErrors: NotRequired[bool]
    """
    Fails the job if anything that the page requests can't be loaded, instead of a warning.
    """
    failOnConsole: NotRequired[bool]
    """
    Fails the job if the page's scripts throw an uncaught error, or write an error to the console.
    """
    filename: NotRequired[Filename]
    """
    Name of the resulting picture.
    """


class MergePdfOptions(TypedDict):
    """
    Options of `merge-pdf`.
    """

    bookmarks: NotRequired[Literal["keep", "titles", "none"]]
    """
    `keep`: every bookmark of every source; those of a source with a `title` are nested under a bookmark of that title. `titles`: one bookmark for each source, named after its `title`, the document's own title or its file name. `none`: no bookmarks.
    """
    pageSize: NotRequired[Literal["keep", "first", "A0", "A1", "A2", "A3", "A4", "A5", "A6", "Letter", "Legal", "Tabloid", "Ledger"]]
    """
    `keep`: each page keeps its size. `first`: every page is scaled to the size of the first one. A paper size: every page is scaled to it. Landscape pages stay landscape, and nothing is distorted.
    """
    blankPages: NotRequired[Literal["none", "odd"]]
    """
    `odd`: each source starts on a right-hand page; an empty page is added before it where needed, for printing on both sides.
    """


Range: TypeAlias = str
"""
The pages of one file. Pages and ranges, counted from 1, such as `1-3,8,z-6`; `z` is the last page, `r2` the one before it, and a range may run backwards.
"""


class SplitPdfOptions(TypedDict):
    """
    Options of `split-pdf`.
    """

    mode: NotRequired[Literal["ranges", "every", "bookmarks", "blank", "size"]]
    """
    `ranges`: one file for each entry of `ranges`. `every`: a new file after every `every` pages. `bookmarks`: a new file at each page that a bookmark leads to, down to `level`. `blank`: a new file after each blank page; the blank pages are left out. `size`: as many pages in each file as fit into `mebibytes`.
    """
    ranges: NotRequired[list[Range]]
    """
    For mode `ranges`: the pages of each file, such as `["1-3", "7", "9-z"]`. Pages may be in several files, or in none.
    """
    every: NotRequired[int]
    """
    For mode `every`: pages in each file.
    """
    level: NotRequired[int]
    """
    For mode `bookmarks`: the deepest level of bookmarks that starts a file. 1 is the top level.
    """
    mebibytes: NotRequired[float]
    """
    For mode `size`: the maximum size of a file in MiB. A single page that is larger gets its own file, with the warning `part_too_large`.
    """
    filenamePattern: NotRequired[str]
    """
    Names of the files, without `.pdf`. `{name}` is the source's file name, `{n}` the number of the file, `{title}` the bookmark that it starts with (mode `bookmarks`).
    """


class OrganizePdfOptionsRotateItem(TypedDict):
    pages: NotRequired[str]
    """
    Which pages of the result to turn. Pages and ranges, counted from 1, such as `1-3,8,z-6`; `z` is the last page, `r2` the one before it, and a range may run backwards. All pages by default.
    """
    degrees: Literal[-270, -180, -90, 90, 180, 270]
    """
    How far to turn them, clockwise.
    """


class OrganizePdfOptionsCrop(TypedDict):
    """
    How much to cut off each edge, in points (1/72 inch), as a viewer shows the page. The cut-off area is hidden, not removed from the file.
    """

    top: NotRequired[float]
    """
    Points to cut off the top edge.
    """
    right: NotRequired[float]
    """
    Points to cut off the right edge.
    """
    bottom: NotRequired[float]
    """
    Points to cut off the bottom edge.
    """
    left: NotRequired[float]
    """
    Points to cut off the left edge.
    """
    pages: NotRequired[str]
    """
    Which pages of the result to crop. Pages and ranges, counted from 1, such as `1-3,8,z-6`; `z` is the last page, `r2` the one before it, and a range may run backwards. All pages by default.
    """


class OrganizePdfOptions(TypedDict):
    """
    Options of `organize-pdf`.
    """

    pages: NotRequired[str]
    """
    The pages of the result, in order. Leave pages out to delete them, or list them again to repeat them. Pages and ranges, counted from 1, such as `1-3,8,z-6`; `z` is the last page, `r2` the one before it, and a range may run backwards. All pages by default.
    """
    rotate: NotRequired[list[OrganizePdfOptionsRotateItem]]
    """
    Pages to turn. Several entries for the same page add up.
    """
    crop: NotRequired[OrganizePdfOptionsCrop]
    """
    How much to cut off each edge, in points (1/72 inch), as a viewer shows the page. The cut-off area is hidden, not removed from the file.
    """
    nUp: NotRequired[Literal[2, 4, 9]]
    """
    How many pages to put on each sheet, in reading order. Links and bookmarks lead to the sheet; tags for screen readers are removed, with the warning `tags_removed`.
    """
    booklet: NotRequired[bool]
    """
    Puts two pages on each side of a sheet, in the order for a booklet that is printed on both sides and folded in the middle. Not together with `nUp`.
    """


class CompressPdfOptions(TypedDict):
    """
    Options of `compress-pdf`.
    """

    preset: NotRequired[Literal["lossless", "high", "balanced", "small"]]
    """
    How much may be lost. `lossless`: nothing; `high`: images have at most 220 dpi, for printing; `balanced`: at most 150 dpi, for screens; `small`: at most 96 dpi. All but `lossless` reduce embedded fonts to the characters that the document shows.
    """
    maxImageDpi: NotRequired[int]
    """
    Images with a higher resolution on the page are reduced to this one. If left out, the preset decides.
    """
    imageQuality: NotRequired[int]
    """
    Quality of images that are written as JPEG. If left out, the preset decides.
    """
    targetBytes: NotRequired[int]
    """
    The size to aim for, in bytes. The tool makes the smallest change that reaches it, down to 72 dpi. If that isn't enough, the job has the warning `target_missed`. Not together with `preset`, `maxImageDpi` and `imageQuality`.
    """
    linearize: NotRequired[bool]
    """
    Orders the file so that viewers can show its first page before the rest has loaded.
    """
    removeMetadata: NotRequired[bool]
    """
    Removes title, author and all other properties of the document.
    """


class ProtectPdfOptionsPermissions(TypedDict):
    """
    What a reader without the owner's password may do. PDF programs are expected to obey this; the encryption does not enforce it.
    """

    print: NotRequired[bool]
    """
    Printing.
    """
    copy: NotRequired[bool]
    """
    Copying text and pictures. Screen readers are always allowed to.
    """
    modify: NotRequired[bool]
    """
    Changing the content.
    """
    annotate: NotRequired[bool]
    """
    Adding and changing comments.
    """
    forms: NotRequired[bool]
    """
    Filling in form fields.
    """
    assemble: NotRequired[bool]
    """
    Inserting, deleting and turning pages.
    """


class ProtectPdfOptions(TypedDict):
    """
    Options of `protect-pdf`.
    """

    userPassword: NotRequired[str]
    """
    The password that opens the document. Without it, anyone can open the document, and only `permissions` apply.
    """
    ownerPassword: NotRequired[str]
    """
    The password that lifts the restrictions of `permissions`. Required if anything is not permitted, and must differ from `userPassword`.
    """
    permissions: NotRequired[ProtectPdfOptionsPermissions]
    """
    What a reader without the owner's password may do. PDF programs are expected to obey this; the encryption does not enforce it.
    """


class UnlockPdfOptions(TypedDict):
    """
    Options of `unlock-pdf`.
    """

    password: NotRequired[str]
    """
    The user's or the owner's password. Not needed if the document opens without one and only has restrictions. You can also give it as the source's `password`.
    """


class WatermarkPdfOptions(TypedDict):
    """
    Options of `watermark-pdf`.
    """

    text: NotRequired[str]
    """
    The text, in any script; `\\n` begins a new line. `{page}` is the page's number, `{pages}` the number of pages, `{date}` the day (UTC), such as `2026-11-21`. Leave it out if the second source is a stamp: a picture, or a PDF whose first page is used.
    """
    position: NotRequired[Literal["top-left", "top", "top-right", "left", "center", "right", "bottom-left", "bottom", "bottom-right", "tile"]]
    """
    Position on the page, as a viewer shows it. `tile` repeats the mark over the whole page.
    """
    margin: NotRequired[float]
    """
    Space between the mark and the edge of the page, in points (1/72 inch).
    """
    opacity: NotRequired[float]
    """
    1 hides the content below.
    """
    rotation: NotRequired[float]
    """
    Degrees, counter-clockwise: 45 rises from left to right.
    """
    fontSize: NotRequired[float]
    """
    Size of the text in points. By default 48, or less if that does not fit on the page.
    """
    color: NotRequired[str]
    """
    Color of the text, as `#rrggbb`.
    """
    width: NotRequired[float]
    """
    Width of the stamp in points. By default its own width, or less if that does not fit on the page; pictures have 96 pixels to the inch.
    """
    pages: NotRequired[str]
    """
    Which pages to mark. Pages and ranges, counted from 1, such as `1-3,8,z-6`; `z` is the last page, `r2` the one before it. All pages by default.
    """
    layer: NotRequired[Literal["over", "under"]]
    """
    `under` puts the mark behind the page's content. A page with its own background hides it.
    """


class EditMetadataOptionsSet(TypedDict):
    """
    Entries to set, in the document's information and in its XMP metadata.
    """

    title: NotRequired[str]
    """
    The document's title.
    """
    author: NotRequired[str]
    """
    The document's author.
    """
    subject: NotRequired[str]
    """
    The document's subject.
    """
    keywords: NotRequired[str]
    """
    Keywords, separated by commas.
    """
    custom: NotRequired[dict[str, str]]
    """
    Your own entries, by name. Names that PDF itself defines, such as `Producer`, are refused.
    """


RemoveItem: TypeAlias = str


class EditMetadataOptionsAttachment(TypedDict):
    source: int
    """
    Number of the source: 1 is the first one after the PDF.
    """
    filename: NotRequired[str]
    """
    Name of the file in the document. Its own name by default.
    """
    relationship: NotRequired[Literal["source", "data", "alternative", "supplement", "unspecified"]]
    """
    How the file relates to the document: its source, its data, an alternative, or more.
    """
    description: NotRequired[str]
    """
    A description that viewers show.
    """


class EditMetadataOptionsFacturX(TypedDict):
    """
    Puts an invoice into the PDF that shows it (Factur-X 1.0, ZUGFeRD 2), as `factur-x.xml`, or `xrechnung.xml` for XRechnung. The PDF becomes PDF/A-3b, as `pdf-to-pdfa` makes it; an earlier invoice in it is replaced. The invoice is XML in the syntax CII. It has to be well-formed and to name its profile; whether its amounts are right is not checked. Give `source` or `xml`.
    """

    source: NotRequired[int]
    """
    Number of the source with the XML: 1 is the first one after the PDF.
    """
    xml: NotRequired[str]
    """
    The XML itself, at most 512 KiB: for a further step of a job, which has no other sources.
    """
    level: NotRequired[Literal["minimum", "basicwl", "basic", "en16931", "extended", "xrechnung"]]
    """
    The profile that the invoice has to have. By default the one that it names itself.
    """
    relationship: NotRequired[Literal["alternative", "source", "data"]]
    """
    How the XML relates to the PDF. `alternative` by default, as Germany asks for. `minimum` and `basicwl` are always `data`.
    """
    onUnsupported: NotRequired[Literal["fail", "warn"]]
    """
    What to do with a PDF that cannot become PDF/A-3b. `fail`: the job fails, and its error lists the clauses of the standard. `warn`: the result has the invoice, but does not claim to be PDF/A, so that receivers may refuse it.
    """


class EditMetadataOptions(TypedDict):
    """
    Options of `edit-metadata`.
    """

    set: NotRequired[EditMetadataOptionsSet]
    """
    Entries to set, in the document's information and in its XMP metadata.
    """
    remove: NotRequired[Union[Literal["all"], list[RemoveItem]]]
    """
    `all`: all metadata of the document and of its parts, except metadata inside picture data. Or the names of entries to remove, such as `["Author", "Producer"]`. Removal comes before `set`.
    """
    attachments: NotRequired[list[EditMetadataOptionsAttachment]]
    """
    Files to attach: the sources after the PDF.
    """
    facturX: NotRequired[EditMetadataOptionsFacturX]
    """
    Puts an invoice into the PDF that shows it (Factur-X 1.0, ZUGFeRD 2), as `factur-x.xml`, or `xrechnung.xml` for XRechnung. The PDF becomes PDF/A-3b, as `pdf-to-pdfa` makes it; an earlier invoice in it is replaced. The invoice is XML in the syntax CII. It has to be well-formed and to name its profile; whether its amounts are right is not checked. Give `source` or `xml`.
    """


class FlattenPdfOptions(TypedDict):
    """
    Options of `flatten-pdf`.
    """

    annotations: NotRequired[bool]
    """
    Turns comments, highlights, stamps and drawings into content of the pages. Links and attached files are kept.
    """
    forms: NotRequired[bool]
    """
    Turns form fields into content of the pages, as they appear, and removes the form.
    """
    layers: NotRequired[bool]
    """
    Removes hidden layers and turns visible ones into content of the pages.
    """


Field: TypeAlias = str


class FillFormOptions(TypedDict):
    """
    Options of `fill-form`.
    """

    fields: dict[str, Optional[Union[str, bool, float, list[Field]]]]
    """
    Values by the field's full name, such as `{"name": "Zoë", "terms": true}`: text or a number for a text field; `true`, `false` or the name of a choice for boxes and buttons; a choice, or a list of choices, for lists. `null` clears a field. `inspect-document` lists a form's fields and choices.
    """
    flatten: NotRequired[bool]
    """
    The fields become content of the pages, and can't be changed any more.
    """


class OcrPdfOptions(TypedDict):
    """
    Options of `ocr-pdf`.
    """

    languages: NotRequired[Languages]
    mode: NotRequired[Literal["skipText", "redo", "force"]]
    """
    What happens to pages that have text. `skipText`: they stay as they are. `redo`: they lose their invisible text, which an earlier OCR has left, and are recognized again, except for the text that can be seen. `force`: a picture takes the place of such a page and is recognized, for text that cannot be copied correctly.
    """
    deskew: NotRequired[bool]
    """
    Straightens pages that were scanned at an angle of up to 7 degrees. Pictures keep their quality: the page turns as a whole.
    """
    rotate: NotRequired[bool]
    """
    Turns pages upright that were scanned sideways or upside down, if they have enough text to tell.
    """
    dpi: NotRequired[int]
    """
    The resolution at which pages are recognized, in dots per inch. If left out, it is that of the scan, from 150 to 300, and 300 for pages that are not scans.
    """


class PdfToPdfaOptions(TypedDict):
    """
    Options of `pdf-to-pdfa`.
    """

    level: NotRequired[Literal["1b", "2b", "3b"]]
    """
    The level of PDF/A. `1b` allows no transparency and no layers, `2b` both, and `3b` attached files too.
    """
    onUnsupported: NotRequired[Literal["fail", "warn"]]
    """
    What to do with a document that cannot become PDF/A, such as one with a font that is neither embedded nor available. `fail`: the job fails, and its error lists the clauses of the standard. `warn`: the result is as close as possible, does not claim to be PDF/A, and the report lists the clauses.
    """


class CompareDocumentsOptions(TypedDict):
    """
    Options of `compare-documents`.
    """

    mode: NotRequired[Literal["visual", "text"]]
    """
    `visual`: compares matching pages as pictures and by their words, and marks what looks different. `text`: compares all words of the documents and ignores where lines and pages end.
    """
    format: NotRequired[Literal["pdf", "json"]]
    """
    `pdf`: the pages side by side, with removed words, added words and changed areas marked. `json`: the similarity of each page, and the place of each change in points from the page's top left corner.
    """
    dpi: NotRequired[float]
    """
    For mode `visual`: the resolution at which pages are compared. A higher one finds smaller changes and takes longer.
    """
    onlyChanged: NotRequired[bool]
    """
    For format `pdf`: leaves out pages on which nothing changed.
    """


BoxItem: TypeAlias = float


class RedactPdfOptionsRegion(TypedDict):
    page: int
    """
    The page, counted from 1.
    """
    box: list[BoxItem]
    """
    Left, top, right and bottom in points (1/72 inch), from the top left corner of the page as a viewer shows it. `pdf-to-text` with format `json` gives the boxes of words in the same units.
    """


RedactPdfOptionsTextItem: TypeAlias = Union[dict[str, Any], str]
"""
a text to remove, as a string of at least two characters or as an object with `literal` or `pattern`
"""


class RedactPdfOptions(TypedDict):
    """
    Options of `redact-pdf`.
    """

    regions: NotRequired[list[RedactPdfOptionsRegion]]
    """
    Areas to remove: all text, drawings, parts of pictures, links, comments and fields in them. An annotation or a field that lies in an area in part is removed as a whole. Send `regions`, `text` or both.
    """
    text: NotRequired[list[RedactPdfOptionsTextItem]]
    """
    Text to remove wherever it occurs: on the pages, in pictures that OCR can read, in bookmarks, fields, comments, links and descriptions. Ligatures, hyphenation, letter-spacing and the different kinds of dashes and quotes make no difference. A plain string stands for an object with only `literal`.
    """
    metadata: NotRequired[bool]
    """
    Removes all metadata: title, author, dates, XMP. If `false`, only entries that mention what is to be redacted are changed. Attachments, scripts, hidden layers, hidden annotations, previews and the metadata of pictures are removed in any case.
    """
    color: NotRequired[str]
    """
    Color of the boxes that take the place of what was removed, as `#rrggbb`.
    """
    label: NotRequired[str]
    """
    Text in the boxes, such as `Redacted`. None by default.
    """
    languages: NotRequired[Languages]
    """
    Languages of the text, for the OCR that checks the result and finds text in pictures. The codes are those of `ocr-pdf`.
    """


class PdfToImagesOptions(TypedDict):
    """
    Options of `pdf-to-images`.
    """

    format: NotRequired[Literal["png", "jpeg", "webp"]]
    """
    The format of the images. PNG is exact; JPEG and WebP are smaller.
    """
    dpi: NotRequired[int]
    """
    Resolution in dots per inch. Ignored if `width` or `height` is given.
    """
    pages: NotRequired[str]
    """
    Pages to take, such as `1-3,8,z`: numbers from 1, ranges, `z` for the last page, `r2` for the one before it. All pages if left out; pages listed twice are included once.
    """
    width: NotRequired[int]
    """
    Maximum width in pixels. Pages keep their proportions; with `height`, they fit into both.
    """
    height: NotRequired[int]
    """
    Maximum height in pixels. Pages keep their proportions; with `width`, they fit into both.
    """
    quality: NotRequired[int]
    """
    Quality of JPEG and WebP images. PNG ignores it.
    """
    background: NotRequired[str]
    """
    The color behind the page, as `#rrggbb`, or `transparent`, which JPEG shows as white.
    """
    grayscale: NotRequired[bool]
    """
    Uses only shades of gray.
    """


class ImagesToPdfOptions(TypedDict):
    """
    Options of `images-to-pdf`.
    """

    pageSize: NotRequired[Literal["image", "A3", "A4", "A5", "Letter", "Legal"]]
    """
    `image`: each page is as large as its image.
    """
    margin: NotRequired[str]
    """
    White space on each side of the image: a number and a unit, such as `10mm`, `1cm`, `0.5in` or `36pt`.
    """
    fit: NotRequired[Literal["contain", "cover", "actual"]]
    """
    `contain`: the whole image, as large as fits on the page. `cover`: the image fills the page, and the rest is cut off. `actual`: the image's own size, smaller only if it does not fit on the page.
    """
    orientation: NotRequired[Literal["auto", "portrait", "landscape"]]
    """
    Orientation of pages of a fixed size. `auto`: that of the image.
    """
    dpi: NotRequired[int]
    """
    The resolution that gives images their size. If left out, the image file decides, or 96.
    """


class ThumbnailOptions(TypedDict):
    """
    Options of `thumbnail`.
    """

    width: NotRequired[int]
    """
    Width in pixels.
    """
    height: NotRequired[int]
    """
    Height in pixels.
    """
    fit: NotRequired[Literal["contain", "cover"]]
    """
    `contain`: the whole page fits into width and height. `cover`: the page fills both, and the rest is cut off.
    """
    page: NotRequired[int]
    """
    The page to show, counted from 1.
    """
    format: NotRequired[Literal["png", "jpeg", "webp"]]
    """
    The format of the thumbnail.
    """
    quality: NotRequired[int]
    """
    Quality of JPEG and WebP. PNG ignores it.
    """


class PdfToTextOptions(TypedDict):
    """
    Options of `pdf-to-text`.
    """

    format: NotRequired[Literal["text", "markdown", "json", "html"]]
    """
    `text`: plain text in reading order, with a form feed between pages. `markdown`: headings, lists, tables, links and emphasis. `json`: blocks, lines and words with their positions, in points from the page's upper left corner, and their fonts. `html`: the structure as a plain page.
    """
    layout: NotRequired[bool]
    """
    Uses spaces to keep words at their positions on the page. Only for the format `text`.
    """
    headersFooters: NotRequired[Literal["drop", "keep"]]
    """
    Running headers, footers and page numbers: lines in the margins that repeat at the same place on several pages, in type no larger than the text. `drop` leaves them out of `markdown`, with a warning, and marks them as asides in `json` and `html`. `keep` treats them as text. The format `text` always has them.
    """
    pages: NotRequired[str]
    """
    Pages to take, such as `1-3,8,z`: numbers from 1, ranges, `z` for the last page, `r2` for the one before it. All pages if left out; pages listed twice are included once.
    """
    ocr: NotRequired[Literal["never", "auto", "always"]]
    """
    Whether text is recognized in pictures of pages (OCR), which takes seconds for each page. `auto`: on pages that have no text; `always`: on all pages, instead of their text.
    """
    languages: NotRequired[Languages]
    """
    Languages of the text that `ocr` recognizes, by their ISO 639-2 codes, the main one first. Without `ocr`, they have no effect.
    """


class InspectDocumentOptions(TypedDict):
    """
    Options of `inspect-document`.
    """


class Step(TypedDict):
    """
    A tool that ran.
    """

    toolSlug: str
    engine: Engine
    durationMs: int
    warnings: NotRequired[list[Warning]]


Downloads: TypeAlias = list[Download]
"""
Links to each file of the result, 1,000 at most.
"""


class ToolsResponse(TypedDict):
    ok: Literal[True]
    requestId: str
    """
    The same as the header `x-request-id`.
    """
    tools: list[Tool]


class ToolSchemaResponse(TypedDict):
    ok: Literal[True]
    requestId: str
    """
    The same as the header `x-request-id`.
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


class UploadResponse(TypedDict):
    ok: Literal[True]
    requestId: str
    """
    The same as the header `x-request-id`.
    """
    upload: Upload


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


class Delivery(TypedDict):
    eventId: str
    """
    The same as the `webhook-id`.
    """
    type: EventType
    status: DeliveryStatus
    jobId: NotRequired[str]
    createdAt: str
    nextTryAt: NotRequired[str]
    triesLeft: int
    droppedBecause: NotRequired[Literal["endpoint_disabled", "job_deleted", "event_expired"]]
    """
    Only of a dropped delivery.
    """
    attempts: list[WebhookAttempt]
    """
    Oldest first.
    """


class WebhookTestResponse(TypedDict):
    ok: Literal[True]
    requestId: str
    """
    The same as the header `x-request-id`.
    """
    webhookTest: WebhookTest


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
    The same as the header `x-request-id`.
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


class EventResponse(TypedDict):
    ok: Literal[True]
    requestId: str
    """
    The same as the header `x-request-id`.
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
    webhook: NotRequired[JobWebhook]
    """
    The webhook that the request named. Its deliveries are listed under `id`.
    """
    input: dict[str, Any]
    """
    The input of the request without secrets: the query of a URL is replaced by `[redacted]`, inline HTML by its size and digest. Of a request above 16 KB, long texts and lists are shown in part, with `[shortened]` at their end; the job itself uses all of it.
    """
    options: dict[str, Any]
    """
    The options of the request without secrets, shortened like `input`.
    """
    then: NotRequired[list[JobThenItem]]
    """
    The further steps of the request without secrets, shortened like `input`.
    """
    metadata: dict[str, str]
    """
    Your own labels.
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
    Equal to the header `x-request-id`. Opaque.
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
    Equal to the header `x-request-id`. Opaque.
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
    The same as the header `x-request-id`.
    """
    job: Job
    download: Download
    downloads: NotRequired[Downloads]


class UsageResponse(TypedDict):
    ok: Literal[True]
    requestId: str
    """
    The same as the header `x-request-id`.
    """
    usage: Union[Usage, UsageOfDays]


class FontResponse(TypedDict):
    ok: Literal[True]
    requestId: str
    """
    The same as the header `x-request-id`.
    """
    font: Font


class FontsResponse(TypedDict):
    ok: Literal[True]
    requestId: str
    """
    The same as the header `x-request-id`.
    """
    fonts: list[Font]


class WebhookResponse(TypedDict):
    ok: Literal[True]
    requestId: str
    """
    The same as the header `x-request-id`.
    """
    webhook: Webhook


class WebhooksResponse(TypedDict):
    ok: Literal[True]
    requestId: str
    """
    The same as the header `x-request-id`.
    """
    webhooks: list[Webhook]


class DeliveriesResponse(TypedDict):
    ok: Literal[True]
    requestId: str
    """
    The same as the header `x-request-id`.
    """
    deliveries: list[Delivery]
    hasMore: bool
    nextCursor: NotRequired[str]


class ErrorResponse(TypedDict):
    ok: Literal[False]
    requestId: str
    """
    The same as the header `x-request-id`.
    """
    error: Error
    job: NotRequired[Job]


class JobResponse(TypedDict):
    ok: Literal[True]
    requestId: str
    """
    The same as the header `x-request-id`.
    """
    job: Job
