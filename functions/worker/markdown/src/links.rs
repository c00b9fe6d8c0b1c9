//! References relative to the Markdown's address.

use comrak::options::URLRewriter;
use url::Url;

pub(super) struct AbsoluteLinks {
    base: Url,
}

impl AbsoluteLinks {
    pub(super) fn new(base: &str) -> Option<Self> {
        Url::parse(base).ok().map(|base| Self { base })
    }
}

impl URLRewriter for AbsoluteLinks {
    fn to_html(&self, url: &str) -> String {
        // A place in this document.
        if url.is_empty() || url.starts_with('#') {
            return url.to_owned();
        }
        self.base.join(url).map_or_else(|_| url.to_owned(), String::from)
    }
}
