//! The rules. A new crate gets a line in `CRATES`; a crate whose modules have an order of their own gets one in `MODULES`.

/// A file has fewer lines.
pub(crate) const FILE_LINES: usize = 500;

/// Most lines of a crate, without its tests in files and folders of their own.
pub(crate) const MOST_LINES: usize = 12_000;

/// A crate or module, and those that it uses.
pub(crate) type Uses = (&'static str, &'static [&'static str]);

/// Each crate that others may use, with the workspace's crates that it uses itself, outside its tests. Endpoints are not listed: nothing
/// uses them, and they may use whatever they need.
pub(crate) const CRATES: &[Uses] = &[
    // What the service is about. Neither reads the clock, the environment or the network.
    ("docmill-formats", &[]),
    ("docmill-domain", &["docmill-formats"]),
    ("docmill-fonts", &[]),
    // Adapters.
    ("docmill-config", &["docmill-domain"]),
    ("docmill-signing", &["docmill-domain"]),
    ("docmill-telemetry", &["docmill-config", "docmill-domain"]),
    ("docmill-store", &["docmill-config", "docmill-domain"]),
    ("docmill-aws", &["docmill-config", "docmill-domain", "docmill-telemetry"]),
    ("docmill-egress", &[]),
    ("docmill-sources", &["docmill-domain", "docmill-egress"]),
    // Use cases.
    (
        "docmill-app",
        &[
            "docmill-aws",
            "docmill-config",
            "docmill-domain",
            "docmill-fonts",
            "docmill-signing",
            "docmill-store",
            "docmill-telemetry",
        ],
    ),
    (
        "docmill-webhooks",
        &["docmill-app", "docmill-aws", "docmill-domain", "docmill-egress", "docmill-signing", "docmill-store"],
    ),
    // Edges.
    (
        "docmill-http",
        &["docmill-app", "docmill-aws", "docmill-config", "docmill-domain", "docmill-store", "docmill-telemetry"],
    ),
    ("docmill-findings", &["docmill-domain"]),
    ("docmill-mcp", &["docmill-domain", "docmill-findings"]),
    ("docmill-look", &["docmill-domain", "docmill-formats"]),
    (
        "docmill-site",
        &[
            "docmill-app",
            "docmill-aws",
            "docmill-config",
            "docmill-domain",
            "docmill-http",
            "docmill-look",
            "docmill-store",
            "docmill-templates",
        ],
    ),
    // Conversions.
    ("docmill-codes", &[]),
    ("docmill-invoices", &[]),
    ("docmill-mail", &[]),
    ("docmill-markdown", &[]),
    ("docmill-package", &[]),
    ("docmill-templates", &["docmill-codes", "docmill-domain", "docmill-formats", "docmill-package"]),
    // PDF tools, the lowest first.
    ("docmill-pdf-request", &["docmill-domain", "docmill-formats"]),
    ("docmill-pdf-core", &["docmill-formats", "docmill-pdf-request"]),
    ("docmill-word", &["docmill-package", "docmill-pdf-core"]),
    ("docmill-pdf-fonts", &["docmill-pdf-core"]),
    ("docmill-pdf-signatures", &["docmill-domain"]),
    ("docmill-pdf-structure", &["docmill-formats", "docmill-pdf-core", "docmill-pdf-request"]),
    ("docmill-pdf-text", &["docmill-pdf-core", "docmill-pdf-request"]),
    ("docmill-pdf-ocr", &["docmill-pdf-core", "docmill-pdf-request", "docmill-pdf-structure", "docmill-pdf-text"]),
    ("docmill-pdf-shrink", &["docmill-pdf-core", "docmill-pdf-fonts", "docmill-pdf-request", "docmill-pdf-structure"]),
    ("docmill-pdf-pdfa", &["docmill-pdf-core", "docmill-pdf-fonts", "docmill-pdf-request", "docmill-pdf-structure"]),
    (
        "docmill-pdf-redact",
        &[
            "docmill-domain",
            "docmill-pdf-core",
            "docmill-pdf-fonts",
            "docmill-pdf-ocr",
            "docmill-pdf-request",
            "docmill-pdf-structure",
        ],
    ),
    (
        "docmill-pdf-extract",
        &[
            "docmill-domain",
            "docmill-formats",
            "docmill-mail",
            "docmill-markdown",
            "docmill-package",
            "docmill-pdf-core",
            "docmill-pdf-ocr",
            "docmill-pdf-request",
            "docmill-pdf-structure",
            "docmill-pdf-text",
            "docmill-word",
        ],
    ),
    ("docmill-pdf-to-office", &["docmill-domain", "docmill-package", "docmill-pdf-extract", "docmill-pdf-text"]),
    ("docmill-pdf-accessibility", &["docmill-pdf-core", "docmill-pdf-fonts", "docmill-pdf-request"]),
    (
        "docmill-pdf-tag",
        &[
            "docmill-fonts",
            "docmill-pdf-accessibility",
            "docmill-pdf-core",
            "docmill-pdf-extract",
            "docmill-pdf-fonts",
            "docmill-pdf-pdfa",
            "docmill-pdf-request",
            "docmill-pdf-structure",
        ],
    ),
    (
        "docmill-pdf",
        &[
            "docmill-codes",
            "docmill-domain",
            "docmill-formats",
            "docmill-invoices",
            "docmill-mail",
            "docmill-markdown",
            "docmill-package",
            "docmill-pdf-accessibility",
            "docmill-pdf-core",
            "docmill-pdf-extract",
            "docmill-pdf-ocr",
            "docmill-pdf-pdfa",
            "docmill-pdf-redact",
            "docmill-pdf-request",
            "docmill-pdf-shrink",
            "docmill-pdf-signatures",
            "docmill-pdf-structure",
            "docmill-pdf-tag",
            "docmill-pdf-text",
            "docmill-pdf-to-office",
            "docmill-templates",
            "docmill-word",
        ],
    ),
    // The worker's engines, none of which uses another, and what they stand on. The plan knows none of them.
    ("docmill-confine", &[]),
    (
        "docmill-engine",
        &[
            "docmill-confine",
            "docmill-domain",
            "docmill-fonts",
            "docmill-formats",
            "docmill-pdf-request",
            "docmill-sources",
        ],
    ),
    (
        "docmill-fetch",
        &["docmill-aws", "docmill-confine", "docmill-domain", "docmill-egress", "docmill-engine", "docmill-sources"],
    ),
    ("docmill-sniff", &["docmill-domain", "docmill-engine", "docmill-formats", "docmill-package"]),
    ("docmill-office-rewrite", &["docmill-fonts", "docmill-package"]),
    (
        "docmill-office",
        &[
            "docmill-confine",
            "docmill-domain",
            "docmill-engine",
            "docmill-fonts",
            "docmill-formats",
            "docmill-office-rewrite",
            "docmill-package",
            "docmill-sniff",
            "docmill-telemetry",
        ],
    ),
    (
        "docmill-html-basic",
        &[
            "docmill-confine",
            "docmill-domain",
            "docmill-engine",
            "docmill-fetch",
            "docmill-fonts",
            "docmill-sniff",
            "docmill-telemetry",
        ],
    ),
    (
        "docmill-browser",
        &["docmill-confine", "docmill-domain", "docmill-egress", "docmill-engine", "docmill-fonts", "docmill-formats"],
    ),
    (
        "docmill-pdf-engine",
        &[
            "docmill-config",
            "docmill-confine",
            "docmill-domain",
            "docmill-engine",
            "docmill-formats",
            "docmill-pdf",
            "docmill-pdf-request",
        ],
    ),
    (
        "docmill-signer",
        &[
            "docmill-aws",
            "docmill-config",
            "docmill-confine",
            "docmill-domain",
            "docmill-engine",
            "docmill-fetch",
            "docmill-formats",
            "docmill-pdf-signatures",
        ],
    ),
    (
        "docmill-plan",
        &[
            "docmill-confine",
            "docmill-domain",
            "docmill-engine",
            "docmill-fonts",
            "docmill-formats",
            "docmill-pdf-request",
            "docmill-sniff",
        ],
    ),
];

/// Crates that know status codes and headers of the interface, besides the functions.
pub(crate) const EDGES: &[&str] = &["docmill-http"];

/// For some crates, each module and the others that it may use.
pub(crate) const MODULES: &[(&str, &[Uses])] = &[
    ("docmill-config", &[("clock", &[])]),
    (
        "docmill-aws",
        &[
            ("connection", &[]),
            ("clients", &["connection"]),
            ("calls", &["clients"]),
            ("files", &["clients"]),
            ("logs", &["clients"]),
            ("relay", &["files"]),
            ("queue", &["relay"]),
        ],
    ),
    (
        "docmill-app",
        &[
            ("fault", &[]),
            ("deadline", &["fault"]),
            ("context", &[]),
            ("lanes", &[]),
            ("notices", &[]),
            ("wait", &[]),
            ("caller", &["context", "deadline", "fault"]),
            ("tools", &["caller", "context"]),
            ("jobs", &["caller", "context", "fault", "notices", "tools"]),
            ("batches", &["caller", "context", "fault", "jobs"]),
            ("fonts", &["caller", "context", "fault"]),
            ("requests", &["context", "fault"]),
            ("templates", &["caller", "context", "fault"]),
            ("uploads", &["caller", "context", "fault"]),
            ("webhooks", &["caller", "context", "fault"]),
        ],
    ),
];
