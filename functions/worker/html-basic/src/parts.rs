//! A page or stylesheet as text with holes for fetched resources.

use url::Url;

/// The kinds of resources that are treated differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Stylesheet,
    /// A picture or font.
    Asset,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Text(String),
    Reference {
        /// Absolute, http or https, without fragment.
        url: Url,
        kind: Kind,
        /// The original reference, which is kept if nothing was fetched.
        written: String,
        form: Form,
    },
}

/// How a resource is inserted. Data URLs contain nothing that needs escaping in HTML or CSS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Only the URL, as an attribute's value.
    Value,
    /// As a CSS token: `url(…)`.
    CssUrl,
}

impl Form {
    pub(super) fn write(self, data_url: &str, into: &mut String) {
        match self {
            Self::Value => into.push_str(data_url),
            Self::CssUrl => {
                into.push_str("url(");
                into.push_str(data_url);
                into.push(')');
            }
        }
    }
}

/// The base of references.
#[derive(Clone, Debug)]
pub(super) struct Base {
    url: Option<Url>,
    /// References that could not be resolved, for lack of a base.
    pub(super) relative: u32,
}

/// The kind of a resolved reference.
pub(super) enum Resolved {
    Remote(Url),
    /// Nothing to fetch: a data URL, a fragment, another scheme, or not a URL.
    Local,
}

impl Base {
    pub(super) fn new(url: Option<Url>) -> Self {
        Self { url, relative: 0 }
    }

    pub(super) fn set(&mut self, written: &str) {
        let base = match &self.url {
            Some(url) => url.join(written),
            None => Url::parse(written),
        };
        if let Ok(base) = base.as_ref()
            && matches!(base.scheme(), "http" | "https")
        {
            self.url = Some(base.clone());
        }
    }

    pub(super) fn resolve(&mut self, written: &str) -> Resolved {
        let written = written.trim();
        if written.is_empty() || written.starts_with('#') {
            return Resolved::Local;
        }
        let resolved = match &self.url {
            Some(base) => base.join(written),
            None => Url::parse(written),
        };
        match resolved {
            Ok(mut url) if matches!(url.scheme(), "http" | "https") => {
                url.set_fragment(None);
                Resolved::Remote(url)
            }
            Ok(_) => Resolved::Local,
            Err(url::ParseError::RelativeUrlWithoutBase) => {
                self.relative = self.relative.saturating_add(1);
                Resolved::Local
            }
            Err(_) => Resolved::Local,
        }
    }
}

/// Whether a reference is a data URL, which needs no fetching.
pub(super) fn is_data_url(written: &str) -> bool {
    written.trim_start().get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"))
}

/// Whether a list of media queries may be true for print. Unknown queries count as true.
pub(super) fn applies_to_print(media: &str) -> bool {
    media.split(',').any(|query| {
        let mut words = query.split_ascii_whitespace().map(str::to_ascii_lowercase);
        match words.next().as_deref() {
            None => media.trim().is_empty(),
            Some("only") => words.next().is_none_or(|kind| is_print(&kind)),
            Some("not") => words.next().is_none_or(|kind| !is_print(&kind)),
            Some(kind) => is_print(kind),
        }
    })
}

fn is_print(kind: &str) -> bool {
    !matches!(kind, "screen" | "speech" | "aural" | "braille" | "embossed" | "handheld" | "projection" | "tty" | "tv")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remote(base: &mut Base, written: &str) -> Option<String> {
        match base.resolve(written) {
            Resolved::Remote(url) => Some(url.to_string()),
            Resolved::Local => None,
        }
    }

    #[test]
    fn references_are_resolved_against_the_base() {
        let mut base = Base::new(Some("https://a.test/dir/page.html".parse().unwrap()));
        assert_eq!(remote(&mut base, "x.png#y").as_deref(), Some("https://a.test/dir/x.png"));
        assert_eq!(remote(&mut base, "//b.test/x").as_deref(), Some("https://b.test/x"));
        base.set("/other/");
        assert_eq!(remote(&mut base, "x.png").as_deref(), Some("https://a.test/other/x.png"));
        for local in ["", "#a", "data:text/css,x", "file:///etc/passwd", "javascript:1"] {
            assert_eq!(remote(&mut base, local), None, "{local}");
        }
        assert_eq!(base.relative, 0);
    }

    #[test]
    fn without_a_base_relative_references_are_counted() {
        let mut base = Base::new(None);
        assert_eq!(remote(&mut base, "http://a.test/x").as_deref(), Some("http://a.test/x"));
        assert_eq!(remote(&mut base, "logo.png"), None);
        assert_eq!(base.relative, 1);
    }

    #[test]
    fn only_styles_for_print_matter() {
        for applies in ["", "print", "all", "screen, print", "(min-width: 1px)", "only print", "not screen"] {
            assert!(applies_to_print(applies), "{applies}");
        }
        for other in ["screen", "SCREEN and (min-width: 1px)", "only screen", "not print", "speech, tv"] {
            assert!(!applies_to_print(other), "{other}");
        }
    }
}
