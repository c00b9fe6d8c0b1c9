//! Names of fields in log lines. The runbook's queries use them, and tests compare both with this list.

macro_rules! fields {
    ($($name:ident = $text:literal: $meaning:literal,)*) => {
        $(#[doc = $meaning] pub const $name: &str = $text;)*
        /// Every name, and its meaning.
        pub const ALL: &[(&str, &str)] = &[$(($text, $meaning)),*];
    };
}

fields! {
    // Every line.
    TIMESTAMP = "timestamp": "When, in UTC.",
    LEVEL = "level": "ERROR, WARN, INFO, DEBUG or TRACE.",
    MESSAGE = "message": "What happened, in the same words each time.",

    // Identity.
    REQUEST_ID = "request_id": "The gateway's id of the request, which its answer carries too.",
    KEY = "key": "The id of the API key, which is no secret.",
    PLAN = "plan": "The plan of the account.",
    ACCOUNT = "account": "The account whose request or job it is.",
    JOB_ID = "job_id": "The job.",
    BATCH_ID = "batch_id": "The batch.",
    TOOL = "tool": "The tool of a job.",
    ATTEMPT = "attempt": "The number of an attempt at a job, from 1 on.",
    EVENT = "event": "The event that was sent to a webhook endpoint.",
    ENDPOINT = "endpoint": "The webhook endpoint.",
    ITEM_ID = "item_id": "The id of a table's item that can't be read.",

    // Dimensions of metrics: each has few values.
    ROUTE = "route": "Method and path template, as the template declares them; $default for everything else.",
    CODE = "code": "How it ended: ok or completed, or the error's code.",
    ENGINE = "engine": "What converts: libreoffice, chromium, sghtmltopdf, markdown or pdf-tools; none where that cannot be known.",
    ACCOUNT_GROUP = "account_group": "One of five groups of accounts, by their ids.",
    PART = "part": "The part of the service: api, dashboard, office-worker, html-worker, pdf-worker, sweeper, deliverer, batch-runner, egress-relay or request-log.",
    NETWORK_DENIAL = "network_denial": "How a worker's children are kept from the network.",
    FILES_CONFINED = "files_confined": "Whether a worker's children write only into their own directories.",

    // Requests of accounts.
    METHOD = "method": "HTTP method of a request.",
    PATH = "path": "Path of a request with the ids that have the form of ids, and without its query string.",

    // Outcome.
    STATUS = "status": "HTTP status of an answer.",
    DURATION_US = "duration_us": "Microseconds that a request took in the function.",
    PAGES = "pages": "Pages of a result.",
    BYTES = "bytes": "Size of a result.",
    WARNINGS = "warnings": "How many warnings a job carries.",
    UNTOUCHED = "untouched": "Due jobs that a sweep found in no need of repair.",

    // Causes of failures. Never shown to clients.
    CAUSE = "cause": "What failed, for operators.",
    ERROR = "error": "The error that a call returned.",
    STOP = "stop": "Why a browser's page was given up.",
    EXCESS = "excess": "Which of its limits a conversion has exceeded.",
    PLACE = "place": "Source file and line of a panic.",
    HOST = "host": "The host, and nothing else, of an address that a page asked for.",
    REFUSAL = "refusal": "Why the egress proxy refused a connection.",
    QUEUE = "queue": "The queue: office, html or pdf; for a chain of messages jobs, deliveries or batches.",
    SHARD = "shard": "Partition of the index of open jobs.",
}
