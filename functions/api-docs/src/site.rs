//! What is served: the description, the page, and the page's viewer. All of it is held compressed.

use std::borrow::Cow;
use std::io::{Read, Write};

use docmill::domain::sha256_hex;
use docmill::domain::tool::{Catalogue, CatalogueError};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use crate::description::{self, DescriptionError};

/// Changes with a deployment, so it is asked for again, and mostly answered with 304.
const REVALIDATED: &str = "public, max-age=300";
/// The file's name carries its version, so what it names never changes.
const IMMUTABLE: &str = "public, max-age=31536000, immutable";

#[derive(Debug)]
pub struct Site {
    documents: Vec<Document>,
}

#[derive(Debug)]
pub struct Document {
    path: &'static str,
    pub content_type: &'static str,
    pub cache_control: &'static str,
    /// Weak, since it stands for the compressed and the plain form alike.
    pub etag: String,
    pub gzip: Cow<'static, [u8]>,
}

#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    #[error(transparent)]
    Description(#[from] DescriptionError),
    #[error("a document could not be compressed: {0}")]
    Compression(#[from] std::io::Error),
}

impl Site {
    pub fn load() -> Result<Self, SiteError> {
        let openapi = description::openapi(&Catalogue::load()?)?.to_string();
        let viewer = include_bytes!("../viewer/redoc-2.5.4.js.gz").as_slice();
        const SCRIPT: &str = "text/javascript; charset=utf-8";
        let documents = vec![
            compressed("/openapi.json", "application/json", &openapi)?,
            compressed("/docs", "text/html; charset=utf-8", include_str!("../page/index.html"))?,
            compressed("/docs/page.css", "text/css; charset=utf-8", include_str!("../page/page.css"))?,
            compressed("/docs/page.js", SCRIPT, include_str!("../page/page.js"))?,
            document("/docs/redoc-2.5.4.js", SCRIPT, IMMUTABLE, viewer.into()),
        ];
        Ok(Self { documents })
    }

    pub fn find(&self, path: &str) -> Option<&Document> {
        self.documents.iter().find(|document| document.path == path)
    }
}

impl Document {
    /// For a client that takes no gzip.
    pub fn plain(&self) -> std::io::Result<Vec<u8>> {
        let mut plain = Vec::new();
        GzDecoder::new(self.gzip.as_ref()).read_to_end(&mut plain)?;
        Ok(plain)
    }
}

fn compressed(path: &'static str, content_type: &'static str, text: &str) -> std::io::Result<Document> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes())?;
    Ok(document(path, content_type, REVALIDATED, encoder.finish()?.into()))
}

fn document(
    path: &'static str,
    content_type: &'static str,
    cache_control: &'static str,
    gzip: Cow<'static, [u8]>,
) -> Document {
    let etag = format!("W/\"{}\"", &sha256_hex(&gzip)[..32]);
    Document { path, content_type, cache_control, etag, gzip }
}
