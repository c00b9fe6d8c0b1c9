//! Security headers of every response.

use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;

use crate::state::AppState;

/// What a page may load, run and send to. Everything else is forbidden.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    connect: Vec<String>,
    frame: Vec<String>,
    image: Vec<String>,
    form: Vec<String>,
    trusted: Trusted,
}

/// Which scripts may turn text into HTML.
#[derive(Clone, Copy, Debug, Default)]
enum Trusted {
    #[default]
    None,
    /// Only the policy with this name, which a script registers.
    By(&'static str),
    /// htmx does not support Trusted Types.
    All,
}

impl Policy {
    /// Allows the Trusted Types policy with this name.
    pub fn html_by(mut self, name: &'static str) -> Self {
        self.trusted = Trusted::By(name);
        self
    }

    pub(crate) fn with_plain_html(mut self) -> Self {
        self.trusted = Trusted::All;
        self
    }

    /// Allows requests to this origin.
    pub fn connect(mut self, origin: impl Into<String>) -> Self {
        self.connect.push(origin.into());
        self
    }

    /// Allows frames from this origin.
    pub fn frame(mut self, origin: impl Into<String>) -> Self {
        self.frame.push(origin.into());
        self
    }

    /// Allows images from this origin.
    pub fn image(mut self, origin: impl Into<String>) -> Self {
        self.image.push(origin.into());
        self
    }

    /// Allows forms to end at these origins after redirects.
    pub fn form(mut self, origins: &[String]) -> Self {
        self.form.extend_from_slice(origins);
        self
    }

    pub(crate) fn to_header(&self) -> String {
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

/// Pages set their own policy. Everything else gets the strictest.
pub async fn headers(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    let mut set = |name: HeaderName, value: &'static str| {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    };
    set(header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'; base-uri 'none'");
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    // Only our own pages get the referrer, so that a form of an ended session can lead back to its page.
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
    fn a_policy_allows_named_sources_and_never_inline_code() {
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
