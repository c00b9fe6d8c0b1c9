//! Files that pages refer to. Their addresses contain a digest, so that browsers fetch each version once.

use std::borrow::Cow;
use std::io::{Read, Write};
use std::sync::LazyLock;

use docmill_domain::sha256_hex;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

/// The script that updates parts of pages.
pub const HTMX: &str = "htmx-2.0.11.js";
/// The script that draws PDFs in the browser.
pub const PDF: &str = "pdf-6.5.438.min.mjs";
/// The part of [`PDF`] that works beside the page.
pub const PDF_WORKER: &str = "pdf-6.5.438.worker.min.mjs";

const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const DOCX: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

/// A file that is compiled in.
#[derive(Debug)]
pub struct Asset {
    /// As the repository has it, without a digest.
    pub name: &'static str,
    /// Its media type.
    pub content_type: &'static str,
    content: Content,
    digest: LazyLock<String>,
}

#[derive(Clone, Copy, Debug)]
enum Content {
    Text(&'static str),
    Gzip(&'static [u8]),
    Bytes(&'static [u8]),
}

/// An asset whose digest is computed when first needed.
macro_rules! asset {
    ($name:expr, $content_type:expr, $content:expr) => {
        Asset {
            name: $name,
            content_type: $content_type,
            content: $content,
            digest: LazyLock::new(|| $content.digest()),
        }
    };
}

static ASSETS: [Asset; 28] = [
    asset!("style.css", STYLE, Content::Text(include_str!("../assets/style.css"))),
    asset!("docs.css", STYLE, Content::Text(include_str!("../assets/docs.css"))),
    asset!("page.js", SCRIPT, Content::Text(include_str!("../assets/page.js"))),
    asset!("docs.js", SCRIPT, Content::Text(include_str!("../assets/docs.js"))),
    asset!("requests.js", SCRIPT, Content::Text(include_str!("../assets/requests.js"))),
    asset!("fonts.js", SCRIPT, Content::Text(include_str!("../assets/fonts.js"))),
    asset!("templates.js", SCRIPT, Content::Text(include_str!("../assets/templates.js"))),
    asset!("areas.js", SCRIPT, Content::Text(include_str!("../assets/areas.js"))),
    asset!("blocks.css", STYLE, Content::Text(include_str!("../assets/blocks.css"))),
    asset!("blocks.js", SCRIPT, Content::Text(include_str!("../assets/blocks.js"))),
    asset!("tree.js", SCRIPT, Content::Text(include_str!("../assets/tree.js"))),
    asset!("job.js", SCRIPT, Content::Text(include_str!("../assets/job.js"))),
    asset!("playground.js", SCRIPT, Content::Text(include_str!("../assets/playground.js"))),
    asset!("icon.svg", "image/svg+xml", Content::Text(include_str!("../assets/icon.svg"))),
    asset!("favicon.ico", "image/x-icon", Content::Bytes(include_bytes!("../assets/favicon.ico"))),
    asset!("extraction.webp", "image/webp", Content::Bytes(include_bytes!("../assets/extraction.webp"))),
    asset!("invoice-template.docx", DOCX, Content::Bytes(include_bytes!("../../../samples/invoice-template.docx"))),
    asset!("small.docx", DOCX, Content::Bytes(include_bytes!("../../../samples/small.docx"))),
    asset!("tree-survey.pdf", "application/pdf", Content::Bytes(include_bytes!("../../../samples/tree-survey.pdf"))),
    asset!("order-form.pdf", "application/pdf", Content::Bytes(include_bytes!("../../../samples/order-form.pdf"))),
    asset!(
        "tree-survey-scan.pdf",
        "application/pdf",
        Content::Bytes(include_bytes!("../../../samples/tree-survey-scan.pdf"))
    ),
    asset!("invoice.xml", "text/xml", Content::Text(include_str!("../../../samples/invoice.xml"))),
    asset!("viewer.js", SCRIPT, Content::Text(include_str!("../assets/viewer.js"))),
    asset!(HTMX, SCRIPT, Content::Gzip(include_bytes!("../assets/htmx-2.0.11.js.gz"))),
    asset!(PDF, SCRIPT, Content::Gzip(include_bytes!("../assets/pdf-6.5.438.min.mjs.gz"))),
    asset!(PDF_WORKER, SCRIPT, Content::Gzip(include_bytes!("../assets/pdf-6.5.438.worker.min.mjs.gz"))),
    asset!("jbig2_nowasm_fallback.js", SCRIPT, Content::Gzip(include_bytes!("../assets/jbig2_nowasm_fallback.js.gz"))),
    asset!(
        "openjpeg_nowasm_fallback.js",
        SCRIPT,
        Content::Gzip(include_bytes!("../assets/openjpeg_nowasm_fallback.js.gz"))
    ),
];

impl Content {
    fn digest(self) -> String {
        let bytes = match self {
            Self::Text(text) => text.as_bytes(),
            Self::Gzip(bytes) | Self::Bytes(bytes) => bytes,
        };
        sha256_hex(bytes)[..12].to_owned()
    }
}

impl Asset {
    /// The content, compressed.
    ///
    /// # Errors
    /// Never: compressing in the memory does not fail.
    pub fn gzip(&self) -> std::io::Result<Cow<'static, [u8]>> {
        match self.content {
            Content::Text(text) => compress(self.delivered(text).as_bytes()).map(Cow::Owned),
            Content::Gzip(bytes) => Ok(Cow::Borrowed(bytes)),
            Content::Bytes(bytes) => compress(bytes).map(Cow::Owned),
        }
    }

    /// Scripts go without the lines that are comments: those are a sixth of the playground's.
    fn delivered(&self, text: &str) -> String {
        let is_kept = |line: &&str| self.content_type != SCRIPT || !line.trim_start().starts_with("//");
        text.split_inclusive('\n').filter(is_kept).collect()
    }

    /// The content for clients that take no compressed one.
    ///
    /// # Errors
    /// Never: tests unpack all assets.
    pub fn plain(&self) -> std::io::Result<Cow<'static, [u8]>> {
        match self.content {
            Content::Text(text) => Ok(Cow::Owned(self.delivered(text).into_bytes())),
            Content::Bytes(bytes) => Ok(Cow::Borrowed(bytes)),
            Content::Gzip(bytes) => {
                let mut plain = Vec::new();
                GzDecoder::new(bytes).read_to_end(&mut plain)?;
                Ok(Cow::Owned(plain))
            }
        }
    }
}

/// The bytes as gzip.
///
/// # Errors
/// Never: compressing in the memory does not fail.
pub fn compress(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// The asset of this name.
pub fn find(name: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.name == name)
}

/// The asset's path with its digest, which browsers may cache indefinitely.
pub fn path(name: &str) -> String {
    let digest = find(name).map_or("", |asset| &asset.digest);
    format!("/assets/{name}?v={digest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_asset_unpacks_and_no_script_or_style_refers_elsewhere() {
        for asset in &ASSETS {
            let plain = asset.plain().unwrap();
            let text = String::from_utf8_lossy(&plain);
            assert!(text.len() > 50, "{}", asset.name);
            for foreign in ["@import", "src=\"http", "url(http", "url(//"] {
                assert!(!text.contains(foreign), "{} has {foreign}", asset.name);
            }
            let mut unpacked = Vec::new();
            GzDecoder::new(asset.gzip().unwrap().as_ref()).read_to_end(&mut unpacked).unwrap();
            assert_eq!(unpacked, plain.as_ref(), "{}", asset.name);
        }
    }

    #[test]
    fn scripts_go_without_their_comments_and_with_all_else() {
        let script = find("playground.js").unwrap();
        let plain = String::from_utf8(script.plain().unwrap().into_owned()).unwrap();
        assert!(plain.lines().all(|line| !line.trim_start().starts_with("//")), "{plain}");
        let Content::Text(source) = script.content else { unreachable!("a script of ours is text") };
        assert!(plain.len() < source.len() && source.lines().filter(|line| plain.contains(line)).count() > 400);
    }
}
