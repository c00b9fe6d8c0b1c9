//! The page after signing in, which is always one of our own.

use serde::{Deserialize, Serialize};
use url::{Url, form_urlencoded};

/// Path and query of one of our pages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct ReturnTo(String);

const HOME: &str = "/app";
/// Longer than any of our addresses.
const LONGEST: usize = 2000;
/// Pages that redirect here or don't support GET.
const NOT_THERE: [&str; 3] = ["/app/sign-in", "/app/callback", "/app/sign-out"];

impl ReturnTo {
    /// `None` for anything that could lead elsewhere: other hosts or schemes, or the sign-in itself.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let plain = text.len() <= LONGEST && text.starts_with('/') && text.bytes().all(|byte| byte.is_ascii_graphic());
        // Browsers treat a backslash as a slash, and two slashes as the start of a host.
        if !plain || text.contains('\\') || text.starts_with("//") {
            return None;
        }
        let base = Url::parse("https://dashboard.invalid/").ok()?;
        let url = base.join(text).ok()?;
        // Resolved like in a browser, including dots.
        let path = url.path();
        let own = path == HOME
            || ["/app/", "/admin", "/tools", "/plans"].iter().any(|start| path.starts_with(start))
            || path == "/";
        if url.origin() != base.origin() || !own || path.starts_with("//") || NOT_THERE.contains(&path) {
            return None;
        }
        Some(Self(url.query().map_or(path.to_owned(), |query| format!("{path}?{query}"))))
    }

    pub(crate) fn from_query(text: Option<&str>) -> Self {
        text.and_then(Self::parse).unwrap_or_default()
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn to_query(&self) -> String {
        form_urlencoded::Serializer::new(String::new()).append_pair("return_to", &self.0).finish()
    }
}

impl Default for ReturnTo {
    fn default() -> Self {
        Self(HOME.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn own_pages_keep_their_query() {
        for own in
            ["/app", "/app/keys", "/app/jobs?status=failed&after=x%20y", "/admin/tools", "/tools/html-to-pdf", "/"]
        {
            assert_eq!(ReturnTo::parse(own).unwrap().as_str(), own);
        }
        assert_eq!(ReturnTo::from_query(None).as_str(), "/app");
        assert_eq!(ReturnTo::parse("/app/jobs?a=b").unwrap().to_query(), "return_to=%2Fapp%2Fjobs%3Fa%3Db");
    }

    #[test]
    fn other_places_are_refused() {
        for elsewhere in [
            "",
            "app",
            "https://evil.example/app",
            "//evil.example/app",
            "/\\evil.example",
            "\\/evil.example",
            "/app\\..\\x",
            "/app/..//evil.example",
            "/%2e%2e//evil.example",
            "/app/sign-in",
            "/app/callback?code=x",
            "/app/./sign-out",
            "/app/\nLocation:x",
            "/app/\u{e9}",
            "javascript:alert(1)",
            "/v1/tools",
            "/application",
            "/app//\t/evil",
        ] {
            assert_eq!(ReturnTo::parse(elsewhere), None, "{elsewhere:?}");
        }
        assert_eq!(ReturnTo::parse(&format!("/app/{}", "x".repeat(LONGEST))), None);
    }

    proptest! {
        #[test]
        fn every_accepted_path_stays_on_this_host(text in "(/|//|\\\\|app|admin|tools|\\.\\.|[@:?#%]|\\PC){0,12}") {
            let place = ReturnTo::from_query(Some(&text));
            let base = Url::parse("http://localhost:4566/_aws/execute-api/abc/").unwrap();
            let with_base_path = base.join(&format!("/_aws/execute-api/abc{}", place.as_str())).unwrap();
            prop_assert_eq!(with_base_path.origin(), base.origin());
            prop_assert!(with_base_path.path().starts_with("/_aws/execute-api/abc/"), "{}", with_base_path);
            let without = Url::parse("https://docs.example/x").unwrap().join(place.as_str()).unwrap();
            prop_assert_eq!(without.host_str(), Some("docs.example"));
            // Accepted text is accepted again, unchanged.
            prop_assert_eq!(ReturnTo::parse(place.as_str()), Some(place));
        }
    }
}
