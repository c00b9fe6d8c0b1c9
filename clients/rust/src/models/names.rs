//! Generated from the API's description by clients/models.

super::open_enums! {
    /// One of the names that the API lists, or one that was added later.
    BatchOnError {
        Continue = "continue",
        Stop = "stop",
    }
    /// `stop`: as soon as an item fails, the batch is canceled. By default: "continue".
    BatchRequestOnError {
        Continue = "continue",
        Stop = "stop",
    }
    /// `completed`: all items have ended. `counts` shows how many succeeded. `archiving`: they have ended, and the archive is being made.
    BatchStatus {
        Processing = "processing",
        Paused = "paused",
        Canceling = "canceling",
        Archiving = "archiving",
        Completed = "completed",
        Canceled = "canceled",
        Deleting = "deleting",
    }
    /// `html`, `pdf`: a page for people, with pictures of the places. By default: "json".
    CheckAccessibilityOptionsFormat {
        Json = "json",
        Html = "html",
        Pdf = "pdf",
    }
    /// `pdf`: the pages side by side, with removed words, added words and changed areas marked. `json`: the similarity of each page, and the place of each change in points from the page's top left corner. By default: "pdf".
    CompareDocumentsOptionsFormat {
        Pdf = "pdf",
        Json = "json",
    }
    /// `visual`: compares matching pages as pictures and by their words, and marks what looks different. `text`: compares all words of the documents and ignores where lines and pages end. By default: "visual".
    CompareDocumentsOptionsMode {
        Visual = "visual",
        Text = "text",
    }
    /// The colors of images. `keep`: images for print (CMYK, Lab, spot colors) stay; `rgb`: they become RGB, as a viewer shows them; `gray`: all images become gray. Text and lines keep their colors. By default: "keep".
    CompressPdfOptionsColors {
        Keep = "keep",
        Rgb = "rgb",
        Gray = "gray",
    }
    /// How much may be lost. `lossless`: nothing; `high`: images have at most 220 dpi, for printing; `balanced`: at most 150 dpi, for screens; `small`: at most 96 dpi. All but `lossless` reduce embedded fonts to the characters that the document shows. By default: "balanced".
    CompressPdfOptionsPreset {
        Lossless = "lossless",
        High = "high",
        Balanced = "balanced",
        Small = "small",
    }
    /// The encoding of csv. Excel opens csv as UTF-8 only with a byte order mark: `utf-8-bom`. By default: "utf-8".
    ConvertOfficeOptionsEncoding {
        Utf8 = "utf-8",
        Utf8Bom = "utf-8-bom",
        Windows1250 = "windows-1250",
        Windows1251 = "windows-1251",
        Windows1252 = "windows-1252",
        ShiftJis = "shift_jis",
        Gb18030 = "gb18030",
        Big5 = "big5",
        EucKr = "euc-kr",
    }
    /// The format of the result. Text documents become docx, odt, rtf, txt or html; spreadsheets xlsx, ods or csv; presentations pptx or odp; and a page of any of them, or of a drawing, a png.
    ConvertOfficeOptionsFormat {
        Docx = "docx",
        Odt = "odt",
        Rtf = "rtf",
        Txt = "txt",
        Html = "html",
        Xlsx = "xlsx",
        Ods = "ods",
        Csv = "csv",
        Pptx = "pptx",
        Odp = "odp",
        Png = "png",
    }
    /// Only of a dropped delivery.
    DeliveryDroppedBecause {
        EndpointDisabled = "endpoint_disabled",
        JobDeleted = "job_deleted",
        EventExpired = "event_expired",
    }
    /// One of the names that the API lists, or one that was added later.
    DeliveryStatus {
        Pending = "pending",
        Delivered = "delivered",
        Failed = "failed",
        Dropped = "dropped",
    }
    /// How the file relates to the document: its source, its data, an alternative, or more. By default: "unspecified".
    EditMetadataOptionsAttachmentRelationship {
        Source = "source",
        Data = "data",
        Alternative = "alternative",
        Supplement = "supplement",
        Unspecified = "unspecified",
    }
    /// The profile that the invoice has to have. By default the one that it names itself.
    EditMetadataOptionsFacturXLevel {
        Minimum = "minimum",
        Basicwl = "basicwl",
        Basic = "basic",
        En16931 = "en16931",
        Extended = "extended",
        Xrechnung = "xrechnung",
    }
    /// If the PDF can't become PDF/A-3b. `fail`: the job fails, and its error lists the clauses of the standard. `warn`: the result does not claim to be PDF/A, and receivers may refuse it. By default: "fail".
    EditMetadataOptionsFacturXOnUnsupported {
        Fail = "fail",
        Warn = "warn",
    }
    /// How the XML relates to the PDF. `alternative` by default, as Germany asks for. `minimum` and `basicwl` are always `data`.
    EditMetadataOptionsFacturXRelationship {
        Alternative = "alternative",
        Source = "source",
        Data = "data",
    }
    /// `list`: their names and sizes are printed below the headers; `embed`: they are also attached to the PDF; `convert`: those that a tool can convert follow as pages, and warnings name the others. By default: "list".
    EmailToPdfOptionsAttachments {
        List = "list",
        Embed = "embed",
        Convert = "convert",
    }
    /// Page size. `width` and `height` together replace it. By default: "A4".
    EmailToPdfOptionsPageSize {
        A0 = "A0",
        A1 = "A1",
        A2 = "A2",
        A3 = "A3",
        A4 = "A4",
        A5 = "A5",
        A6 = "A6",
        Letter = "Letter",
        Legal = "Legal",
        Tabloid = "Tabloid",
        Ledger = "Ledger",
    }
    /// One of the names that the API lists, or one that was added later.
    EmulatedFeature {
        Dark = "dark",
        ReducedMotion = "reducedMotion",
    }
    /// A stable code. More may be added: decide by `status` if you don't know one.
    ErrorCode {
        InvalidJson = "invalid_json",
        InvalidIdempotencyKey = "invalid_idempotency_key",
        MissingApiKey = "missing_api_key",
        InvalidApiKey = "invalid_api_key",
        RevokedApiKey = "revoked_api_key",
        InsufficientCredits = "insufficient_credits",
        ToolNotAllowed = "tool_not_allowed",
        OriginNotAllowed = "origin_not_allowed",
        TestModeDisabled = "test_mode_disabled",
        AccountSuspended = "account_suspended",
        ToolNotFound = "tool_not_found",
        JobNotFound = "job_not_found",
        FontNotFound = "font_not_found",
        TemplateNotFound = "template_not_found",
        EventNotFound = "event_not_found",
        WebhookNotFound = "webhook_not_found",
        BatchNotFound = "batch_not_found",
        RouteNotFound = "route_not_found",
        MethodNotAllowed = "method_not_allowed",
        JobFailed = "job_failed",
        JobCanceled = "job_canceled",
        JobEnded = "job_ended",
        JobNotEnded = "job_not_ended",
        BatchEnded = "batch_ended",
        TooManyFonts = "too_many_fonts",
        TooManyTemplates = "too_many_templates",
        TooManyWebhooks = "too_many_webhooks",
        WebhookDisabled = "webhook_disabled",
        OutputExpired = "output_expired",
        PayloadTooLarge = "payload_too_large",
        UnsupportedMediaType = "unsupported_media_type",
        ValidationFailed = "validation_failed",
        InvalidFont = "invalid_font",
        InvalidTemplate = "invalid_template",
        ChallengeFailed = "challenge_failed",
        IdempotencyKeyReused = "idempotency_key_reused",
        RateLimited = "rate_limited",
        Internal = "internal",
        Unavailable = "unavailable",
    }
    /// More may be added: ignore types that you don't know.
    EventType {
        JobCompleted = "job.completed",
        JobFailed = "job.failed",
        JobCanceled = "job.canceled",
        BatchCompleted = "batch.completed",
        BatchPaused = "batch.paused",
        BatchCanceled = "batch.canceled",
        QuotaWarning = "quota.warning",
        QuotaExhausted = "quota.exhausted",
        ApiKeyRevoked = "api_key.revoked",
        WebhookDisabled = "webhook.disabled",
    }
    /// Where a chunk begins in any case. By default: "heading".
    ExtractDocumentOptionsChunksSplitAt {
        Heading = "heading",
        Page = "page",
        None = "none",
    }
    /// `json`: pages, and blocks in reading order with role, text and boxes (left, top, right and bottom in points from the page's upper left corner); tables with cells, figures, bookmarks, links, footnotes, hidden text. `markdown`: headings, lists, tables, footnotes, links and emphasis. `html`: the same; elements have the identifiers of their blocks, and their page in `data-page`. `chunks`: JSON lines, each with `text`, `tokens`, `headings` above it, `blocks`, `pages` and `boxes`. `tables`: a CSV file for each table; an apostrophe begins what would be a formula. `xlsx`: a workbook with a sheet for each table, without formulas; a column is numbers if all of its cells are, without separators of thousands. Without tables, both fail, or warn (`no_tables`) if other sources have some. By default: "json".
    ExtractDocumentOptionsFormat {
        Json = "json",
        Markdown = "markdown",
        Html = "html",
        Chunks = "chunks",
        Tables = "tables",
        Xlsx = "xlsx",
    }
    /// Lines in the margins that repeat on several pages, or are a page's number or an imprint. `drop` leaves them out, with a warning. `keep` has them as blocks of their own. By default: "drop".
    ExtractDocumentOptionsHeadersFooters {
        Drop = "drop",
        Keep = "keep",
    }
    /// Pictures in the document. `none`: only their places. `files`: each is a file of the result, too. `inline`: their data is in the result. By default: "none".
    ExtractDocumentOptionsImages {
        None = "none",
        Files = "files",
        Inline = "inline",
    }
    /// Whether text is recognized in pictures of pages (OCR), which takes seconds for each page. `auto`: on pages that have no text, and in large pictures; `always`: on all pages, instead of their text. By default: "auto".
    ExtractDocumentOptionsOcr {
        Auto = "auto",
        Never = "never",
        Always = "always",
    }
    /// Of the file that you uploaded.
    FontFormat {
        Ttf = "ttf",
        Otf = "otf",
        Ttc = "ttc",
        Woff2 = "woff2",
    }
    /// Format of the picture. `webp` allows at most 16,383 pixels on a side. By default: "png".
    HtmlToImageOptionsFormat {
        Png = "png",
        Jpeg = "jpeg",
        Webp = "webp",
    }
    /// The CSS media type that the page is rendered for. By default: "screen".
    HtmlToImageOptionsMedia {
        Print = "print",
        Screen = "screen",
    }
    /// The CSS media type that the page is rendered for. By default: "print".
    HtmlToPdfOptionsMedia {
        Print = "print",
        Screen = "screen",
    }
    /// Page size. `width` and `height` together replace it. By default: "A4".
    HtmlToPdfOptionsPageSize {
        A0 = "A0",
        A1 = "A1",
        A2 = "A2",
        A3 = "A3",
        A4 = "A4",
        A5 = "A5",
        A6 = "A6",
        Letter = "Letter",
        Legal = "Legal",
        Tabloid = "Tabloid",
        Ledger = "Ledger",
    }
    /// `browser`: Chromium, for faithful results. `basic`: a faster engine without JavaScript. By default: "browser".
    HtmlToPdfOptionsRenderMode {
        Basic = "basic",
        Browser = "browser",
    }
    /// `contain`: the whole image, as large as fits on the page. `cover`: the image fills the page, and the rest is cut off. `actual`: the image's own size, smaller only if it does not fit on the page. By default: "contain".
    ImagesToPdfOptionsFit {
        Contain = "contain",
        Cover = "cover",
        Actual = "actual",
    }
    /// Orientation of pages of a fixed size. `auto`: that of the image. By default: "auto".
    ImagesToPdfOptionsOrientation {
        Auto = "auto",
        Portrait = "portrait",
        Landscape = "landscape",
    }
    /// `image`: each page is as large as its image. By default: "image".
    ImagesToPdfOptionsPageSize {
        Image = "image",
        A3 = "A3",
        A4 = "A4",
        A5 = "A5",
        Letter = "Letter",
        Legal = "Legal",
    }
    /// Why the job failed.
    JobErrorCode {
        SourceUnreachable = "source_unreachable",
        SourceForbidden = "source_forbidden",
        SourceTooLarge = "source_too_large",
        SourceTimeout = "source_timeout",
        UnsupportedFormat = "unsupported_format",
        CorruptDocument = "corrupt_document",
        PasswordRequired = "password_required",
        WrongPassword = "wrong_password",
        PageLimitExceeded = "page_limit_exceeded",
        RenderFailed = "render_failed",
        RedactionIncomplete = "redaction_incomplete",
        DocumentSigned = "document_signed",
        SigningFailed = "signing_failed",
        InvalidSignatureKey = "invalid_signature_key",
        TemplateError = "template_error",
        ConversionTimeout = "conversion_timeout",
        EngineCrashed = "engine_crashed",
        SourceJobFailed = "source_job_failed",
        DeliveryFailed = "delivery_failed",
        Internal = "internal",
    }
    /// The mode of the key that created the job.
    JobMode {
        Live = "live",
        Test = "test",
    }
    /// More may be added: treat an unknown status as not ended.
    JobStatus {
        Queued = "queued",
        Processing = "processing",
        Completed = "completed",
        Failed = "failed",
        Expired = "expired",
        Canceled = "canceled",
        Deleted = "deleted",
    }
    /// One of the names that the API lists, or one that was added later.
    Language {
        Ara = "ara",
        Ces = "ces",
        ChiSim = "chi_sim",
        ChiTra = "chi_tra",
        Dan = "dan",
        Deu = "deu",
        Ell = "ell",
        Eng = "eng",
        Fin = "fin",
        Fra = "fra",
        Heb = "heb",
        Hin = "hin",
        Hun = "hun",
        Ita = "ita",
        Jpn = "jpn",
        Kor = "kor",
        Nld = "nld",
        Nor = "nor",
        Pol = "pol",
        Por = "por",
        Ron = "ron",
        Rus = "rus",
        Spa = "spa",
        Swe = "swe",
        Tur = "tur",
        Ukr = "ukr",
    }
    /// Page size. `width` and `height` together replace it. By default: "A4".
    MarkdownToPdfOptionsPageSize {
        A0 = "A0",
        A1 = "A1",
        A2 = "A2",
        A3 = "A3",
        A4 = "A4",
        A5 = "A5",
        A6 = "A6",
        Letter = "Letter",
        Legal = "Legal",
        Tabloid = "Tabloid",
        Ledger = "Ledger",
    }
    /// `document`: a report with serifs, title, author and date; `github`: as on GitHub; `letter`: sender (`from`), recipient (`to`), date and subject of the front matter come first. By default: "document".
    MarkdownToPdfOptionsTheme {
        Document = "document",
        Github = "github",
        Letter = "letter",
    }
    /// `odd`: each source starts on a right-hand page; an empty page is added before it where needed, for printing on both sides. By default: "none".
    MergePdfOptionsBlankPages {
        None = "none",
        Odd = "odd",
    }
    /// `keep`: all bookmarks; those of a source with a `title` are nested under one of that title. `titles`: one for each source, named after its `title`, the document's own title or its file name. `names`: the same without the document's own title, which documents of one template share. `none`: no bookmarks. By default: "keep".
    MergePdfOptionsBookmarks {
        Keep = "keep",
        Titles = "titles",
        Names = "names",
        None = "none",
    }
    /// `keep`: each page keeps its size. `first`: every page is scaled to the size of the first one. A paper size: every page is scaled to it. Landscape pages stay landscape, and nothing is distorted. By default: "keep".
    MergePdfOptionsPageSize {
        Keep = "keep",
        First = "first",
        A0 = "A0",
        A1 = "A1",
        A2 = "A2",
        A3 = "A3",
        A4 = "A4",
        A5 = "A5",
        A6 = "A6",
        Letter = "Letter",
        Legal = "Legal",
        Tabloid = "Tabloid",
        Ledger = "Ledger",
    }
    /// What happens to pages that have text. `skipText`: they stay as they are. `redo`: they lose the invisible text of an earlier OCR, and are recognized again, except for visible text. `force`: a picture takes the place of the page and is recognized, for text that can't be copied correctly. By default: "skipText".
    OcrPdfOptionsMode {
        SkipText = "skipText",
        Redo = "redo",
        Force = "force",
    }
    /// `default` is fast and small; `best_output` is tagged, keeps images lossless, and writes bookmarks. By default: "default".
    OfficeToPdfOptionsConversionProviderMode {
        Default = "default",
        BestOutput = "best_output",
    }
    /// The version or standard of the PDF: 1.7, PDF/A-1b, 2b or 3b for archives, or PDF/UA for accessibility. By default: "1.7".
    OfficeToPdfOptionsPdfVersion {
        V17 = "1.7",
        Pdfa1b = "pdfa-1b",
        Pdfa2b = "pdfa-2b",
        Pdfa3b = "pdfa-3b",
        Pdfua = "pdfua",
    }
    /// How to print tracked changes of a text document: `accepted`, or `shown` as changes. By default: "accepted".
    OfficeToPdfOptionsTrackedChanges {
        Accepted = "accepted",
        Shown = "shown",
    }
    /// The format of the images. PNG is exact; JPEG and WebP are smaller. By default: "png".
    PdfToImagesOptionsFormat {
        Png = "png",
        Jpeg = "jpeg",
        Webp = "webp",
    }
    /// `docx`: a Word document. `xlsx`: a workbook of the tables; the job fails if there are none. `pptx`: a slide for each page. By default: "docx".
    PdfToOfficeOptionsFormat {
        Docx = "docx",
        Xlsx = "xlsx",
        Pptx = "pptx",
    }
    /// `flow`: text to edit, with styles, lists, tables and notes. `exact`, only for `docx`: pages as they look, in boxes. By default: "flow".
    PdfToOfficeOptionsLayout {
        Flow = "flow",
        Exact = "exact",
    }
    /// Whether text is recognized in pictures of pages (OCR). `auto`: on pages that have no text, and in large pictures; `always`: on all pages. By default: "auto".
    PdfToOfficeOptionsOcr {
        Auto = "auto",
        Never = "never",
        Always = "always",
    }
    /// The level of PDF/A. `1b` allows no transparency and no layers, `2b` both, and `3b` attached files too. By default: "2b".
    PdfToPdfaOptionsLevel {
        V1b = "1b",
        V2b = "2b",
        V3b = "3b",
    }
    /// If the document can't become PDF/A, such as one with a font that is neither embedded nor available. `fail`: the job fails, and its error lists the clauses of the standard. `warn`: the result is as close as possible, does not claim to be PDF/A, and the report lists the clauses. By default: "fail".
    PdfToPdfaOptionsOnUnsupported {
        Fail = "fail",
        Warn = "warn",
    }
    /// `text`: plain text in reading order, with a form feed between pages. `markdown`: headings, lists, tables, links and emphasis. `json`: blocks, lines, table cells and words with their boxes (left, top, right and bottom in points from the page's upper left corner), and the words' fonts. A table over several pages is one, with further boxes in `continued`. `html`: the structure as a plain page. By default: "text".
    PdfToTextOptionsFormat {
        Text = "text",
        Markdown = "markdown",
        Json = "json",
        Html = "html",
    }
    /// Lines in the margins that repeat on several pages, or are a page's number or an imprint. `drop` leaves them out of `markdown`, with a warning, and marks them as asides in `json` and `html`. `keep` treats them as text. The format `text` always has them. By default: "drop".
    PdfToTextOptionsHeadersFooters {
        Drop = "drop",
        Keep = "keep",
    }
    /// Whether text is recognized in pictures of pages (OCR), which takes seconds for each page. `auto`: on pages that have no text; `always`: on all pages, instead of their text. By default: "never".
    PdfToTextOptionsOcr {
        Never = "never",
        Auto = "auto",
        Always = "always",
    }
    /// `json`: all terms of EN 16931, the same for each syntax. `html`, `pdf`: a page for people. By default: "json".
    ReadInvoiceOptionsFormat {
        Json = "json",
        Html = "html",
        Pdf = "pdf",
    }
    /// Language of the page. By default: "en".
    ReadInvoiceOptionsLanguage {
        En = "en",
        De = "de",
        Fr = "fr",
    }
    /// If nothing is found to redact, such as a misspelled name: `warn` makes a result like the source, with the warning `nothing_redacted`; `fail` fails the job. By default: "warn".
    RedactPdfOptionsNothingFound {
        Warn = "warn",
        Fail = "fail",
    }
    /// What a list in `data` becomes. `one`: one PDF of all documents after one another, with a bookmark for each. `files`: a file for each, in a ZIP; further steps that take one file run for each of them.
    RenderTemplateOptionsMerge {
        One = "one",
        Files = "files",
    }
    /// For a tag whose name is not in the data. `error`: the job fails, and `error.details` lists the tags. `empty`: it writes nothing, and a warning names it. `keep`: the tag stays in the result. By default: "error".
    RenderTemplateOptionsMissing {
        Error = "error",
        Empty = "empty",
        Keep = "keep",
    }
    /// Certifies, as the first signature, that nothing may change but this; `annotations` allows forms too. By default: "none".
    SignPdfOptionsCertify {
        None = "none",
        NoChanges = "noChanges",
        Forms = "forms",
        Annotations = "annotations",
    }
    /// Of RSA keys. By default: "pkcs1".
    SignPdfOptionsKeyKmsPadding {
        Pkcs1 = "pkcs1",
        Pss = "pss",
    }
    /// Of PAdES. `B-T` has a time stamp, or fails; `B-LT` also proof that no certificate was revoked. By default: "B-B".
    SignPdfOptionsLevel {
        BB = "B-B",
        BT = "B-T",
        BLT = "B-LT",
    }
    /// By default, the mode of the option that is given: `ranges`, `level` or `mebibytes`. `ranges`: a file for each entry. `every`: files of so many pages. `bookmarks`: a new file at each page that a bookmark leads to, down to `level`. `blank`: a new file after each blank page, which is left out. `size`: as many pages in each file as fit into `mebibytes`. By default: "every".
    SplitPdfOptionsMode {
        Ranges = "ranges",
        Every = "every",
        Bookmarks = "bookmarks",
        Blank = "blank",
        Size = "size",
    }
    /// What becomes of tags that the PDF has. `repair` keeps them, and adds what PDF/UA asks for. By default: "keep".
    TagPdfOptionsExisting {
        Keep = "keep",
        Repair = "repair",
        Replace = "replace",
    }
    /// `auto`: pages without text get some (OCR). By default: "auto".
    TagPdfOptionsOcr {
        Auto = "auto",
        Never = "never",
    }
    /// PDF/UA-1, or PDF/UA-2 in PDF 2.0. The result says so only if it passes. By default: "pdfua1".
    TagPdfOptionsStandard {
        Pdfua1 = "pdfua1",
        Pdfua2 = "pdfua2",
    }
    /// One of the names that the API lists, or one that was added later.
    TemplateFormat {
        Docx = "docx",
        Xlsx = "xlsx",
        Pptx = "pptx",
        Odt = "odt",
        Html = "html",
        Md = "md",
    }
    /// What is wrong. More may be added.
    TemplateMistakeReason {
        UnknownFilter = "unknown_filter",
        UnclosedSection = "unclosed_section",
        UnopenedSection = "unopened_section",
        InvalidTag = "invalid_tag",
        UnknownName = "unknown_name",
        UnclosedTag = "unclosed_tag",
        UnopenedTag = "unopened_tag",
        MismatchedSection = "mismatched_section",
        Misplaced = "misplaced",
        UnusableValue = "unusable_value",
    }
    /// One of the names that the API lists, or one that was added later.
    TemplateVersionFormat {
        Docx = "docx",
        Xlsx = "xlsx",
        Pptx = "pptx",
        Odt = "odt",
        Html = "html",
        Md = "md",
    }
    /// `contain`: the whole page fits into width and height. `cover`: the page fills both, and the rest is cut off. By default: "contain".
    ThumbnailOptionsFit {
        Contain = "contain",
        Cover = "cover",
    }
    /// The format of the thumbnail. By default: "png".
    ThumbnailOptionsFormat {
        Png = "png",
        Jpeg = "jpeg",
        Webp = "webp",
    }
    /// One of the names that the API lists, or one that was added later.
    ToolAccessTier {
        Free = "free",
        Starter = "starter",
        Pro = "pro",
        Enterprise = "enterprise",
    }
    /// In `maintenance`, new jobs are refused with 503.
    ToolState {
        Live = "live",
        Beta = "beta",
        Maintenance = "maintenance",
        Disabled = "disabled",
    }
    /// One of the names that the API lists, or one that was added later.
    UsageOfDaysGroupBy {
        Day = "day",
        Tool = "tool",
        Key = "key",
    }
    /// `html`, `pdf`: a page for people. By default: "json".
    ValidateInvoiceOptionsFormat {
        Json = "json",
        Html = "html",
        Pdf = "pdf",
    }
    /// Language of the page. Rules are in that of their makers. By default: "en".
    ValidateInvoiceOptionsLanguage {
        En = "en",
        De = "de",
        Fr = "fr",
    }
    /// The rules: those that the invoice names (`auto`), of EN 16931 alone, or of XRechnung too. By default: "auto".
    ValidateInvoiceOptionsProfile {
        Auto = "auto",
        En16931 = "en16931",
        Xrechnung = "xrechnung",
    }
    /// `under` puts the mark behind the page's content. A page with its own background hides it. By default: "over".
    WatermarkPdfOptionsLayer {
        Over = "over",
        Under = "under",
    }
    /// Position on the page, as a viewer shows it. `tile` repeats the mark over the whole page. By default: "center".
    WatermarkPdfOptionsPosition {
        TopLeft = "top-left",
        Top = "top",
        TopRight = "top-right",
        Left = "left",
        Center = "center",
        Right = "right",
        BottomLeft = "bottom-left",
        Bottom = "bottom",
        BottomRight = "bottom-right",
        Tile = "tile",
    }
    /// The currency of the amount. By default: "CHF".
    WatermarkPdfOptionsStampBarcodeBillCurrency {
        CHF = "CHF",
        EUR = "EUR",
    }
    /// The kind of code. `epc` is a SEPA payment as a QR code, `swiss-qr` the code of a Swiss QR-bill.
    WatermarkPdfOptionsStampBarcodeType {
        Qr = "qr",
        Epc = "epc",
        SwissQr = "swiss-qr",
        Code128 = "code128",
        Ean13 = "ean13",
        Ean8 = "ean8",
        UpcA = "upc-a",
        Datamatrix = "datamatrix",
        Pdf417 = "pdf417",
    }
    /// As the option `layer`. By default: "over".
    WatermarkPdfOptionsStampLayer {
        Over = "over",
        Under = "under",
    }
    /// As the option `position`. By default: "center".
    WatermarkPdfOptionsStampPosition {
        TopLeft = "top-left",
        Top = "top",
        TopRight = "top-right",
        Left = "left",
        Center = "center",
        Right = "right",
        BottomLeft = "bottom-left",
        Bottom = "bottom",
        BottomRight = "bottom-right",
        Tile = "tile",
    }
    /// One of the names that the API lists, or one that was added later.
    WebhookDestinationType {
        Sqs = "sqs",
        Eventbridge = "eventbridge",
    }
    /// One of the names that the API lists, or one that was added later.
    WebhookDisabledReason {
        Account = "account",
        Gone = "gone",
        Failing = "failing",
    }
    /// Which signatures requests have: `v1` needs the endpoint's secret, and `v1a` the service's public key. By default: "both".
    WebhookSignature {
        V1 = "v1",
        V1a = "v1a",
        Both = "both",
    }
    /// A disabled endpoint gets no events. By default: "active".
    WebhookStatus {
        Active = "active",
        Disabled = "disabled",
    }
}
