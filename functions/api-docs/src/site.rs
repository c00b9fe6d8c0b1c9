//! What is served: the description, the page, and the page's viewer. All of it was compressed when this was compiled.

use std::io::Read;

use docmill::domain::sha256_hex;
use flate2::read::GzDecoder;

/// Changes with a deployment, so it is asked for again, and mostly answered with 304.
const REVALIDATED: &str = "public, max-age=300";
/// The file's name carries its version, so what it names never changes.
const IMMUTABLE: &str = "public, max-age=31536000, immutable";
const SCRIPT: &str = "text/javascript; charset=utf-8";

#[derive(Debug)]
pub struct Document {
    path: &'static str,
    pub content_type: &'static str,
    pub cache_control: &'static str,
    pub gzip: &'static [u8],
}

/// What the build script made of a file.
macro_rules! compressed {
    ($file:literal) => {
        include_bytes!(concat!(env!("OUT_DIR"), "/", $file, ".gz"))
    };
}

const DOCUMENTS: [Document; 5] = [
    document("/openapi.json", "application/json", REVALIDATED, compressed!("openapi.json")),
    document("/docs", "text/html; charset=utf-8", REVALIDATED, compressed!("page/index.html")),
    document("/docs/page.css", "text/css; charset=utf-8", REVALIDATED, compressed!("page/page.css")),
    document("/docs/page.js", SCRIPT, REVALIDATED, compressed!("page/page.js")),
    document("/docs/redoc-2.5.4.js", SCRIPT, IMMUTABLE, include_bytes!("../viewer/redoc-2.5.4.js.gz")),
];

const fn document(
    path: &'static str,
    content_type: &'static str,
    cache_control: &'static str,
    gzip: &'static [u8],
) -> Document {
    Document { path, content_type, cache_control, gzip }
}

pub fn find(path: &str) -> Option<&'static Document> {
    DOCUMENTS.iter().find(|document| document.path == path)
}

impl Document {
    /// Weak, since it stands for the compressed and the plain form alike.
    pub fn etag(&self) -> String {
        format!("W/\"{}\"", &sha256_hex(self.gzip)[..32])
    }

    /// For a client that takes no gzip.
    pub fn plain(&self) -> std::io::Result<Vec<u8>> {
        let mut plain = Vec::new();
        GzDecoder::new(self.gzip).read_to_end(&mut plain)?;
        Ok(plain)
    }
}
