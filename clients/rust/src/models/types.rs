//! Generated from the API's description by clients/models.

#[doc = "A ZIP with results, 500 MiB at most unless it has a single one."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct ArchiveFile {
    pub bytes: u64,
    #[doc = "When the link ends."]
    #[serde(rename = "expiresAt")]
    pub expires_at: jiff::Timestamp,
    pub filename: String,
    #[doc = "How many results it has."]
    pub results: u64,
    #[doc = "Downloads the ZIP. It is a secret."]
    pub url: String,
}
#[doc = "`Batch`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct Batch {
    #[doc = "The archive of all results, if the request asks for one. `GET /v1/batches/{batch_id}/download` has its links."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archive: Option<BatchArchive>,
    #[doc = "Items by state. Each is counted once. Items without a job yet are `queued`, and those that could not become jobs `failed`."]
    pub counts: BatchCounts,
    #[doc = "When the request was accepted."]
    #[serde(rename = "createdAt")]
    pub created_at: jiff::Timestamp,
    #[doc = "What all jobs together have cost."]
    pub credits: BatchCredits,
    #[doc = "When the batch ended."]
    #[serde(rename = "finishedAt", skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<jiff::Timestamp>,
    #[doc = "The batch's id."]
    pub id: String,
    #[serde(rename = "onError")]
    pub on_error: super::BatchOnError,
    #[doc = "Why the batch is paused or canceled. Paused: `insufficient_credits`, `test_limit_reached`, `revoked_api_key`, `account_suspended`, `test_mode_disabled`, `tool_not_allowed`. Canceled: `requested`, `item_failed`, `paused_too_long` (a week). More may be added."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[doc = "`completed`: all items have ended. `counts` shows how many succeeded. `archiving`: they have ended, and the archive is being made."]
    pub status: super::BatchStatus,
    #[doc = "Whether the jobs are free and their results marked TEST."]
    #[serde(rename = "testMode")]
    pub test_mode: bool,
    #[doc = "The tool that runs the jobs."]
    #[serde(rename = "toolSlug")]
    pub tool_slug: String,
    #[doc = "The webhook that the request named. Its deliveries are listed under `id`."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhook: Option<BatchWebhook>,
}
#[doc = "The archive of all results, if the request asks for one. `GET /v1/batches/{batch_id}/download` has its links."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct BatchArchive {
    pub bytes: u64,
    #[doc = "How many ZIP files it has so far."]
    pub files: u64,
    #[doc = "Results that had expired or were deleted before the archive was made."]
    #[serde(rename = "leftOut")]
    pub left_out: u64,
    #[doc = "How many results they have."]
    pub results: u64,
}
#[doc = "Items by state. Each is counted once. Items without a job yet are `queued`, and those that could not become jobs `failed`."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct BatchCounts {
    pub canceled: u64,
    pub completed: u64,
    pub failed: u64,
    pub processing: u64,
    pub queued: u64,
    pub total: u64,
}
#[doc = "What all jobs together have cost."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct BatchCredits {
    pub charged: u64,
    pub refunded: u64,
}
#[doc = "The request for a job without what the batch says: `input` or its short names, `options` and `metadata` as the tool's schema defines them, and `filename`, the name of the result."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct BatchItem {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub input: serde_json::Map<String, serde_json::Value>,
    #[serde(default, skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub metadata: std::collections::BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub options: serde_json::Map<String, serde_json::Value>,
}
#[doc = "`BatchJobsResponse`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct BatchJobsResponse {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<Job>,
    #[doc = "Where the next page begins; absent on the last one."]
    #[serde(rename = "nextCursor", skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    pub ok: bool,
    #[doc = "Items among those of this page that could not become jobs. Nothing was charged for them."]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<RefusedItem>,
    #[doc = "The header `x-request-id`."]
    #[serde(rename = "requestId")]
    pub request_id: String,
}
#[doc = "`BatchRequest`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct BatchRequest {
    #[doc = "What each job is made of. Give either this or `itemsUploadId`."]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<BatchItem>,
    #[doc = "An upload of your account with up to 100,000 items as JSON lines, in 64 MiB. It is complete and less than an hour old."]
    #[serde(rename = "itemsUploadId", skip_serializing_if = "Option::is_none")]
    pub items_upload_id: Option<String>,
    #[doc = "`stop`: as soon as an item fails, the batch is canceled. By default: \"continue\"."]
    #[serde(rename = "onError", skip_serializing_if = "Option::is_none")]
    pub on_error: Option<super::BatchRequestOnError>,
    #[doc = "Options of all jobs. An item's own options count more, name by name."]
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub options: serde_json::Map<String, serde_json::Value>,
    #[doc = "What a job's `output` says, for all jobs, without `putUrl` and `putHeaders`."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<BatchRequestOutput>,
    #[doc = "Further steps of all jobs, as in a job."]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub then: Vec<serde_json::Map<String, serde_json::Value>>,
    #[doc = "The tool that runs the jobs."]
    #[serde(rename = "toolSlug", skip_serializing_if = "Option::is_none")]
    pub tool_slug: Option<String>,
    #[doc = "Where the events of the batch are sent, besides your account's webhook endpoints. Events of its jobs are not sent there."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhook: Option<BatchRequestWebhook>,
}
#[doc = "What a job's `output` says, for all jobs, without `putUrl` and `putHeaders`."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct BatchRequestOutput {
    #[doc = "Whether a ZIP of all results is made when all items have ended. Large ones have several files. By default: false."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archive: Option<bool>,
}
#[doc = "Where the events of the batch are sent, besides your account's webhook endpoints. Events of its jobs are not sent there."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct BatchRequestWebhook {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<super::Secret>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}
#[doc = "`BatchResponse`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct BatchResponse {
    pub batch: Batch,
    pub ok: bool,
    #[doc = "The header `x-request-id`."]
    #[serde(rename = "requestId")]
    pub request_id: String,
}
#[doc = "What became of an item."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct BatchResult {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    #[serde(rename = "contentType", skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    #[doc = "Why the job failed, or could not be created."]
    #[serde(rename = "errorCode", skip_serializing_if = "Option::is_none")]
    pub error_code: Option<String>,
    #[serde(rename = "errorMessage", skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    #[doc = "When the link ends."]
    #[serde(rename = "expiresAt", skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<jiff::Timestamp>,
    #[doc = "The name of the primary result."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
    #[doc = "The place of the item in the batch, from 0."]
    pub index: u64,
    #[doc = "The job's id; absent if the item could not become a job."]
    #[serde(rename = "jobId", skip_serializing_if = "Option::is_none")]
    pub job_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    #[doc = "More may be added: treat an unknown status as not ended."]
    pub status: super::JobStatus,
    #[doc = "Downloads the primary result. It is a secret."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}
#[doc = "`BatchResultsResponse`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct BatchResultsResponse {
    #[doc = "The archive of all results, if the request asks for one, on the first page."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archive: Option<BatchResultsResponseArchive>,
    #[doc = "Where the next page begins; absent on the last one."]
    #[serde(rename = "nextCursor", skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    pub ok: bool,
    #[doc = "The header `x-request-id`."]
    #[serde(rename = "requestId")]
    pub request_id: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<BatchResult>,
}
#[doc = "The archive of all results, if the request asks for one, on the first page."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct BatchResultsResponseArchive {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<ArchiveFile>,
    #[doc = "Results that had expired or were deleted before the archive was made."]
    #[serde(rename = "leftOut")]
    pub left_out: u64,
}
#[doc = "The webhook that the request named. Its deliveries are listed under `id`."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct BatchWebhook {
    pub id: String,
    pub url: String,
}
#[doc = "`BatchesResponse`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct BatchesResponse {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub batches: Vec<Batch>,
    #[doc = "The `cursor` of the next page. Absent on the last page."]
    #[serde(rename = "nextCursor", skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    pub ok: bool,
    #[doc = "The header `x-request-id`."]
    #[serde(rename = "requestId")]
    pub request_id: String,
}
#[doc = "`CheckAccessibilityOptions`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct CheckAccessibilityOptions {
    #[doc = "`html`, `pdf`: a page for people, with pictures of the places. By default: \"json\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<super::CheckAccessibilityOptionsFormat>,
}
#[doc = "`CompareDocumentsOptions`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct CompareDocumentsOptions {
    #[doc = "For mode `visual`: the resolution at which pages are compared. A higher one finds smaller changes and takes longer. By default: 100."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dpi: Option<f64>,
    #[doc = "`pdf`: the pages side by side, with removed words, added words and changed areas marked. `json`: the similarity of each page, and the place of each change in points from the page's top left corner. By default: \"pdf\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<super::CompareDocumentsOptionsFormat>,
    #[doc = "`visual`: compares matching pages as pictures and by their words, and marks what looks different. `text`: compares all words of the documents and ignores where lines and pages end. By default: \"visual\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<super::CompareDocumentsOptionsMode>,
    #[doc = "For format `pdf`: leaves out pages on which nothing changed. By default: false."]
    #[serde(rename = "onlyChanged", skip_serializing_if = "Option::is_none")]
    pub only_changed: Option<bool>,
}
#[doc = "A tool that ran."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct CompletedStep {
    #[serde(rename = "durationMs")]
    pub duration_ms: u64,
    #[doc = "The program that made the result."]
    pub engine: Engine,
    #[doc = "As the job's, of a step before the last, unless it is large."]
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub report: serde_json::Map<String, serde_json::Value>,
    #[serde(rename = "toolSlug")]
    pub tool_slug: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}
#[doc = "`CompressPdfOptions`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct CompressPdfOptions {
    #[doc = "The colors of images. `keep`: images for print (CMYK, Lab, spot colors) stay; `rgb`: they become RGB, as a viewer shows them; `gray`: all images become gray. Text and lines keep their colors. By default: \"keep\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub colors: Option<super::CompressPdfOptionsColors>,
    #[doc = "Quality of images that are written as JPEG. If left out, the preset decides."]
    #[serde(rename = "imageQuality", skip_serializing_if = "Option::is_none")]
    pub image_quality: Option<u64>,
    #[doc = "Orders the file so that viewers can show its first page before the rest has loaded. By default: false."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub linearize: Option<bool>,
    #[doc = "Images with a higher resolution on the page are reduced to this one. If left out, the preset decides."]
    #[serde(rename = "maxImageDpi", skip_serializing_if = "Option::is_none")]
    pub max_image_dpi: Option<u64>,
    #[doc = "How much may be lost. `lossless`: nothing; `high`: images have at most 220 dpi, for printing; `balanced`: at most 150 dpi, for screens; `small`: at most 96 dpi. All but `lossless` reduce embedded fonts to the characters that the document shows. By default: \"balanced\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<super::CompressPdfOptionsPreset>,
    #[doc = "Removes title, author and all other properties of the document. By default: false."]
    #[serde(rename = "removeMetadata", skip_serializing_if = "Option::is_none")]
    pub remove_metadata: Option<bool>,
    #[doc = "The size to aim for, in bytes. The smallest change that reaches it is made, down to 72 dpi. If that isn't enough, the job warns (`target_missed`). Not with `preset`, `maxImageDpi` and `imageQuality`."]
    #[serde(rename = "targetBytes", skip_serializing_if = "Option::is_none")]
    pub target_bytes: Option<u64>,
}
#[doc = "`ConvertOfficeOptions`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct ConvertOfficeOptions {
    #[doc = "Resolution of a png in dots per inch. By default: 150."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dpi: Option<u64>,
    #[doc = "The encoding of csv. Excel opens csv as UTF-8 only with a byte order mark: `utf-8-bom`. By default: \"utf-8\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<super::ConvertOfficeOptionsEncoding>,
    #[doc = "Name of the result."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
    #[doc = "The format of the result. Text documents become docx, odt, rtf, txt or html; spreadsheets xlsx, ods or csv; presentations pptx or odp; and a page of any of them, or of a drawing, a png."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<super::ConvertOfficeOptionsFormat>,
    #[doc = "The page that a png shows, as the document is printed. By default: 1."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<u64>,
    #[doc = "Password of an encrypted source. It is deleted with the job's request and never shown. The result is not encrypted."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password: Option<super::Secret>,
    #[doc = "What separates the cells of csv. By default: \",\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub separator: Option<String>,
    #[doc = "The sheet that becomes csv: its number, counted from 1, or its name; `all` makes a file of each sheet. By default: 1."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sheet: Option<serde_json::Value>,
    #[doc = "Computes contents, page numbers, references and dates of a docx result from its pages, so that Word need not ask. By default: false."]
    #[serde(rename = "updateFields", skip_serializing_if = "Option::is_none")]
    pub update_fields: Option<bool>,
}
#[doc = "`Cookie`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct Cookie {
    #[doc = "The cookie's name."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[doc = "A path that begins with a slash, `/` by default."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    #[doc = "The cookie's value: no blanks, quotation marks, commas, semicolons or backslashes."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}
#[doc = "`CreditsOfDays`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct CreditsOfDays {
    pub charged: u64,
    pub refunded: u64,
    pub used: u64,
}
#[doc = "`DeliveriesResponse`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct DeliveriesResponse {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deliveries: Vec<Delivery>,
    #[serde(rename = "hasMore")]
    pub has_more: bool,
    #[serde(rename = "nextCursor", skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    pub ok: bool,
    #[doc = "The header `x-request-id`."]
    #[serde(rename = "requestId")]
    pub request_id: String,
}
#[doc = "`Delivery`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct Delivery {
    #[doc = "Oldest first."]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attempts: Vec<WebhookAttempt>,
    #[serde(rename = "createdAt")]
    pub created_at: jiff::Timestamp,
    #[doc = "Only of a dropped delivery."]
    #[serde(rename = "droppedBecause", skip_serializing_if = "Option::is_none")]
    pub dropped_because: Option<super::DeliveryDroppedBecause>,
    #[doc = "The same as the `webhook-id`."]
    #[serde(rename = "eventId")]
    pub event_id: String,
    #[serde(rename = "jobId", skip_serializing_if = "Option::is_none")]
    pub job_id: Option<String>,
    #[serde(rename = "nextTryAt", skip_serializing_if = "Option::is_none")]
    pub next_try_at: Option<jiff::Timestamp>,
    pub status: super::DeliveryStatus,
    #[serde(rename = "triesLeft")]
    pub tries_left: u64,
    #[doc = "More may be added: ignore types that you don't know."]
    #[serde(rename = "type")]
    pub type_: super::EventType,
}
#[doc = "`Download`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct Download {
    pub bytes: u64,
    #[serde(rename = "contentType")]
    pub content_type: String,
    #[doc = "When the link stops working."]
    #[serde(rename = "expiresAt")]
    pub expires_at: jiff::Timestamp,
    pub filename: String,
    #[doc = "In a list: which file, as in `job.outputs`."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u64>,
    #[doc = "Lower-case hexadecimal."]
    pub sha256: String,
    #[doc = "A signed link. Fetch it with GET and without a key. Keep it secret."]
    pub url: super::Secret,
}
#[doc = "`DownloadResponse`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct DownloadResponse {
    pub download: Download,
    #[doc = "Links to each file of the result, 1,000 at most."]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub downloads: Vec<Download>,
    pub job: Job,
    pub ok: bool,
    #[doc = "The header `x-request-id`."]
    #[serde(rename = "requestId")]
    pub request_id: String,
}
#[doc = "`EditMetadataOptions`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct EditMetadataOptions {
    #[doc = "Files to attach: the sources after the PDF."]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<EditMetadataOptionsAttachment>,
    #[doc = "Puts an invoice into the PDF that shows it (Factur-X 1.0, ZUGFeRD 2), as `factur-x.xml`, or `xrechnung.xml` for XRechnung. The PDF becomes PDF/A-3b; an earlier invoice in it is replaced. The invoice is XML in the syntax CII and names its profile; `validate-invoice` checks the rest. Give `source` or `xml`."]
    #[serde(rename = "facturX", skip_serializing_if = "Option::is_none")]
    pub factur_x: Option<EditMetadataOptionsFacturX>,
    #[doc = "`all`: all metadata of the document and its parts, except inside picture data. Or names of entries, such as `[\"Author\", \"Producer\"]`. Removal comes before `set`."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remove: Option<serde_json::Value>,
    #[doc = "Entries to set, in the document's information and in its XMP metadata."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set: Option<EditMetadataOptionsSet>,
}
#[doc = "`EditMetadataOptionsAttachment`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct EditMetadataOptionsAttachment {
    #[doc = "A description that viewers show."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[doc = "Name of the file in the document. Its own name by default."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
    #[doc = "How the file relates to the document: its source, its data, an alternative, or more. By default: \"unspecified\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relationship: Option<super::EditMetadataOptionsAttachmentRelationship>,
    #[doc = "Number of the source: 1 is the first one after the PDF."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<u64>,
}
#[doc = "Puts an invoice into the PDF that shows it (Factur-X 1.0, ZUGFeRD 2), as `factur-x.xml`, or `xrechnung.xml` for XRechnung. The PDF becomes PDF/A-3b; an earlier invoice in it is replaced. The invoice is XML in the syntax CII and names its profile; `validate-invoice` checks the rest. Give `source` or `xml`."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct EditMetadataOptionsFacturX {
    #[doc = "The profile that the invoice has to have. By default the one that it names itself."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<super::EditMetadataOptionsFacturXLevel>,
    #[doc = "If the PDF can't become PDF/A-3b. `fail`: the job fails, and its error lists the clauses of the standard. `warn`: the result does not claim to be PDF/A, and receivers may refuse it. By default: \"fail\"."]
    #[serde(rename = "onUnsupported", skip_serializing_if = "Option::is_none")]
    pub on_unsupported: Option<super::EditMetadataOptionsFacturXOnUnsupported>,
    #[doc = "How the XML relates to the PDF. `alternative` by default, as Germany asks for. `minimum` and `basicwl` are always `data`."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relationship: Option<super::EditMetadataOptionsFacturXRelationship>,
    #[doc = "Number of the source with the XML: 1 is the first one after the PDF. By default: 1."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<u64>,
    #[doc = "The XML itself, at most 512 KiB: for a further step of a job, which has no other sources."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub xml: Option<String>,
}
#[doc = "Entries to set, in the document's information and in its XMP metadata."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct EditMetadataOptionsSet {
    #[doc = "The document's author."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    #[doc = "Your own entries, by name. Names that PDF itself defines, such as `Producer`, are refused."]
    #[serde(default, skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub custom: std::collections::BTreeMap<String, String>,
    #[doc = "Keywords, separated by commas."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keywords: Option<String>,
    #[doc = "The document's subject."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    #[doc = "The document's title."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}
#[doc = "`EmailToPdfOptions`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct EmailToPdfOptions {
    #[doc = "Loads pictures and fonts from the internet. Senders can see that by them. Without it, a warning says how many were not loaded. By default: false."]
    #[serde(rename = "allowRemote", skip_serializing_if = "Option::is_none")]
    pub allow_remote: Option<bool>,
    #[doc = "`list`: their names and sizes are printed below the headers; `embed`: they are also attached to the PDF; `convert`: those that a tool can convert follow as pages, and warnings name the others. By default: \"list\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attachments: Option<super::EmailToPdfOptionsAttachments>,
    #[doc = "Name of the resulting PDF."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
    #[doc = "Footer of each page, like `headerHtml`."]
    #[serde(rename = "footerHtml", skip_serializing_if = "Option::is_none")]
    pub footer_html: Option<String>,
    #[doc = "Header of each page; elements of class pageNumber, totalPages, title, date, url are filled in."]
    #[serde(rename = "headerHtml", skip_serializing_if = "Option::is_none")]
    pub header_html: Option<String>,
    #[doc = "Page height, instead of `pageSize`, together with `width`."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<serde_json::Value>,
    #[doc = "Turns pages to landscape. By default: false."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub landscape: Option<bool>,
    #[doc = "Bottom margin: CSS pixels, or with a unit (mm, cm, in, px, pt). By default: \"15mm\"."]
    #[serde(rename = "marginBottom", skip_serializing_if = "Option::is_none")]
    pub margin_bottom: Option<serde_json::Value>,
    #[doc = "Left margin: CSS pixels, or with a unit (mm, cm, in, px, pt). By default: \"15mm\"."]
    #[serde(rename = "marginLeft", skip_serializing_if = "Option::is_none")]
    pub margin_left: Option<serde_json::Value>,
    #[doc = "Right margin: CSS pixels, or with a unit (mm, cm, in, px, pt). By default: \"15mm\"."]
    #[serde(rename = "marginRight", skip_serializing_if = "Option::is_none")]
    pub margin_right: Option<serde_json::Value>,
    #[doc = "Top margin: CSS pixels, or with a unit (mm, cm, in, px, pt). By default: \"15mm\"."]
    #[serde(rename = "marginTop", skip_serializing_if = "Option::is_none")]
    pub margin_top: Option<serde_json::Value>,
    #[doc = "Page size. `width` and `height` together replace it. By default: \"A4\"."]
    #[serde(rename = "pageSize", skip_serializing_if = "Option::is_none")]
    pub page_size: Option<super::EmailToPdfOptionsPageSize>,
    #[doc = "Prints background colors and pictures. By default: true."]
    #[serde(rename = "printBackground", skip_serializing_if = "Option::is_none")]
    pub print_background: Option<bool>,
    #[doc = "Scale of the rendering. By default: 1."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    #[doc = "Writes the structure that assistive technology reads. By default: true."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tagged: Option<bool>,
    #[doc = "Page width, instead of `pageSize`, together with `height`."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<serde_json::Value>,
}
#[doc = "The program that made the result."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct Engine {
    pub name: String,
    pub version: String,
}
#[doc = "`ErrorBody`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct ErrorBody {
    #[doc = "How many credits are left. Only with `insufficient_credits`."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub available: Option<u64>,
    #[doc = "A stable code. More may be added: decide by `status` if you don't know one."]
    pub code: super::ErrorCode,
    #[doc = "Every invalid value, or every mistake in a template. Only with `validation_failed` and `invalid_template`."]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<ErrorDetail>,
    #[doc = "What happened and what to do."]
    pub message: String,
    #[doc = "How many credits the tool costs. Only with `insufficient_credits`."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required: Option<u64>,
    #[doc = "The HTTP status."]
    pub status: u64,
}
#[doc = "`ErrorDetail`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct ErrorDetail {
    pub message: String,
    #[doc = "JSON Pointer into the body, or `?` and the name of a query parameter."]
    pub path: String,
}
#[doc = "`Event`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct Event {
    #[doc = "What the event is about, for example `job`."]
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub data: serde_json::Map<String, serde_json::Value>,
    #[doc = "The same as the `webhook-id`."]
    pub id: String,
    #[doc = "When the event happened."]
    pub timestamp: jiff::Timestamp,
    #[doc = "More may be added: ignore types that you don't know."]
    #[serde(rename = "type")]
    pub type_: super::EventType,
}
#[doc = "`EventResponse`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct EventResponse {
    pub event: Event,
    pub ok: bool,
    #[doc = "The header `x-request-id`."]
    #[serde(rename = "requestId")]
    pub request_id: String,
}
#[doc = "`EventsResponse`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct EventsResponse {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Event>,
    #[doc = "Whether there can be more events after these now."]
    #[serde(rename = "hasMore")]
    pub has_more: bool,
    #[doc = "What to send as `after` to go on. Absent while your account has no events."]
    #[serde(rename = "nextCursor", skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    pub ok: bool,
    #[doc = "The header `x-request-id`."]
    #[serde(rename = "requestId")]
    pub request_id: String,
}
#[doc = "`ExtractDocumentOptions`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct ExtractDocumentOptions {
    #[doc = "How `chunks` are made. Blocks that don't fit are parted between sentences, and sentences between words. A word or a table's row is never parted: if it has more tokens, so has its chunk."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunks: Option<ExtractDocumentOptionsChunks>,
    #[doc = "`json`: pages, and blocks in reading order with role, text and boxes (left, top, right and bottom in points from the page's upper left corner); tables with cells, figures, bookmarks, links, footnotes, hidden text. `markdown`: headings, lists, tables, footnotes, links and emphasis. `html`: the same; elements have the identifiers of their blocks, and their page in `data-page`. `chunks`: JSON lines, each with `text`, `tokens`, `headings` above it, `blocks`, `pages` and `boxes`. `tables`: a CSV file for each table; an apostrophe begins what would be a formula. `xlsx`: a workbook with a sheet for each table, without formulas; a column is numbers if all of its cells are, without separators of thousands. Without tables, both fail, or warn (`no_tables`) if other sources have some. By default: \"json\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<super::ExtractDocumentOptionsFormat>,
    #[doc = "Lines in the margins that repeat on several pages, or are a page's number or an imprint. `drop` leaves them out, with a warning. `keep` has them as blocks of their own. By default: \"drop\"."]
    #[serde(rename = "headersFooters", skip_serializing_if = "Option::is_none")]
    pub headers_footers: Option<super::ExtractDocumentOptionsHeadersFooters>,
    #[doc = "Pictures in the document. `none`: only their places. `files`: each is a file of the result, too. `inline`: their data is in the result. By default: \"none\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub images: Option<super::ExtractDocumentOptionsImages>,
    #[doc = "Languages that `ocr` recognizes, by their ISO 639-2 codes, the main one first. By default: [\"eng\"]."]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<super::Language>,
    #[doc = "How docx, odt, xlsx, ods, csv, pptx, odp, HTML, Markdown and messages are read. `false`: by their own structure, without pages and boxes. `true`: as they are printed, with both, like other formats. By default: false."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layout: Option<bool>,
    #[doc = "Whether text is recognized in pictures of pages (OCR), which takes seconds for each page. `auto`: on pages that have no text, and in large pictures; `always`: on all pages, instead of their text. By default: \"auto\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ocr: Option<super::ExtractDocumentOptionsOcr>,
    #[doc = "Pages to take, such as `1-3,8,z`: `z` is the last page, `r2` the one before it. All by default, and each once. Other documents than PDFs are printed for it, as with `layout`."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages: Option<String>,
}
#[doc = "How `chunks` are made. Blocks that don't fit are parted between sentences, and sentences between words. A word or a table's row is never parted: if it has more tokens, so has its chunk."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct ExtractDocumentOptionsChunks {
    #[doc = "The most tokens of a chunk, in the encoding `o200k_base`. Other models count more or fewer. By default: 512."]
    #[serde(rename = "maxTokens", skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    #[doc = "How many tokens of a chunk's end the next one repeats, at most: whole words and rows, up to half of `maxTokens`, and nothing where `splitAt` begins a chunk. By default: 0."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overlap: Option<u64>,
    #[doc = "Where a chunk begins in any case. By default: \"heading\"."]
    #[serde(rename = "splitAt", skip_serializing_if = "Option::is_none")]
    pub split_at: Option<super::ExtractDocumentOptionsChunksSplitAt>,
}
#[doc = "`FillFormOptions`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct FillFormOptions {
    #[doc = "Values by full field name, such as `{\"name\": \"Zoë\", \"terms\": true}`: text or a number for a text field; `true`, `false` or the name of a choice for boxes and buttons; a choice, or a list of choices, for lists. `null` clears a field. `inspect-document` lists a form's fields and choices."]
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub fields: serde_json::Map<String, serde_json::Value>,
    #[doc = "The fields become content of the pages, and can't be changed any more. By default: false."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flatten: Option<bool>,
}
#[doc = "`FlattenPdfOptions`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct FlattenPdfOptions {
    #[doc = "Turns comments, highlights, stamps and drawings into content of the pages. Links and attached files are kept. By default: true."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<bool>,
    #[doc = "Turns form fields into content of the pages, as they appear, and removes the form. By default: true."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forms: Option<bool>,
    #[doc = "Removes hidden layers and turns visible ones into content of the pages. By default: false."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layers: Option<bool>,
}
#[doc = "`Font`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct Font {
    #[doc = "Size of the file that you uploaded."]
    pub bytes: u64,
    #[serde(rename = "createdAt")]
    pub created_at: jiff::Timestamp,
    #[doc = "A collection (TTC) has several."]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faces: Vec<FontFace>,
    #[doc = "The name by which documents and style sheets find it."]
    pub family: String,
    #[doc = "Of the file that you uploaded."]
    pub format: super::FontFormat,
    #[doc = "The same for the same file."]
    pub id: String,
}
#[doc = "`FontFace`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct FontFace {
    pub family: String,
    pub italic: bool,
    #[serde(rename = "postscriptName", skip_serializing_if = "Option::is_none")]
    pub postscript_name: Option<String>,
    pub style: String,
    #[doc = "400 is regular, 700 bold."]
    pub weight: u64,
}
#[doc = "`FontRequest`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct FontRequest {
    #[doc = "An upload of your account that is complete and less than an hour old."]
    #[serde(rename = "uploadId", skip_serializing_if = "Option::is_none")]
    pub upload_id: Option<String>,
}
#[doc = "`FontResponse`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct FontResponse {
    pub font: Font,
    pub ok: bool,
    #[doc = "The header `x-request-id`."]
    #[serde(rename = "requestId")]
    pub request_id: String,
}
#[doc = "`FontsResponse`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct FontsResponse {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fonts: Vec<Font>,
    pub ok: bool,
    #[doc = "The header `x-request-id`."]
    #[serde(rename = "requestId")]
    pub request_id: String,
}
#[doc = "`FurtherStep`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct FurtherStep {
    #[doc = "That tool's options, as its own schema describes them."]
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub options: serde_json::Map<String, serde_json::Value>,
    #[doc = "The tool of this step."]
    #[serde(rename = "toolSlug")]
    pub tool_slug: String,
}
#[doc = "`HtmlToImageOptions`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct HtmlToImageOptions {
    #[doc = "Cookies for the host of `url` only. Never logged, never shown."]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cookies: Vec<Cookie>,
    #[doc = "Pixels of the picture for each CSS pixel: 2 for a sharp screen. By default: 1."]
    #[serde(rename = "deviceScale", skip_serializing_if = "Option::is_none")]
    pub device_scale: Option<f64>,
    #[doc = "Preferences of the reader to emulate: `dark` colors, `reducedMotion`."]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub emulate: Vec<super::EmulatedFeature>,
    #[doc = "Fails the job if the page's scripts throw an uncaught error, or write an error to the console. By default: false."]
    #[serde(rename = "failOnConsole", skip_serializing_if = "Option::is_none")]
    pub fail_on_console: Option<bool>,
    #[doc = "Fails the job if anything that the page requests can't be loaded, instead of a warning. By default: false."]
    #[serde(rename = "failOnResourceErrors", skip_serializing_if = "Option::is_none")]
    pub fail_on_resource_errors: Option<bool>,
    #[doc = "Fails the job if the page answers with an error (HTTP status 400 and above). If false, the error page is converted. By default: true."]
    #[serde(rename = "failOnStatus", skip_serializing_if = "Option::is_none")]
    pub fail_on_status: Option<bool>,
    #[doc = "Name of the resulting picture."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
    #[doc = "Format of the picture. `webp` allows at most 16,383 pixels on a side. By default: \"png\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<super::HtmlToImageOptionsFormat>,
    #[doc = "Captures the whole page instead of the window only. By default: false."]
    #[serde(rename = "fullPage", skip_serializing_if = "Option::is_none")]
    pub full_page: Option<bool>,
    #[doc = "Headers for the origin of `url` only (scheme, host and port), such as `Authorization`; not for others, not even after redirects. Never logged, never shown."]
    #[serde(default, skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub headers: std::collections::BTreeMap<String, String>,
    #[doc = "Height of the window, in CSS pixels. By default: 800."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<u64>,
    #[doc = "The CSS media type that the page is rendered for. By default: \"screen\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media: Option<super::HtmlToImageOptionsMedia>,
    #[doc = "Keeps the background transparent where the page has none (`png`, `webp`). By default: false."]
    #[serde(rename = "omitBackground", skip_serializing_if = "Option::is_none")]
    pub omit_background: Option<bool>,
    #[doc = "Quality of `jpeg` and `webp`. By default: 85."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quality: Option<u64>,
    #[doc = "Captures only the first element that this CSS selector matches."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
    #[doc = "The browser's name that sites see."]
    #[serde(rename = "userAgent", skip_serializing_if = "Option::is_none")]
    pub user_agent: Option<String>,
    #[doc = "What to wait for before the picture is taken, for at most 30 seconds. By default: \"load\"."]
    #[serde(rename = "waitFor", skip_serializing_if = "Option::is_none")]
    pub wait_for: Option<serde_json::Value>,
    #[doc = "Several conditions instead of `waitFor`. All must be met, each within 30 seconds."]
    #[serde(rename = "waitForAll", default, skip_serializing_if = "Vec::is_empty")]
    pub wait_for_all: Vec<serde_json::Value>,
    #[doc = "Width of the window, in CSS pixels. By default: 1280."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u64>,
}
#[doc = "`HtmlToPdfOptions`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct HtmlToPdfOptions {
    #[doc = "Makes the PDF accessible from the document's structure. If it passes the check, it says that it is PDF/UA-1. By default: false."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accessible: Option<bool>,
    #[doc = "Cookies for the host of `url` only. Never logged, never shown."]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cookies: Vec<Cookie>,
    #[doc = "Preferences of the reader to emulate: `dark` colors, `reducedMotion`."]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub emulate: Vec<super::EmulatedFeature>,
    #[doc = "Fails the job if the page's scripts throw an uncaught error, or write an error to the console. By default: false."]
    #[serde(rename = "failOnConsole", skip_serializing_if = "Option::is_none")]
    pub fail_on_console: Option<bool>,
    #[doc = "Fails the job if anything that the page requests can't be loaded, instead of a warning. By default: false."]
    #[serde(rename = "failOnResourceErrors", skip_serializing_if = "Option::is_none")]
    pub fail_on_resource_errors: Option<bool>,
    #[doc = "Fails the job if the page answers with an error (HTTP status 400 and above). If false, the error page is converted. By default: true."]
    #[serde(rename = "failOnStatus", skip_serializing_if = "Option::is_none")]
    pub fail_on_status: Option<bool>,
    #[doc = "Name of the resulting PDF."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
    #[doc = "Footer of each page, like `headerHtml`."]
    #[serde(rename = "footerHtml", skip_serializing_if = "Option::is_none")]
    pub footer_html: Option<String>,
    #[doc = "Header of each page; elements of class pageNumber, totalPages, title, date, url are filled in."]
    #[serde(rename = "headerHtml", skip_serializing_if = "Option::is_none")]
    pub header_html: Option<String>,
    #[doc = "Headers for the origin of `url` only (scheme, host and port), such as `Authorization`; not for others, not even after redirects. Never logged, never shown."]
    #[serde(default, skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub headers: std::collections::BTreeMap<String, String>,
    #[doc = "Page height, instead of `pageSize`, together with `width`."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<serde_json::Value>,
    #[doc = "Turns pages to landscape. By default: false."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub landscape: Option<bool>,
    #[doc = "Bottom margin: CSS pixels, or with a unit (mm, cm, in, px, pt)."]
    #[serde(rename = "marginBottom", skip_serializing_if = "Option::is_none")]
    pub margin_bottom: Option<serde_json::Value>,
    #[doc = "Left margin: CSS pixels, or with a unit (mm, cm, in, px, pt)."]
    #[serde(rename = "marginLeft", skip_serializing_if = "Option::is_none")]
    pub margin_left: Option<serde_json::Value>,
    #[doc = "Right margin: CSS pixels, or with a unit (mm, cm, in, px, pt)."]
    #[serde(rename = "marginRight", skip_serializing_if = "Option::is_none")]
    pub margin_right: Option<serde_json::Value>,
    #[doc = "Top margin: CSS pixels, or with a unit (mm, cm, in, px, pt)."]
    #[serde(rename = "marginTop", skip_serializing_if = "Option::is_none")]
    pub margin_top: Option<serde_json::Value>,
    #[doc = "The CSS media type that the page is rendered for. By default: \"print\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media: Option<super::HtmlToPdfOptionsMedia>,
    #[doc = "Writes headings as PDF bookmarks; needs `tagged`. By default: false."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outline: Option<bool>,
    #[doc = "Pages to keep, such as `1-3,8,z`, in any order; `z` is the last page, `r2` the one before it."]
    #[serde(rename = "pageRange", skip_serializing_if = "Option::is_none")]
    pub page_range: Option<String>,
    #[doc = "Page size. `width` and `height` together replace it. By default: \"A4\"."]
    #[serde(rename = "pageSize", skip_serializing_if = "Option::is_none")]
    pub page_size: Option<super::HtmlToPdfOptionsPageSize>,
    #[doc = "A page size in the page's CSS overrides `pageSize`. By default: false."]
    #[serde(rename = "preferCssPageSize", skip_serializing_if = "Option::is_none")]
    pub prefer_css_page_size: Option<bool>,
    #[doc = "Prints background colors and pictures. By default: true."]
    #[serde(rename = "printBackground", skip_serializing_if = "Option::is_none")]
    pub print_background: Option<bool>,
    #[doc = "`browser`: Chromium, for faithful results. `basic`: a faster engine without JavaScript. By default: \"browser\"."]
    #[serde(rename = "renderMode", skip_serializing_if = "Option::is_none")]
    pub render_mode: Option<super::HtmlToPdfOptionsRenderMode>,
    #[doc = "Scale of the rendering. By default: 1."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    #[doc = "Writes the structure that assistive technology reads. By default: true."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tagged: Option<bool>,
    #[doc = "The browser's name that sites see."]
    #[serde(rename = "userAgent", skip_serializing_if = "Option::is_none")]
    pub user_agent: Option<String>,
    #[doc = "What to wait for before the page is printed, for at most 30 seconds. By default: \"load\"."]
    #[serde(rename = "waitFor", skip_serializing_if = "Option::is_none")]
    pub wait_for: Option<serde_json::Value>,
    #[doc = "Several conditions instead of `waitFor`. All must be met, each within 30 seconds."]
    #[serde(rename = "waitForAll", default, skip_serializing_if = "Vec::is_empty")]
    pub wait_for_all: Vec<serde_json::Value>,
    #[doc = "Page width, instead of `pageSize`, together with `height`."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<serde_json::Value>,
}
#[doc = "`ImagesToPdfOptions`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct ImagesToPdfOptions {
    #[doc = "The resolution that gives images their size. If left out, the image file decides, or 96."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dpi: Option<u64>,
    #[doc = "`contain`: the whole image, as large as fits on the page. `cover`: the image fills the page, and the rest is cut off. `actual`: the image's own size, smaller only if it does not fit on the page. By default: \"contain\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fit: Option<super::ImagesToPdfOptionsFit>,
    #[doc = "White space on each side of the image: a number and a unit, such as `10mm`, `1cm`, `0.5in` or `36pt`. By default: \"0mm\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub margin: Option<String>,
    #[doc = "Orientation of pages of a fixed size. `auto`: that of the image. By default: \"auto\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orientation: Option<super::ImagesToPdfOptionsOrientation>,
    #[doc = "`image`: each page is as large as its image. By default: \"image\"."]
    #[serde(rename = "pageSize", skip_serializing_if = "Option::is_none")]
    pub page_size: Option<super::ImagesToPdfOptionsPageSize>,
}
#[doc = "`Job`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct Job {
    #[doc = "How often a worker started the job."]
    pub attempts: u64,
    #[doc = "The batch that the job belongs to."]
    #[serde(rename = "batchId", skip_serializing_if = "Option::is_none")]
    pub batch_id: Option<String>,
    #[doc = "When the request was accepted."]
    #[serde(rename = "createdAt")]
    pub created_at: jiff::Timestamp,
    pub credits: JobCredits,
    #[doc = "When you deleted the job."]
    #[serde(rename = "deletedAt", skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<jiff::Timestamp>,
    #[doc = "The program that made the result."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<Engine>,
    #[doc = "Why a job failed."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<JobError>,
    #[doc = "When the result is deleted."]
    #[serde(rename = "expiresAt", skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<jiff::Timestamp>,
    #[doc = "When the job ended."]
    #[serde(rename = "finishedAt", skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<jiff::Timestamp>,
    #[doc = "The job's id."]
    pub id: String,
    #[doc = "The place of its item in the batch, from 0."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u64>,
    #[doc = "The input of the request without secrets: the query of a URL is replaced by `[redacted]`, inline HTML by its size and digest. Of a request above 16 KB, long texts and lists are shown in part, with `[shortened]` at their end; the job itself uses all of it."]
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub input: serde_json::Map<String, serde_json::Value>,
    #[doc = "Your own labels."]
    #[serde(default, skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub metadata: std::collections::BTreeMap<String, String>,
    #[doc = "The mode of the key that created the job."]
    pub mode: super::JobMode,
    #[doc = "The options of the request without secrets, shortened like `input`. Passwords and free texts, such as what is redacted, filled in or stamped, are `[redacted]`."]
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub options: serde_json::Map<String, serde_json::Value>,
    #[doc = "The result of a completed job."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Output>,
    #[doc = "Every file of the result. If there are several, `output` is a ZIP of them. If there are very many, only the download lists them."]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<OutputFile>,
    #[doc = "How far a running job is that makes many files, such as a mail merge."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<Progress>,
    #[doc = "What the last tool reports about its work. Each tool describes its own."]
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub report: serde_json::Map<String, serde_json::Value>,
    #[doc = "When a worker first started the job."]
    #[serde(rename = "startedAt", skip_serializing_if = "Option::is_none")]
    pub started_at: Option<jiff::Timestamp>,
    #[doc = "More may be added: treat an unknown status as not ended."]
    pub status: super::JobStatus,
    #[doc = "The tools that ran, in order."]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<CompletedStep>,
    #[doc = "Whether the job was free and its result is marked TEST."]
    #[serde(rename = "testMode")]
    pub test_mode: bool,
    #[doc = "The further steps of the request without secrets, shortened like `input`."]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub then: Vec<RequestedStep>,
    #[doc = "Durations in milliseconds."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timings: Option<Timings>,
    #[doc = "The tool that runs the job."]
    #[serde(rename = "toolSlug")]
    pub tool_slug: String,
    #[doc = "Grows with each change of `status` or `attempts`. Of two responses or events about a job, the one with the higher version is newer."]
    pub version: u64,
    #[doc = "The unfinished jobs whose results this job needs. It starts when all of them have completed."]
    #[serde(rename = "waitingFor", default, skip_serializing_if = "Vec::is_empty")]
    pub waiting_for: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    #[doc = "The webhook that the request named. Its deliveries are listed under `id`."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhook: Option<JobWebhook>,
}
#[doc = "`JobCredits`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct JobCredits {
    pub charged: u64,
    #[doc = "All credits of a failed or canceled job, unless its whole result was sent to `output.putUrl` or the account used up its daily budget for failures."]
    pub refunded: u64,
}
#[doc = "Why a job failed."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct JobError {
    #[doc = "Why the job failed."]
    pub code: super::JobErrorCode,
    #[doc = "The mistakes in a template (`template_error`), 20 at most."]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<TemplateMistake>,
    #[doc = "What to do."]
    pub message: String,
    #[doc = "Whether the same request may succeed later."]
    pub retryable: bool,
}
#[doc = "How the result is named, kept and delivered."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct JobOutput {
    #[doc = "Name of the resulting file."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
    #[doc = "Fails the job instead of rewriting a signed document. By default: false."]
    #[serde(rename = "keepSignatures", skip_serializing_if = "Option::is_none")]
    pub keep_signatures: Option<bool>,
    #[doc = "Headers to send with the `PUT`. Never logged, never shown."]
    #[serde(rename = "putHeaders", default, skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub put_headers: std::collections::BTreeMap<String, String>,
    #[doc = "URL to which the result is also sent with `PUT`, such as a presigned URL of your own storage. If three tries fail, the job fails."]
    #[serde(rename = "putUrl", skip_serializing_if = "Option::is_none")]
    pub put_url: Option<super::Secret>,
    #[doc = "How long the result is kept after completion, in seconds. By default: 86400."]
    #[serde(rename = "retentionSeconds", skip_serializing_if = "Option::is_none")]
    pub retention_seconds: Option<u64>,
}
#[doc = "`JobResponse`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct JobResponse {
    pub job: Job,
    pub ok: bool,
    #[doc = "The header `x-request-id`."]
    #[serde(rename = "requestId")]
    pub request_id: String,
}
#[doc = "The webhook that the request named. Its deliveries are listed under `id`."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct JobWebhook {
    pub id: String,
    pub url: String,
}
#[doc = "Where this job's events are sent, besides your webhook endpoints."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct JobWebhookRequest {
    #[doc = "Signs the requests (`v1`): `whsec_` and the base64 of 24 to 64 random bytes. Never logged, never shown. Without it, they only have the service's signature (`v1a`)."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<super::Secret>,
    #[doc = "Where events are sent: https, without user name and password."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}
#[doc = "`JobsResponse`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct JobsResponse {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<Job>,
    #[doc = "Where the next page begins; absent on the last one."]
    #[serde(rename = "nextCursor", skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    pub ok: bool,
    #[doc = "The header `x-request-id`."]
    #[serde(rename = "requestId")]
    pub request_id: String,
}
#[doc = "`MarkdownToPdfOptions`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct MarkdownToPdfOptions {
    #[doc = "Makes the PDF accessible from the document's structure. If it passes the check, it says that it is PDF/UA-1. By default: false."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accessible: Option<bool>,
    #[doc = "Your own style sheet, applied after that of the theme."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub css: Option<String>,
    #[doc = "Name of the resulting PDF."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
    #[doc = "Footer of each page, like `headerHtml`."]
    #[serde(rename = "footerHtml", skip_serializing_if = "Option::is_none")]
    pub footer_html: Option<String>,
    #[doc = "Header of each page; elements of class pageNumber, totalPages, title, date, url are filled in."]
    #[serde(rename = "headerHtml", skip_serializing_if = "Option::is_none")]
    pub header_html: Option<String>,
    #[doc = "Page height, instead of `pageSize`, together with `width`."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<serde_json::Value>,
    #[doc = "Turns pages to landscape. By default: false."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub landscape: Option<bool>,
    #[doc = "Bottom margin: CSS pixels, or with a unit (mm, cm, in, px, pt). By default: \"20mm\"."]
    #[serde(rename = "marginBottom", skip_serializing_if = "Option::is_none")]
    pub margin_bottom: Option<serde_json::Value>,
    #[doc = "Left margin: CSS pixels, or with a unit (mm, cm, in, px, pt). By default: \"20mm\"."]
    #[serde(rename = "marginLeft", skip_serializing_if = "Option::is_none")]
    pub margin_left: Option<serde_json::Value>,
    #[doc = "Right margin: CSS pixels, or with a unit (mm, cm, in, px, pt). By default: \"20mm\"."]
    #[serde(rename = "marginRight", skip_serializing_if = "Option::is_none")]
    pub margin_right: Option<serde_json::Value>,
    #[doc = "Top margin: CSS pixels, or with a unit (mm, cm, in, px, pt). By default: \"20mm\"."]
    #[serde(rename = "marginTop", skip_serializing_if = "Option::is_none")]
    pub margin_top: Option<serde_json::Value>,
    #[doc = "Writes headings as PDF bookmarks; needs `tagged`. By default: true."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outline: Option<bool>,
    #[doc = "Pages to keep, such as `1-3,8,z`, in any order; `z` is the last page, `r2` the one before it."]
    #[serde(rename = "pageRange", skip_serializing_if = "Option::is_none")]
    pub page_range: Option<String>,
    #[doc = "Page size. `width` and `height` together replace it. By default: \"A4\"."]
    #[serde(rename = "pageSize", skip_serializing_if = "Option::is_none")]
    pub page_size: Option<super::MarkdownToPdfOptionsPageSize>,
    #[doc = "Prints background colors and pictures. By default: true."]
    #[serde(rename = "printBackground", skip_serializing_if = "Option::is_none")]
    pub print_background: Option<bool>,
    #[doc = "Scale of the rendering. By default: 1."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    #[doc = "Writes the structure that assistive technology reads. By default: true."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tagged: Option<bool>,
    #[doc = "`document`: a report with serifs, title, author and date; `github`: as on GitHub; `letter`: sender (`from`), recipient (`to`), date and subject of the front matter come first. By default: \"document\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theme: Option<super::MarkdownToPdfOptionsTheme>,
    #[doc = "Writes a table of contents with links to the headings of the first three levels. By default: false."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub toc: Option<bool>,
    #[doc = "Page width, instead of `pageSize`, together with `height`."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<serde_json::Value>,
}
#[doc = "`MergePdfOptions`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct MergePdfOptions {
    #[doc = "`odd`: each source starts on a right-hand page; an empty page is added before it where needed, for printing on both sides. By default: \"none\"."]
    #[serde(rename = "blankPages", skip_serializing_if = "Option::is_none")]
    pub blank_pages: Option<super::MergePdfOptionsBlankPages>,
    #[doc = "`keep`: all bookmarks; those of a source with a `title` are nested under one of that title. `titles`: one for each source, named after its `title`, the document's own title or its file name. `names`: the same without the document's own title, which documents of one template share. `none`: no bookmarks. By default: \"keep\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bookmarks: Option<super::MergePdfOptionsBookmarks>,
    #[doc = "`keep`: each page keeps its size. `first`: every page is scaled to the size of the first one. A paper size: every page is scaled to it. Landscape pages stay landscape, and nothing is distorted. By default: \"keep\"."]
    #[serde(rename = "pageSize", skip_serializing_if = "Option::is_none")]
    pub page_size: Option<super::MergePdfOptionsPageSize>,
}
#[doc = "`OcrPdfOptions`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct OcrPdfOptions {
    #[doc = "Straightens pages that were scanned at an angle of up to 7 degrees. Pictures keep their quality: the page turns as a whole. By default: false."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deskew: Option<bool>,
    #[doc = "The resolution at which pages are recognized, in dots per inch. If left out, it is that of the scan, from 150 to 300, and 300 for pages that are not scans."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dpi: Option<u64>,
    #[doc = "Languages of the text, by their ISO 639-2 codes, the main one first; `chi_sim` and `chi_tra` are simplified and traditional Chinese. Name only those that occur: each takes time, and too many lead to mistakes. By default: [\"eng\"]."]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<super::Language>,
    #[doc = "What happens to pages that have text. `skipText`: they stay as they are. `redo`: they lose the invisible text of an earlier OCR, and are recognized again, except for visible text. `force`: a picture takes the place of the page and is recognized, for text that can't be copied correctly. By default: \"skipText\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<super::OcrPdfOptionsMode>,
    #[doc = "Turns pages upright that were scanned sideways or upside down, if they have enough text to tell. By default: false."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rotate: Option<bool>,
}
#[doc = "`OfficeToPdfOptions`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct OfficeToPdfOptions {
    #[doc = "Makes the PDF accessible from the document's structure. If it passes the check, it says that it is PDF/UA-1. By default: false."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accessible: Option<bool>,
    #[doc = "Writes headings as PDF bookmarks; on by default with `best_output`."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bookmarks: Option<bool>,
    #[doc = "`default` is fast and small; `best_output` is tagged, keeps images lossless, and writes bookmarks. By default: \"default\"."]
    #[serde(rename = "conversionProviderMode", skip_serializing_if = "Option::is_none")]
    pub conversion_provider_mode: Option<super::OfficeToPdfOptionsConversionProviderMode>,
    #[doc = "Name of the resulting PDF."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
    #[doc = "The JPEG quality of photographs that are scaled down, that are of a much higher quality, or that are no JPEGs. If left out, `best_output` keeps pictures unchanged. By default: 90."]
    #[serde(rename = "imageQuality", skip_serializing_if = "Option::is_none")]
    pub image_quality: Option<u64>,
    #[doc = "Adds speaker notes (presentations) or comments in the margin (text documents). By default: false."]
    #[serde(rename = "includeNotes", skip_serializing_if = "Option::is_none")]
    pub include_notes: Option<bool>,
    #[doc = "Turns every page to landscape (true) or portrait (false). If left out, the document decides."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub landscape: Option<bool>,
    #[doc = "Pictures above this resolution are scaled down if that makes them smaller. By default: 300."]
    #[serde(rename = "maxImageDpi", skip_serializing_if = "Option::is_none")]
    pub max_image_dpi: Option<u64>,
    #[doc = "Pages to keep, such as `1-3,8,z`, in any order; `z` is the last page, `r2` the one before it."]
    #[serde(rename = "pageRange", skip_serializing_if = "Option::is_none")]
    pub page_range: Option<String>,
    #[doc = "Password of an encrypted source. It is deleted with the job's request and never shown."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password: Option<super::Secret>,
    #[doc = "The version or standard of the PDF: 1.7, PDF/A-1b, 2b or 3b for archives, or PDF/UA for accessibility. By default: \"1.7\"."]
    #[serde(rename = "pdfVersion", skip_serializing_if = "Option::is_none")]
    pub pdf_version: Option<super::OfficeToPdfOptionsPdfVersion>,
    #[doc = "Prints each sheet on one page of its own size. By default: false."]
    #[serde(rename = "singlePageSheets", skip_serializing_if = "Option::is_none")]
    pub single_page_sheets: Option<bool>,
    #[doc = "How to print tracked changes of a text document: `accepted`, or `shown` as changes. By default: \"accepted\"."]
    #[serde(rename = "trackedChanges", skip_serializing_if = "Option::is_none")]
    pub tracked_changes: Option<super::OfficeToPdfOptionsTrackedChanges>,
}
#[doc = "`OrganizePdfOptions`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct OrganizePdfOptions {
    #[doc = "Puts two pages on each side of a sheet, in the order for a booklet that is printed on both sides and folded in the middle. Not together with `nUp`. By default: false."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub booklet: Option<bool>,
    #[doc = "How much to cut off each edge, in points (1/72 inch), as a viewer shows the page. The cut-off area is hidden, not removed from the file."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crop: Option<OrganizePdfOptionsCrop>,
    #[doc = "How many pages to put on each sheet, in reading order. Links, bookmarks and tags lead to the sheet."]
    #[serde(rename = "nUp", skip_serializing_if = "Option::is_none")]
    pub n_up: Option<u64>,
    #[doc = "The pages of the result, in order: leave pages out to delete them, or repeat them. Pages and ranges, such as `1-3,8,z-6`; `z` is the last page, `r2` the one before it, and a range may run backwards. All by default."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages: Option<String>,
    #[doc = "Pages to turn. Several entries for the same page add up."]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rotate: Vec<OrganizePdfOptionsRotateItem>,
}
#[doc = "How much to cut off each edge, in points (1/72 inch), as a viewer shows the page. The cut-off area is hidden, not removed from the file."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct OrganizePdfOptionsCrop {
    #[doc = "Points to cut off the bottom edge. By default: 0."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bottom: Option<f64>,
    #[doc = "Points to cut off the left edge. By default: 0."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<f64>,
    #[doc = "Which pages of the result to crop, as in the option `pages`. All by default."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages: Option<String>,
    #[doc = "Points to cut off the right edge. By default: 0."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub right: Option<f64>,
    #[doc = "Points to cut off the top edge. By default: 0."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top: Option<f64>,
}
#[doc = "`OrganizePdfOptionsRotateItem`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct OrganizePdfOptionsRotateItem {
    #[doc = "How far to turn them, clockwise."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub degrees: Option<u64>,
    #[doc = "Which pages of the result to turn, as in the option `pages`. All by default."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages: Option<String>,
}
#[doc = "The result of a completed job."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct Output {
    pub bytes: u64,
    #[serde(rename = "contentType")]
    pub content_type: String,
    #[doc = "Absent once the job is deleted."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
    pub format: String,
    #[doc = "Of a picture, in pixels."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<u64>,
    #[doc = "Pages of a document. Absent for other files."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages: Option<u64>,
    #[doc = "Lower-case hexadecimal. Absent once the job is deleted."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    #[doc = "Of a picture, in pixels."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u64>,
}
#[doc = "One file of a result."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct OutputFile {
    pub bytes: u64,
    #[serde(rename = "contentType")]
    pub content_type: String,
    #[doc = "Absent once the job is deleted."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
    pub format: String,
    #[doc = "Of a picture, in pixels."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<u64>,
    #[doc = "The file's number, for `?output=` of the download."]
    pub index: u64,
    #[doc = "Pages of a document. Absent for other files."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages: Option<u64>,
    #[doc = "Lower-case hexadecimal. Absent once the job is deleted."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    #[doc = "Of a picture, in pixels."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u64>,
}
#[doc = "`PdfToImagesOptions`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct PdfToImagesOptions {
    #[doc = "The color behind the page, as `#rrggbb`, or `transparent`, which JPEG shows as white. By default: \"#ffffff\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub background: Option<String>,
    #[doc = "Resolution in dots per inch. Ignored if `width` or `height` is given. By default: 150."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dpi: Option<u64>,
    #[doc = "The format of the images. PNG is exact; JPEG and WebP are smaller. By default: \"png\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<super::PdfToImagesOptionsFormat>,
    #[doc = "Uses only shades of gray. By default: false."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grayscale: Option<bool>,
    #[doc = "Maximum height in pixels. Pages keep their proportions; with `width`, they fit into both."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<u64>,
    #[doc = "Pages to take, such as `1-3,8,z`: `z` is the last page, `r2` the one before it. All by default, and each once."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages: Option<String>,
    #[doc = "Quality of JPEG and WebP images. PNG ignores it. By default: 85."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quality: Option<u64>,
    #[doc = "Maximum width in pixels. Pages keep their proportions; with `height`, they fit into both."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u64>,
}
#[doc = "`PdfToOfficeOptions`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct PdfToOfficeOptions {
    #[doc = "`docx`: a Word document. `xlsx`: a workbook of the tables; the job fails if there are none. `pptx`: a slide for each page. By default: \"docx\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<super::PdfToOfficeOptionsFormat>,
    #[doc = "Languages that `ocr` recognizes, by their ISO 639-2 codes, the main one first. By default: [\"eng\"]."]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<super::Language>,
    #[doc = "`flow`: text to edit, with styles, lists, tables and notes. `exact`, only for `docx`: pages as they look, in boxes. By default: \"flow\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layout: Option<super::PdfToOfficeOptionsLayout>,
    #[doc = "Whether text is recognized in pictures of pages (OCR). `auto`: on pages that have no text, and in large pictures; `always`: on all pages. By default: \"auto\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ocr: Option<super::PdfToOfficeOptionsOcr>,
    #[doc = "Pages to take, such as `1-3,8,z`: numbers from 1, ranges, `z` for the last page. All pages if left out."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages: Option<String>,
}
#[doc = "`PdfToPdfaOptions`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct PdfToPdfaOptions {
    #[doc = "The level of PDF/A. `1b` allows no transparency and no layers, `2b` both, and `3b` attached files too. By default: \"2b\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<super::PdfToPdfaOptionsLevel>,
    #[doc = "If the document can't become PDF/A, such as one with a font that is neither embedded nor available. `fail`: the job fails, and its error lists the clauses of the standard. `warn`: the result is as close as possible, does not claim to be PDF/A, and the report lists the clauses. By default: \"fail\"."]
    #[serde(rename = "onUnsupported", skip_serializing_if = "Option::is_none")]
    pub on_unsupported: Option<super::PdfToPdfaOptionsOnUnsupported>,
}
#[doc = "`PdfToTextOptions`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct PdfToTextOptions {
    #[doc = "`text`: plain text in reading order, with a form feed between pages. `markdown`: headings, lists, tables, links and emphasis. `json`: blocks, lines, table cells and words with their boxes (left, top, right and bottom in points from the page's upper left corner), and the words' fonts. A table over several pages is one, with further boxes in `continued`. `html`: the structure as a plain page. By default: \"text\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<super::PdfToTextOptionsFormat>,
    #[doc = "Lines in the margins that repeat on several pages, or are a page's number or an imprint. `drop` leaves them out of `markdown`, with a warning, and marks them as asides in `json` and `html`. `keep` treats them as text. The format `text` always has them. By default: \"drop\"."]
    #[serde(rename = "headersFooters", skip_serializing_if = "Option::is_none")]
    pub headers_footers: Option<super::PdfToTextOptionsHeadersFooters>,
    #[doc = "Languages that `ocr` recognizes, by their ISO 639-2 codes, the main one first. By default: [\"eng\"]."]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<super::Language>,
    #[doc = "Uses spaces to keep words at their positions on the page. Only for the format `text`. By default: false."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layout: Option<bool>,
    #[doc = "Whether text is recognized in pictures of pages (OCR), which takes seconds for each page. `auto`: on pages that have no text; `always`: on all pages, instead of their text. By default: \"never\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ocr: Option<super::PdfToTextOptionsOcr>,
    #[doc = "Pages to take, such as `1-3,8,z`: `z` is the last page, `r2` the one before it. All by default, and each once."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages: Option<String>,
}
#[doc = "How far a running job is that makes many files, such as a mail merge."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct Progress {
    #[doc = "The files that it has made."]
    pub done: u64,
    #[doc = "The step that runs, counted from 1 in the order of `steps`."]
    pub step: u64,
    #[doc = "The files that it is to make."]
    pub total: u64,
}
#[doc = "`ProtectPdfOptions`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct ProtectPdfOptions {
    #[doc = "The password that lifts the restrictions of `permissions`. Required if anything is not permitted, and must differ from `userPassword`."]
    #[serde(rename = "ownerPassword", skip_serializing_if = "Option::is_none")]
    pub owner_password: Option<super::Secret>,
    #[doc = "What a reader without the owner's password may do. PDF programs are expected to obey this; the encryption does not enforce it."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permissions: Option<ProtectPdfOptionsPermissions>,
    #[doc = "The password that opens the document. Without it, anyone can open the document, and only `permissions` apply."]
    #[serde(rename = "userPassword", skip_serializing_if = "Option::is_none")]
    pub user_password: Option<super::Secret>,
}
#[doc = "What a reader without the owner's password may do. PDF programs are expected to obey this; the encryption does not enforce it."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct ProtectPdfOptionsPermissions {
    #[doc = "Adding and changing comments. By default: true."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotate: Option<bool>,
    #[doc = "Inserting, deleting and turning pages. By default: true."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assemble: Option<bool>,
    #[doc = "Copying text and pictures. Screen readers are always allowed to. By default: true."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copy: Option<bool>,
    #[doc = "Filling in form fields. By default: true."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forms: Option<bool>,
    #[doc = "Changing the content. By default: true."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modify: Option<bool>,
    #[doc = "Printing. By default: true."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub print: Option<bool>,
}
#[doc = "`RateLimit`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct RateLimit {
    #[doc = "Requests per window."]
    pub limit: u64,
    #[serde(rename = "windowSeconds")]
    pub window_seconds: u64,
}
#[doc = "`ReadInvoiceOptions`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct ReadInvoiceOptions {
    #[doc = "`json`: all terms of EN 16931, the same for each syntax. `html`, `pdf`: a page for people. By default: \"json\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<super::ReadInvoiceOptionsFormat>,
    #[doc = "Language of the page. By default: \"en\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<super::ReadInvoiceOptionsLanguage>,
}
#[doc = "`Receipt`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct Receipt {
    pub signature: ReceiptSignature,
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub statement: serde_json::Map<String, serde_json::Value>,
}
#[doc = "`ReceiptResponse`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct ReceiptResponse {
    pub ok: bool,
    pub receipt: Receipt,
    #[doc = "As `x-request-id`."]
    #[serde(rename = "requestId")]
    pub request_id: String,
}
#[doc = "`ReceiptSignature`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct ReceiptSignature {
    pub algorithm: String,
    #[serde(rename = "keyId")]
    pub key_id: String,
    pub value: String,
}
#[doc = "`RedactPdfOptions`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct RedactPdfOptions {
    #[doc = "Color of the boxes that take the place of what was removed, as `#rrggbb`. By default: \"#000000\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    #[doc = "Text in the boxes, such as `Redacted`. None by default."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    #[doc = "Languages of the text, for the OCR that checks the result and finds text in pictures. Codes as in `ocr-pdf`. By default: [\"eng\"]."]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<super::Language>,
    #[doc = "Removes all metadata: title, author, dates, XMP. If `false`, only entries that mention what is redacted change. Attachments, scripts, hidden layers and annotations, previews and the metadata of pictures are always removed. By default: true."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<bool>,
    #[doc = "If nothing is found to redact, such as a misspelled name: `warn` makes a result like the source, with the warning `nothing_redacted`; `fail` fails the job. By default: \"warn\"."]
    #[serde(rename = "nothingFound", skip_serializing_if = "Option::is_none")]
    pub nothing_found: Option<super::RedactPdfOptionsNothingFound>,
    #[doc = "Areas to remove: all text, drawings, parts of pictures, links, comments and fields in them. An annotation or field that is partly in an area is removed as a whole. Send `regions`, `text` or both."]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub regions: Vec<RedactPdfOptionsRegion>,
    #[doc = "Text to remove wherever it occurs: on pages, in pictures that OCR can read, in bookmarks, fields, comments, links and descriptions. Ligatures, hyphenation, letter-spacing and kinds of dashes and quotes make no difference. A string stands for an object with only `literal`."]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub text: Vec<serde_json::Value>,
}
#[doc = "`RedactPdfOptionsRegion`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct RedactPdfOptionsRegion {
    #[doc = "Left, top, right and bottom in points (1/72 inch), from the top left corner of the page as a viewer shows it. `pdf-to-text` with format `json` gives the boxes of words in the same units."]
    #[serde(rename = "box", default, skip_serializing_if = "Vec::is_empty")]
    pub box_: Vec<f64>,
    #[doc = "The page, counted from 1."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<u64>,
}
#[doc = "`RefusedItem`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct RefusedItem {
    pub error: RefusedItemError,
    #[doc = "The place of the item in the batch, from 0."]
    pub index: u64,
}
#[doc = "`RefusedItemError`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct RefusedItemError {
    #[doc = "The code that a request for this job would get."]
    pub code: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<RefusedItemErrorDetail>,
    pub message: String,
}
#[doc = "`RefusedItemErrorDetail`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct RefusedItemErrorDetail {
    pub message: String,
    pub path: String,
}
#[doc = "`RenderTemplateOptions`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct RenderTemplateOptions {
    #[doc = "The data to fill in: names with values, lists and objects of any depth. Or a list of up to 1,000 such objects, with `merge`: there is a document for each. It can only be left out with `validateOnly`. It is deleted with the job's request, never logged and never shown."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<serde_json::Value>,
    #[doc = "What begins and ends a tag, such as `[[` and `]]`: one to four signs each. `{` and `}` by default."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delimiters: Option<RenderTemplateOptionsDelimiters>,
    #[doc = "With `merge`: the name of each file, or its bookmark, with tags such as `{invoice.number}.pdf`. Equal names get a number, and what file systems don't take becomes `_`. The extension is that of the result. Without it, files are numbered."]
    #[serde(rename = "filenamePattern", skip_serializing_if = "Option::is_none")]
    pub filename_pattern: Option<String>,
    #[doc = "How numbers, amounts and dates are written: a language with an optional region, such as `de-AT`. By default: \"en-US\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locale: Option<String>,
    #[doc = "What a list in `data` becomes. `one`: one PDF of all documents after one another, with a bookmark for each. `files`: a file for each, in a ZIP; further steps that take one file run for each of them."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merge: Option<super::RenderTemplateOptionsMerge>,
    #[doc = "For a tag whose name is not in the data. `error`: the job fails, and `error.details` lists the tags. `empty`: it writes nothing, and a warning names it. `keep`: the tag stays in the result. By default: \"error\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<super::RenderTemplateOptionsMissing>,
    #[doc = "The time zone for dates and times, such as `Europe/Vienna`. By default: \"UTC\"."]
    #[serde(rename = "timeZone", skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
    #[doc = "Computes contents, page numbers, references and dates of a docx from its pages, so that Word need not ask. By default: false."]
    #[serde(rename = "updateFields", skip_serializing_if = "Option::is_none")]
    pub update_fields: Option<bool>,
    #[doc = "Checks the template instead of filling it. The result is JSON with `mistakes`, the `schema` of the data that the template expects (JSON Schema), and an `example`. With `data`, it also checks whether the data fits. By default: false."]
    #[serde(rename = "validateOnly", skip_serializing_if = "Option::is_none")]
    pub validate_only: Option<bool>,
}
#[doc = "What begins and ends a tag, such as `[[` and `]]`: one to four signs each. `{` and `}` by default."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct RenderTemplateOptionsDelimiters {
    #[doc = "What ends a tag."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub close: Option<String>,
    #[doc = "What begins a tag."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open: Option<String>,
}
#[doc = "One of `eventId`, `failed` and `since`."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct ReplayRequest {
    #[doc = "With `since`: only events after this one, the `nextCursor` of the request before."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    #[doc = "Send this event again."]
    #[serde(rename = "eventId", skip_serializing_if = "Option::is_none")]
    pub event_id: Option<String>,
    #[doc = "Send all events again whose delivery failed or was dropped."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<bool>,
    #[doc = "Send all events since this time again."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<jiff::Timestamp>,
}
#[doc = "`ReplayResponse`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct ReplayResponse {
    #[doc = "Whether there are more: repeat the request, with `since` also with `after`."]
    #[serde(rename = "hasMore")]
    pub has_more: bool,
    #[serde(rename = "nextCursor", skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    pub ok: bool,
    #[doc = "How many events are sent again."]
    pub replayed: u64,
    #[doc = "The header `x-request-id`."]
    #[serde(rename = "requestId")]
    pub request_id: String,
}
#[doc = "`RequestedStep`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct RequestedStep {
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub options: serde_json::Map<String, serde_json::Value>,
    #[serde(rename = "toolSlug")]
    pub tool_slug: String,
}
#[doc = "`RotationRequest`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct RotationRequest {
    #[doc = "For how many hours the replaced secret signs too. By default: 24."]
    #[serde(rename = "overlapHours", skip_serializing_if = "Option::is_none")]
    pub overlap_hours: Option<u64>,
}
#[doc = "`SignPdfOptions`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct SignPdfOptions {
    #[doc = "What is seen. Needs a `box`, unless `field` has one."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub appearance: Option<SignPdfOptionsAppearance>,
    #[doc = "Certifies, as the first signature, that nothing may change but this; `annotations` allows forms too. By default: \"none\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certify: Option<super::SignPdfOptionsCertify>,
    #[doc = "Of the signer."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact: Option<String>,
    #[doc = "An empty signature field, or a new one's name."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    #[doc = "The key that signs: kept as passwords are."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<SignPdfOptionsKey>,
    #[doc = "Of PAdES. `B-T` has a time stamp, or fails; `B-LT` also proof that no certificate was revoked. By default: \"B-B\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<super::SignPdfOptionsLevel>,
    #[doc = "Where."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    #[doc = "Why."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[doc = "An RFC 3161 authority. With `B-B`, a missing time stamp is a warning."]
    #[serde(rename = "timestampUrl", skip_serializing_if = "Option::is_none")]
    pub timestamp_url: Option<String>,
}
#[doc = "What is seen. Needs a `box`, unless `field` has one."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct SignPdfOptionsAppearance {
    #[doc = "Left, top, right and bottom in points, from the shown page's top left corner."]
    #[serde(rename = "box", default, skip_serializing_if = "Vec::is_empty")]
    pub box_: Vec<f64>,
    #[doc = "Of a new field. By default: 1."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<u64>,
    #[doc = "The text of a QR code."]
    #[serde(rename = "qrCode", skip_serializing_if = "Option::is_none")]
    pub qr_code: Option<String>,
    #[doc = "A picture: 1 comes after the PDF."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<u64>,
    #[doc = "Lines. `{date}` is the date (UTC)."]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub text: Vec<String>,
}
#[doc = "The key that signs: kept as passwords are."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct SignPdfOptionsKey {
    #[doc = "A key in AWS KMS."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kms: Option<SignPdfOptionsKeyKms>,
    #[doc = "Opens that file. By default: \"\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password: Option<super::Secret>,
    #[doc = "A PKCS#12 file in base64: RSA, P-256, P-384 or P-521."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pkcs12: Option<String>,
}
#[doc = "A key in AWS KMS."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct SignPdfOptionsKeyKms {
    #[doc = "In PEM: the key's, then its authorities'."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificates: Option<String>,
    #[doc = "Of the key, or its alias."]
    #[serde(rename = "keyArn", skip_serializing_if = "Option::is_none")]
    pub key_arn: Option<String>,
    #[doc = "Of RSA keys. By default: \"pkcs1\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub padding: Option<super::SignPdfOptionsKeyKmsPadding>,
    #[doc = "Your role that may sign. Without it, the key must be the service's."]
    #[serde(rename = "roleArn", skip_serializing_if = "Option::is_none")]
    pub role_arn: Option<String>,
}
#[doc = "`SplitPdfOptions`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct SplitPdfOptions {
    #[doc = "For mode `every`: pages in each file. By default: 1."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub every: Option<u64>,
    #[doc = "Names of the files, without `.pdf`. `{name}` is the source's file name, `{n}` the number of the file, `{title}` the bookmark that it starts with (mode `bookmarks`). By default: \"{name}-{n}\"."]
    #[serde(rename = "filenamePattern", skip_serializing_if = "Option::is_none")]
    pub filename_pattern: Option<String>,
    #[doc = "For mode `bookmarks`: the deepest level of bookmarks that starts a file. 1 is the top level. By default: 1."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<u64>,
    #[doc = "For mode `size`: the maximum size of a file in MiB. A single page that is larger gets its own file, with the warning `part_too_large`. By default: 10."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mebibytes: Option<f64>,
    #[doc = "By default, the mode of the option that is given: `ranges`, `level` or `mebibytes`. `ranges`: a file for each entry. `every`: files of so many pages. `bookmarks`: a new file at each page that a bookmark leads to, down to `level`. `blank`: a new file after each blank page, which is left out. `size`: as many pages in each file as fit into `mebibytes`. By default: \"every\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<super::SplitPdfOptionsMode>,
    #[doc = "For mode `ranges`: the pages of each file, such as `[\"1-3\", \"7\", \"9-z\"]`. Pages may be in several files, or in none."]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranges: Vec<String>,
}
#[doc = "`TagPdfOptions`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct TagPdfOptions {
    #[doc = "What figures show. A figure without a text gets its caption."]
    #[serde(rename = "alternativeTexts", default, skip_serializing_if = "Vec::is_empty")]
    pub alternative_texts: Vec<TagPdfOptionsAlternativeText>,
    #[doc = "What becomes of tags that the PDF has. `repair` keeps them, and adds what PDF/UA asks for. By default: \"keep\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub existing: Option<super::TagPdfOptionsExisting>,
    #[doc = "Headings as you know better: the page's first block that begins with `text` gets this level. 0: it is no heading."]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headings: Vec<TagPdfOptionsHeading>,
    #[doc = "BCP 47. If left out: the PDF's own, or what is detected."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    #[doc = "Languages of the text, by their ISO 639-2 codes, the main one first; `chi_sim` and `chi_tra` are simplified and traditional Chinese. Name only those that occur: each takes time, and too many lead to mistakes. By default: [\"eng\"]."]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<super::Language>,
    #[doc = "`auto`: pages without text get some (OCR). By default: \"auto\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ocr: Option<super::TagPdfOptionsOcr>,
    #[doc = "PDF/UA-1, or PDF/UA-2 in PDF 2.0. The result says so only if it passes. By default: \"pdfua1\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standard: Option<super::TagPdfOptionsStandard>,
    #[doc = "JSON of `extract-document`, corrected by you: its blocks become the tags, instead of what is found. Text in none becomes decoration."]
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub structure: serde_json::Map<String, serde_json::Value>,
    #[doc = "If left out: the PDF's own, or else its first heading."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}
#[doc = "`TagPdfOptionsAlternativeText`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct TagPdfOptionsAlternativeText {
    #[doc = "In points, around the figure's middle."]
    #[serde(rename = "box", default, skip_serializing_if = "Vec::is_empty")]
    pub box_: Vec<f64>,
    #[doc = "The page, counted from 1."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}
#[doc = "`TagPdfOptionsHeading`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct TagPdfOptionsHeading {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}
#[doc = "A stored template, with one of its versions."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct Template {
    pub bytes: u64,
    #[serde(rename = "createdAt")]
    pub created_at: jiff::Timestamp,
    #[doc = "What begins and ends a tag in this template, if not `{` and `}`. Jobs that fill it need not say so again."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delimiters: Option<TemplateDelimiters>,
    #[doc = "An example of such data. Lists leave it out."]
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub example: serde_json::Map<String, serde_json::Value>,
    pub format: super::TemplateFormat,
    pub name: String,
    #[doc = "The data that this version expects, as a JSON Schema. Lists leave it out."]
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub schema: serde_json::Map<String, serde_json::Value>,
    #[doc = "From 1. No number is given twice."]
    pub version: u64,
    #[doc = "All versions, the oldest first."]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub versions: Vec<TemplateVersion>,
}
#[doc = "What begins and ends a tag in this template, if not `{` and `}`. Jobs that fill it need not say so again."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct TemplateDelimiters {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub close: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open: Option<String>,
}
#[doc = "A mistake in a template, or a tag that the data does not fit."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct TemplateMistake {
    #[doc = "What is wrong, for people."]
    pub message: String,
    #[doc = "Where a tag is."]
    pub place: TemplatePlace,
    #[doc = "What is wrong. More may be added."]
    pub reason: super::TemplateMistakeReason,
    #[doc = "The known name that is probably meant."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
    #[doc = "The tag, with its delimiters."]
    pub tag: String,
}
#[doc = "Where a tag is."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct TemplatePlace {
    #[doc = "A spreadsheet's cell, such as `B5`."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cell: Option<String>,
    #[doc = "The line of an HTML or Markdown template."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    #[doc = "The page on which the program that saved the template put it, or the slide."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<u64>,
    #[doc = "The part of the file, such as `word/header1.xml`, or `filenamePattern`."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    #[doc = "The entry of the list in `data`, counted from 1, if there is a document for each."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub row: Option<u64>,
    #[doc = "The name of a spreadsheet's sheet."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sheet: Option<String>,
    #[doc = "The text of the paragraph. Lists, events and webhooks leave it out."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}
#[doc = "`TemplateRequest`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct TemplateRequest {
    #[doc = "What begins and ends a tag in this template, if not `{` and `}`. Jobs that fill it need not say so again."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delimiters: Option<TemplateDelimiters>,
    #[doc = "The template's name. If you have a template of this name, the upload becomes its next version."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[doc = "An upload of your account that is complete and less than an hour old."]
    #[serde(rename = "uploadId", skip_serializing_if = "Option::is_none")]
    pub upload_id: Option<String>,
}
#[doc = "`TemplateResponse`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct TemplateResponse {
    pub ok: bool,
    #[doc = "The header `x-request-id`."]
    #[serde(rename = "requestId")]
    pub request_id: String,
    #[doc = "A stored template, with one of its versions."]
    pub template: Template,
}
#[doc = "A version of a stored template."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct TemplateVersion {
    pub bytes: u64,
    #[serde(rename = "createdAt")]
    pub created_at: jiff::Timestamp,
    #[doc = "What begins and ends a tag in this template, if not `{` and `}`. Jobs that fill it need not say so again."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delimiters: Option<TemplateDelimiters>,
    pub format: super::TemplateVersionFormat,
    #[doc = "From 1. No number is given twice."]
    pub version: u64,
}
#[doc = "`TemplatesResponse`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct TemplatesResponse {
    pub ok: bool,
    #[doc = "The header `x-request-id`."]
    #[serde(rename = "requestId")]
    pub request_id: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub templates: Vec<Template>,
}
#[doc = "`ThumbnailOptions`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct ThumbnailOptions {
    #[doc = "`contain`: the whole page fits into width and height. `cover`: the page fills both, and the rest is cut off. By default: \"contain\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fit: Option<super::ThumbnailOptionsFit>,
    #[doc = "The format of the thumbnail. By default: \"png\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<super::ThumbnailOptionsFormat>,
    #[doc = "Height in pixels. By default: 320."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<u64>,
    #[doc = "The page to show, counted from 1. By default: 1."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<u64>,
    #[doc = "Quality of JPEG and WebP. PNG ignores it. By default: 80."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quality: Option<u64>,
    #[doc = "Width in pixels. By default: 320."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u64>,
}
#[doc = "Durations in milliseconds."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct Timings {
    #[serde(rename = "convertMs")]
    pub convert_ms: u64,
    #[serde(rename = "fetchMs")]
    pub fetch_ms: u64,
    #[serde(rename = "queuedMs")]
    pub queued_ms: u64,
    #[serde(rename = "storeMs")]
    pub store_ms: u64,
}
#[doc = "`Tool`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct Tool {
    #[serde(rename = "accessTier")]
    pub access_tier: super::ToolAccessTier,
    pub category: String,
    #[doc = "How many credits a job costs."]
    #[serde(rename = "creditCost")]
    pub credit_cost: u64,
    pub description: String,
    #[doc = "The paths that create jobs for this tool."]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub endpoints: Vec<String>,
    pub name: String,
    #[doc = "Where the tool is listed."]
    #[serde(rename = "pageVisibility")]
    pub page_visibility: ToolPageVisibility,
    pub slug: String,
    #[doc = "In `maintenance`, new jobs are refused with 503."]
    pub state: super::ToolState,
}
#[doc = "Where the tool is listed."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct ToolPageVisibility {
    pub api: bool,
    pub category: bool,
    pub homepage: bool,
    pub navigation: bool,
    pub public: bool,
}
#[doc = "`ToolSchema`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct ToolSchema {
    #[doc = "More may be added."]
    pub metadata: ToolSchemaMetadata,
    #[serde(rename = "outputFormat")]
    pub output_format: ToolSchemaOutputFormat,
    #[doc = "JSON Schema 2020-12 of the job body."]
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub parameters: serde_json::Map<String, serde_json::Value>,
    pub slug: String,
    #[serde(rename = "supportedModes", default, skip_serializing_if = "Vec::is_empty")]
    pub supported_modes: Vec<String>,
    pub version: String,
}
#[doc = "More may be added."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct ToolSchemaMetadata {
    #[doc = "The limits that hold for jobs of the calling key: sizes in bytes, durations in milliseconds. A plan or a key may have lower ones than the service."]
    #[serde(default, skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub limits: std::collections::BTreeMap<String, i64>,
}
#[doc = "`ToolSchemaOutputFormat`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct ToolSchemaOutputFormat {
    #[serde(rename = "contentType")]
    pub content_type: String,
    pub extension: String,
    pub format: String,
}
#[doc = "`ToolSchemaResponse`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct ToolSchemaResponse {
    pub ok: bool,
    #[doc = "The header `x-request-id`."]
    #[serde(rename = "requestId")]
    pub request_id: String,
    pub tool: ToolSchema,
}
#[doc = "`ToolsResponse`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct ToolsResponse {
    pub ok: bool,
    #[doc = "The header `x-request-id`."]
    #[serde(rename = "requestId")]
    pub request_id: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<Tool>,
}
#[doc = "`UnlockPdfOptions`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct UnlockPdfOptions {
    #[doc = "The user's or the owner's password. Not needed if the document only has restrictions. You can also give it as the source's `password`."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password: Option<super::Secret>,
}
#[doc = "`Upload`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct Upload {
    #[doc = "Use the upload before this time."]
    #[serde(rename = "expiresAt")]
    pub expires_at: jiff::Timestamp,
    #[doc = "Send these with the document, exactly as they are: they are part of the signature, and so is the document's length."]
    #[serde(default, skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub headers: std::collections::BTreeMap<String, String>,
    #[doc = "Use it as `uploadId` in jobs."]
    pub id: String,
    pub method: String,
    #[doc = "A signed link. Send the document's bytes there, without a key. Keep it secret."]
    pub url: super::Secret,
    #[doc = "Start the upload before this time."]
    #[serde(rename = "urlExpiresAt")]
    pub url_expires_at: jiff::Timestamp,
}
#[doc = "`UploadRequest`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct UploadRequest {
    #[doc = "The document's exact size: at most the `sourceBytes` of your limits."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    #[doc = "The document's media type. The content decides how it is converted."]
    #[serde(rename = "contentType", skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    #[doc = "The document's name. It tells txt from csv, and names the result."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
    #[doc = "The document's SHA-256 digest in lower-case hexadecimal. If you give it, a damaged upload is refused."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}
#[doc = "`UploadResponse`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct UploadResponse {
    pub ok: bool,
    #[doc = "The header `x-request-id`."]
    #[serde(rename = "requestId")]
    pub request_id: String,
    pub upload: Upload,
}
#[doc = "`Usage`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct Usage {
    #[serde(rename = "byTool", default, skip_serializing_if = "Vec::is_empty")]
    pub by_tool: Vec<UsageOfTool>,
    pub credits: UsageCredits,
    pub jobs: UsageJobs,
    pub period: UsagePeriod,
    pub plan: String,
    #[serde(rename = "rateLimit")]
    pub rate_limit: UsageRateLimit,
    #[doc = "Whether the request used a test key."]
    #[serde(rename = "testMode")]
    pub test_mode: bool,
}
#[doc = "`UsageCredits`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct UsageCredits {
    #[doc = "Credits of the plan, renewed each month. Unused ones do not carry over."]
    pub included: u64,
    #[doc = "Included and granted credits. Granted credits carry over."]
    pub remaining: u64,
    #[doc = "When the included credits are renewed."]
    #[serde(rename = "resetsAt")]
    pub resets_at: jiff::Timestamp,
    pub used: u64,
}
#[doc = "`UsageJobs`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct UsageJobs {
    pub canceled: u64,
    pub completed: u64,
    pub created: u64,
    pub failed: u64,
}
#[doc = "Jobs and credits of some days, by the day of the jobs' creation."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct UsageOfDays {
    pub from: String,
    #[serde(rename = "groupBy")]
    pub group_by: super::UsageOfDaysGroupBy,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<UsageOfDaysRow>,
    pub to: String,
    pub total: UsageOfDaysTotal,
}
#[doc = "One day, tool or key."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct UsageOfDaysRow {
    pub credits: CreditsOfDays,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub day: Option<String>,
    pub jobs: UsageJobs,
    #[serde(rename = "keyId", skip_serializing_if = "Option::is_none")]
    pub key_id: Option<String>,
    #[serde(rename = "toolSlug", skip_serializing_if = "Option::is_none")]
    pub tool_slug: Option<String>,
}
#[doc = "`UsageOfDaysTotal`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct UsageOfDaysTotal {
    pub credits: CreditsOfDays,
    pub jobs: UsageJobs,
}
#[doc = "`UsageOfTool`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct UsageOfTool {
    pub credits: u64,
    pub jobs: u64,
    #[serde(rename = "toolSlug")]
    pub tool_slug: String,
}
#[doc = "`UsagePeriod`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct UsagePeriod {
    #[doc = "Start of the next month."]
    pub end: jiff::Timestamp,
    #[doc = "Start of the month in UTC."]
    pub start: jiff::Timestamp,
}
#[doc = "`UsageRateLimit`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct UsageRateLimit {
    pub create: RateLimit,
    pub read: RateLimit,
}
#[doc = "`UsageResponse`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct UsageResponse {
    pub ok: bool,
    #[doc = "The header `x-request-id`."]
    #[serde(rename = "requestId")]
    pub request_id: String,
    pub usage: serde_json::Value,
}
#[doc = "`ValidateInvoiceOptions`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct ValidateInvoiceOptions {
    #[doc = "`html`, `pdf`: a page for people. By default: \"json\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<super::ValidateInvoiceOptionsFormat>,
    #[doc = "Language of the page. Rules are in that of their makers. By default: \"en\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<super::ValidateInvoiceOptionsLanguage>,
    #[doc = "The rules: those that the invoice names (`auto`), of EN 16931 alone, or of XRechnung too. By default: \"auto\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<super::ValidateInvoiceOptionsProfile>,
}
#[doc = "`VerifySignaturesOptions`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct VerifySignaturesOptions {
    #[doc = "Certificates must not be revoked, by the lists and answers in the file. Nothing is fetched. By default: false."]
    #[serde(rename = "checkRevocation", skip_serializing_if = "Option::is_none")]
    pub check_revocation: Option<bool>,
    #[doc = "The time to check certificates for, such as `2026-11-28T12:00:00Z`; now, unless set. A time stamp of the signature that can be trusted comes first."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    #[doc = "The certificates of authorities that you trust, as PEM. Without them, no signature passes: the result is `INDETERMINATE`, and says whether the document is unchanged."]
    #[serde(rename = "trustedRoots", skip_serializing_if = "Option::is_none")]
    pub trusted_roots: Option<String>,
}
#[doc = "`WaitResponse`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct WaitResponse {
    #[doc = "A link to the result, if the job completed while the request waited."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub download: Option<Download>,
    #[doc = "Links to each file of the result, 1,000 at most."]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub downloads: Vec<Download>,
    pub job: Job,
    pub ok: bool,
    #[doc = "The header `x-request-id`."]
    #[serde(rename = "requestId")]
    pub request_id: String,
}
#[doc = "How the result differs from the source, or an option that had no effect."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct Warning {
    #[doc = "A stable code, such as `unknown_option`, `resource_blocked` or `missing_glyph`. More may be added."]
    pub code: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    pub message: String,
    #[doc = "The pages of the step's PDF that the warning is about, such as `1-3,8`, if they are known."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages: Option<String>,
}
#[doc = "`WatermarkPdfOptions`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct WatermarkPdfOptions {
    #[doc = "Color of the text, as `#rrggbb`. By default: \"#808080\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    #[doc = "Size of the text in points. By default 48, or less if that does not fit on the page."]
    #[serde(rename = "fontSize", skip_serializing_if = "Option::is_none")]
    pub font_size: Option<f64>,
    #[doc = "`under` puts the mark behind the page's content. A page with its own background hides it. By default: \"over\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer: Option<super::WatermarkPdfOptionsLayer>,
    #[doc = "Space between the mark and the edge of the page, in points (1/72 inch). By default: 36."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
    #[doc = "1 hides the content below. By default: 0.3."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opacity: Option<f64>,
    #[doc = "Pages to mark, such as `1-3,8,z-6`; `z` is the last page, `r2` the one before it. All by default."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages: Option<String>,
    #[doc = "Position on the page, as a viewer shows it. `tile` repeats the mark over the whole page. By default: \"center\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<super::WatermarkPdfOptionsPosition>,
    #[doc = "Degrees, counter-clockwise: 45 rises from left to right. By default: 0."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rotation: Option<f64>,
    #[doc = "Several stamps in one step, in the order in which they are drawn: texts with page numbers, dates and Bates numbers, pictures, PDF pages, QR codes and bar codes. Leave out the other options."]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stamps: Vec<WatermarkPdfOptionsStamp>,
    #[doc = "The text, in any script; `\\n` begins a new line. `{page}` is the page's number, `{pages}` the number of pages, `{date}` the day (UTC), such as `2026-11-21`. Leave it out if the second source is a stamp: a picture, or a PDF whose first page is used."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[doc = "Width of the stamp in points. By default its own width, or less if that does not fit on the page; pictures have 96 pixels to the inch."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<f64>,
}
#[doc = "One stamp: `text`, `source` or `barcode`, and how and where it is drawn."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct WatermarkPdfOptionsStamp {
    #[doc = "A QR code or bar code: its `type`, and what it says in `payment` for the type `epc`, in `bill` for `swiss-qr`, and in `value` for all others. It is drawn on white with its quiet zone."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub barcode: Option<WatermarkPdfOptionsStampBarcode>,
    #[doc = "How `{bates}` is written: a number that goes on from page to page, over the pages that this stamp marks."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bates: Option<WatermarkPdfOptionsStampBates>,
    #[doc = "Color of the text or of the code, as `#rrggbb`. By default: \"#000000\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    #[doc = "How `{date}` is written: the time of the conversion."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<WatermarkPdfOptionsStampDate>,
    #[doc = "Size of the text in points. By default: 12."]
    #[serde(rename = "fontSize", skip_serializing_if = "Option::is_none")]
    pub font_size: Option<f64>,
    #[doc = "As the option `layer`. By default: \"over\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer: Option<super::WatermarkPdfOptionsStampLayer>,
    #[doc = "As the option `margin`. By default: 36."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
    #[doc = "1 hides the content below. By default: 1."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opacity: Option<f64>,
    #[doc = "Which pages to mark, as in the option `pages`."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages: Option<String>,
    #[doc = "As the option `position`. By default: \"center\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<super::WatermarkPdfOptionsStampPosition>,
    #[doc = "Degrees, counter-clockwise. By default: 0."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rotation: Option<f64>,
    #[doc = "Number of the source to show, a picture, or a PDF whose first page is used: 1 is the first one after the PDF."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<u64>,
    #[doc = "As the option `text`; `{date}` is the time of the conversion, and `{bates}` a number that goes on."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[doc = "Width of a picture or PDF page, as the option `width`."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<f64>,
}
#[doc = "A QR code or bar code: its `type`, and what it says in `payment` for the type `epc`, in `bill` for `swiss-qr`, and in `value` for all others. It is drawn on white with its quiet zone."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct WatermarkPdfOptionsStampBarcode {
    #[doc = "What a code of the type `swiss-qr` asks to pay. Only Latin letters are allowed."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bill: Option<WatermarkPdfOptionsStampBarcodeBill>,
    #[doc = "What a code of the type `epc` asks to pay. All fields together have room for 331 bytes."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payment: Option<WatermarkPdfOptionsStampBarcodePayment>,
    #[doc = "Empty space around the code in modules, which are as wide as its narrowest bar. By default what the standard of the code asks for."]
    #[serde(rename = "quietZone", skip_serializing_if = "Option::is_none")]
    pub quiet_zone: Option<f64>,
    #[doc = "Width of the code in points, without its quiet zone. By default its usual width, or less if that does not fit on the page; `swiss-qr` has 46 mm."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<f64>,
    #[doc = "The kind of code. `epc` is a SEPA payment as a QR code, `swiss-qr` the code of a Swiss QR-bill."]
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub type_: Option<super::WatermarkPdfOptionsStampBarcodeType>,
    #[doc = "What the code says, with the same fields as `text`: `{page}` gives each page its own code. Numbers of articles (`ean13`, `ean8`, `upc-a`) get their check digit if it is missing; a wrong one fails."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}
#[doc = "What a code of the type `swiss-qr` asks to pay. Only Latin letters are allowed."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct WatermarkPdfOptionsStampBarcodeBill {
    #[doc = "The amount, such as `1949.75`. Without it, the payer enters one."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub amount: Option<serde_json::Value>,
    #[doc = "Information for the payer's software, which begins with `//`."]
    #[serde(rename = "billingInformation", skip_serializing_if = "Option::is_none")]
    pub billing_information: Option<String>,
    #[doc = "Who is paid."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub creditor: Option<WatermarkPdfOptionsStampBarcodeBillCreditor>,
    #[doc = "The currency of the amount. By default: \"CHF\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<super::WatermarkPdfOptionsStampBarcodeBillCurrency>,
    #[doc = "Who pays."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub debtor: Option<WatermarkPdfOptionsStampBarcodeBillDebtor>,
    #[doc = "The account in Switzerland or Liechtenstein, with or without spaces. Its check digits are verified."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iban: Option<String>,
    #[doc = "A text for the payment."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    #[doc = "A QR reference of up to 27 digits for a QR-IBAN, which needs one. For other accounts a creditor reference, such as `RF18539007547034`. Check digits are verified."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
}
#[doc = "Who is paid."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct WatermarkPdfOptionsStampBarcodeBillCreditor {
    #[doc = "The country's two letters, such as `CH`."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
    #[doc = "The number of the house."]
    #[serde(rename = "houseNumber", skip_serializing_if = "Option::is_none")]
    pub house_number: Option<String>,
    #[doc = "Name or company."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[doc = "The postal code, without the country."]
    #[serde(rename = "postalCode", skip_serializing_if = "Option::is_none")]
    pub postal_code: Option<String>,
    #[doc = "The street, without the number of the house."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub street: Option<String>,
    #[doc = "The town, without its postal code."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub town: Option<String>,
}
#[doc = "Who pays."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct WatermarkPdfOptionsStampBarcodeBillDebtor {
    #[doc = "The country's two letters, such as `CH`."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
    #[doc = "The number of the house."]
    #[serde(rename = "houseNumber", skip_serializing_if = "Option::is_none")]
    pub house_number: Option<String>,
    #[doc = "Name or company."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[doc = "The postal code, without the country."]
    #[serde(rename = "postalCode", skip_serializing_if = "Option::is_none")]
    pub postal_code: Option<String>,
    #[doc = "The street, without the number of the house."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub street: Option<String>,
    #[doc = "The town, without its postal code."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub town: Option<String>,
}
#[doc = "What a code of the type `epc` asks to pay. All fields together have room for 331 bytes."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct WatermarkPdfOptionsStampBarcodePayment {
    #[doc = "The amount in euros, such as `12.50`. Without it, the payer enters one."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub amount: Option<serde_json::Value>,
    #[doc = "The account's bank. Needed only outside of the European Economic Area."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bic: Option<String>,
    #[doc = "The account, with or without spaces. Its check digits are verified."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iban: Option<String>,
    #[doc = "A note for the payer."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub information: Option<String>,
    #[doc = "Who is paid."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[doc = "A code for the purpose, such as `GDDS` for goods."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    #[doc = "A creditor reference (ISO 11649), such as `RF18539007547034`. Its check digits are verified. Send it or `text`."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    #[doc = "A text for the payment, such as the invoice's number."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}
#[doc = "How `{bates}` is written: a number that goes on from page to page, over the pages that this stamp marks."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct WatermarkPdfOptionsStampBates {
    #[doc = "Digits of the number, with zeros before it. By default: 6."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digits: Option<u64>,
    #[doc = "What stands before the number, such as `ACME-`. By default: \"\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
    #[doc = "Number of the first page. By default: 1."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<u64>,
    #[doc = "What stands after it. By default: \"\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suffix: Option<String>,
}
#[doc = "How `{date}` is written: the time of the conversion."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct WatermarkPdfOptionsStampDate {
    #[doc = "A pattern: `%d` is the day, `%m` the month, `%Y` the year, `%H` the hour, `%M` the minute, `%B` the month's English name. By default: \"%Y-%m-%d\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    #[doc = "The time zone, such as `Europe/Vienna`. By default: \"UTC\"."]
    #[serde(rename = "timeZone", skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
}
#[doc = "`Webhook`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct Webhook {
    pub challenge: bool,
    #[serde(rename = "createdAt")]
    pub created_at: jiff::Timestamp,
    pub description: String,
    #[doc = "An SQS queue or an EventBridge bus in your AWS account, instead of `url`. Messages and events are sent under a role of yours, which trusts the `deliveryRole` of `/.well-known/docmill-webhooks.json` with the `externalId` of your account."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destination: Option<WebhookDestination>,
    #[doc = "Why the endpoint gets no events: you disabled it (`account`), it answered 410 (`gone`), or it only failed for five days (`failing`)."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disabled: Option<WebhookDisabled>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<super::EventType>,
    #[doc = "Only while requests fail: since when, and how many have failed in a row."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failing: Option<WebhookFailing>,
    pub id: String,
    #[serde(rename = "rateLimit", deserialize_with = "Option::deserialize")]
    pub rate_limit: Option<u64>,
    #[doc = "Signs requests. Only in the responses that create or rotate it: keep it."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<super::Secret>,
    pub signature: super::WebhookSignature,
    pub status: super::WebhookStatus,
    #[serde(rename = "updatedAt")]
    pub updated_at: jiff::Timestamp,
    #[doc = "Unless there is a `destination`."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}
#[doc = "`WebhookAttempt`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct WebhookAttempt {
    pub at: jiff::Timestamp,
    #[serde(rename = "durationMs")]
    pub duration_ms: u64,
    #[doc = "Why there was no answer."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[doc = "The beginning of the answer, at most 1 KiB."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<String>,
    #[doc = "The HTTP status of the response. Absent if the endpoint did not respond."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u64>,
}
#[doc = "`WebhookChange`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct WebhookChange {
    #[doc = "Whether each new URL must first answer a challenge: a POST whose `data.challenge` it sends back. By default: false."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub challenge: Option<bool>,
    #[doc = "For you."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[doc = "An SQS queue or an EventBridge bus in your AWS account, instead of `url`. Messages and events are sent under a role of yours, which trusts the `deliveryRole` of `/.well-known/docmill-webhooks.json` with the `externalId` of your account."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destination: Option<WebhookDestination>,
    #[doc = "The types of events that are sent; null: all, also those that may be added."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events: Option<Vec<super::EventType>>,
    #[doc = "Most requests a second; null: no limit."]
    #[serde(rename = "rateLimit", skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<u64>,
    #[doc = "Which signatures requests have: `v1` needs the endpoint's secret, and `v1a` the service's public key. By default: \"both\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<super::WebhookSignature>,
    #[doc = "A disabled endpoint gets no events. By default: \"active\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<super::WebhookStatus>,
    #[doc = "Where events are sent: https, without user name and password."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}
#[doc = "An SQS queue or an EventBridge bus in your AWS account, instead of `url`. Messages and events are sent under a role of yours, which trusts the `deliveryRole` of `/.well-known/docmill-webhooks.json` with the `externalId` of your account."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct WebhookDestination {
    #[doc = "The bus, if `type` is `eventbridge`."]
    #[serde(rename = "busArn", skip_serializing_if = "Option::is_none")]
    pub bus_arn: Option<String>,
    #[doc = "What the role's trust policy asks for. It belongs to your account: in requests, it has no effect."]
    #[serde(rename = "externalId", skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    #[doc = "The queue, if `type` is `sqs`."]
    #[serde(rename = "queueArn", skip_serializing_if = "Option::is_none")]
    pub queue_arn: Option<String>,
    #[doc = "The role that may send to it."]
    #[serde(rename = "roleArn", skip_serializing_if = "Option::is_none")]
    pub role_arn: Option<String>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub type_: Option<super::WebhookDestinationType>,
}
#[doc = "Why the endpoint gets no events: you disabled it (`account`), it answered 410 (`gone`), or it only failed for five days (`failing`)."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct WebhookDisabled {
    pub at: jiff::Timestamp,
    pub reason: super::WebhookDisabledReason,
}
#[doc = "Only while requests fail: since when, and how many have failed in a row."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct WebhookFailing {
    pub failures: u64,
    pub since: jiff::Timestamp,
}
#[doc = "`WebhookKeys`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct WebhookKeys {
    #[doc = "The role that roles of yours trust, so that webhooks can be sent to your queues and buses."]
    #[serde(rename = "deliveryRole")]
    pub delivery_role: String,
    #[doc = "The current key, and the one before while it still signs."]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<WebhookKeysKey>,
}
#[doc = "`WebhookKeysKey`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct WebhookKeysKey {
    pub algorithm: String,
    pub id: String,
    #[doc = "`whpk_` and the base64 of the public key's 32 bytes."]
    #[serde(rename = "publicKey")]
    pub public_key: String,
}
#[doc = "Either `url` or `destination` is required."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct WebhookRequest {
    #[doc = "Whether each new URL must first answer a challenge: a POST whose `data.challenge` it sends back. By default: false."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub challenge: Option<bool>,
    #[doc = "For you."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[doc = "An SQS queue or an EventBridge bus in your AWS account, instead of `url`. Messages and events are sent under a role of yours, which trusts the `deliveryRole` of `/.well-known/docmill-webhooks.json` with the `externalId` of your account."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destination: Option<WebhookDestination>,
    #[doc = "The types of events that are sent; null: all, also those that may be added."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events: Option<Vec<super::EventType>>,
    #[doc = "Most requests a second; null: no limit."]
    #[serde(rename = "rateLimit", skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<u64>,
    #[doc = "Which signatures requests have: `v1` needs the endpoint's secret, and `v1a` the service's public key. By default: \"both\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<super::WebhookSignature>,
    #[doc = "A disabled endpoint gets no events. By default: \"active\"."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<super::WebhookStatus>,
    #[doc = "Where events are sent: https, without user name and password."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}
#[doc = "`WebhookResponse`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct WebhookResponse {
    pub ok: bool,
    #[doc = "The header `x-request-id`."]
    #[serde(rename = "requestId")]
    pub request_id: String,
    pub webhook: Webhook,
}
#[doc = "`WebhookTest`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct WebhookTest {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt: Option<WebhookAttempt>,
    #[doc = "Whether webhooks are delivered."]
    #[serde(rename = "deliveryEnabled")]
    pub delivery_enabled: bool,
    pub id: String,
    #[doc = "When the test was recorded."]
    #[serde(rename = "recordedAt")]
    pub recorded_at: jiff::Timestamp,
    #[doc = "A delivery as your receiver sees it."]
    pub sample: WebhookTestSample,
    pub status: String,
    pub url: String,
}
#[doc = "`WebhookTestRequest`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, Default)]
pub struct WebhookTestRequest {
    #[doc = "Whether the sample is also sent. The response then has an `attempt`. By default: false."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deliver: Option<bool>,
    #[doc = "The address of your receiver: https, without user name and password."]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}
#[doc = "`WebhookTestResponse`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct WebhookTestResponse {
    pub ok: bool,
    #[doc = "The header `x-request-id`."]
    #[serde(rename = "requestId")]
    pub request_id: String,
    #[serde(rename = "webhookTest")]
    pub webhook_test: WebhookTest,
}
#[doc = "A delivery as your receiver sees it."]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct WebhookTestSample {
    #[doc = "The exact text that is signed. Verify it before you parse it."]
    pub body: String,
    pub headers: WebhookTestSampleHeaders,
    #[doc = "The secret that signs this sample."]
    pub secret: super::Secret,
}
#[doc = "`WebhookTestSampleHeaders`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct WebhookTestSampleHeaders {
    #[serde(rename = "content-type")]
    pub content_type: String,
    #[serde(rename = "webhook-id")]
    pub webhook_id: String,
    #[serde(rename = "webhook-signature")]
    pub webhook_signature: String,
    #[serde(rename = "webhook-timestamp")]
    pub webhook_timestamp: String,
}
#[doc = "`WebhooksResponse`"]
#[non_exhaustive]
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
pub struct WebhooksResponse {
    pub ok: bool,
    #[doc = "The header `x-request-id`."]
    #[serde(rename = "requestId")]
    pub request_id: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub webhooks: Vec<Webhook>,
}
