//! What every answer says to the browser about what it may do.

use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;

use crate::state::AppState;

/// What a page may load, run and send to: nothing but what is named here.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    connect: Vec<String>,
    frame: Vec<String>,
    image: Vec<String>,
    form: Vec<String>,
    trusted: Trusted,
}

/// Which scripts may make HTML of text.
#[derive(Clone, Copy, Debug, Default)]
enum Trusted {
    #[default]
    None,
    /// Only by this policy, a function that a script names.
    By(&'static str),
    /// htmx knows no Trusted Types.
    All,
}

impl Policy {
    /// A script may make HTML by the policy of this name (Trusted Types).
    pub fn html_by(mut self, name: &'static str) -> Self {
        self.trusted = Trusted::By(name);
        self
    }

    pub fn with_plain_html(mut self) -> Self {
        self.trusted = Trusted::All;
        self
    }

    /// Scripts may send requests to this origin too.
    pub fn connect(mut self, origin: impl Into<String>) -> Self {
        self.connect.push(origin.into());
        self
    }

    /// The page may show frames from this origin.
    pub fn frame(mut self, origin: impl Into<String>) -> Self {
        self.frame.push(origin.into());
        self
    }

    /// The page may show images from this origin.
    pub fn image(mut self, origin: impl Into<String>) -> Self {
        self.image.push(origin.into());
        self
    }

    /// Forms may end at these origins, by redirects.
    pub fn form(mut self, origins: &[String]) -> Self {
        self.form.extend_from_slice(origins);
        self
    }

    pub fn to_header(&self) -> String {
        let list = |origins: &[String]| origins.iter().map(|origin| format!(" {origin}")).collect::<String>();
        let frame = if self.frame.is_empty() { " 'none'".to_owned() } else { list(&self.frame) };
        let trusted = match self.trusted {
            Trusted::None => "; require-trusted-types-for 'script'; trusted-types 'none'".to_owned(),
            Trusted::By(name) => format!("; require-trusted-types-for 'script'; trusted-types {name}"),
            Trusted::All => String::new(),
        };
        format!(
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:{}; connect-src 'self'{}; \
             frame-src{frame}; form-action 'self'{}; base-uri 'none'; frame-ancestors 'none'{trusted}",
            list(&self.image),
            list(&self.connect),
            list(&self.form),
        )
    }
}

/// A page states its own policy; everything else gets the strictest.
pub async fn headers(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    let mut set = |name: HeaderName, value: &'static str| {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    };
    set(header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'; base-uri 'none'");
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    // Our own pages name each other, so that a form of an ended session leads back to its page; others learn nothing.
    set(header::REFERRER_POLICY, "same-origin");
    set(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    set(HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=(), payment=()");
    set(header::CACHE_CONTROL, "no-store");
    if state.config.is_secure() {
        set(header::STRICT_TRANSPORT_SECURITY, "max-age=31536000");
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_allows_what_is_named_and_never_inline_code() {
        let strict = Policy::default().to_header();
        assert!(strict.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"), "{strict}");
        assert!(
            strict.contains("connect-src 'self'; frame-src 'none'; form-action 'self'; base-uri 'none'"),
            "{strict}"
        );
        let bucket = "https://bucket.example";
        let playground = Policy::default().connect(bucket).frame(bucket).form(&["https://issuer.example".into()]);
        let playground = playground.to_header();
        assert!(playground.contains("connect-src 'self' https://bucket.example; frame-src https://bucket.example;"));
        assert!(playground.contains("form-action 'self' https://issuer.example;"), "{playground}");
        assert!(!playground.contains("unsafe"), "{playground}");
        assert!(strict.ends_with("; require-trusted-types-for 'script'; trusted-types 'none'"), "{strict}");
        let scripted = Policy::default().html_by("docmill").to_header();
        assert!(scripted.ends_with("; require-trusted-types-for 'script'; trusted-types docmill"), "{scripted}");
        assert!(!Policy::default().with_plain_html().to_header().contains("trusted"));
    }
}
