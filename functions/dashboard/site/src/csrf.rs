//! Requests that change something must come from a page of the same session: they need its form token in a field or, from
//! scripts, a header.

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, header};
use subtle::ConstantTimeEq as _;
use url::form_urlencoded;

use crate::error::PageError;

pub(crate) const FIELD: &str = "csrf_token";
pub(crate) const HEADER: &str = "x-csrf-token";
/// Larger than any of our forms.
const FORM_BYTES: usize = 1024 * 1024;

/// Passes the request on if it has the session's token. Reads the body for that and restores it.
///
/// # Errors
/// If the token is missing or another session's, or the body can't be read.
pub async fn check(token: &str, request: Request) -> Result<Request, PageError> {
    if is_foreign(request.headers()) {
        return Err(PageError::StaleForm);
    }
    if let Some(sent) = request.headers().get(HEADER) {
        return if bool::from(sent.as_bytes().ct_eq(token.as_bytes())) {
            Ok(request)
        } else {
            Err(PageError::StaleForm)
        };
    }
    let (parts, body) = request.into_parts();
    let bytes = to_bytes(body, FORM_BYTES).await.map_err(|_| PageError::BadRequest)?;
    let is_form = parts
        .headers
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"application/x-www-form-urlencoded"));
    let sent = form_urlencoded::parse(&bytes).find(|(name, _)| name == FIELD).map(|(_, value)| value);
    // In constant time, so that timing does not show how much of a token is right.
    match sent {
        Some(sent) if is_form && bool::from(sent.as_bytes().ct_eq(token.as_bytes())) => {
            Ok(Request::from_parts(parts, Body::from(bytes)))
        }
        Some(_) | None => Err(PageError::StaleForm),
    }
}

/// Whether the browser reports that another site sent this. Older browsers don't report it, so only the token counts.
fn is_foreign(headers: &HeaderMap) -> bool {
    headers.get("sec-fetch-site").is_some_and(|site| site != "same-origin" && site != "none")
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::BodyExt;

    fn form() -> axum::http::request::Builder {
        Request::builder().method("POST").header("content-type", "application/x-www-form-urlencoded")
    }

    async fn verdict(request: Request) -> Result<String, String> {
        match check("secret", request).await {
            Ok(passed) => {
                Ok(String::from_utf8(passed.into_body().collect().await.unwrap().to_bytes().to_vec()).unwrap())
            }
            Err(error) => Err(error.to_string()),
        }
    }

    #[tokio::test]
    async fn the_token_in_a_field_or_a_header_lets_a_request_pass_with_its_body() {
        let body = "name=x&csrf_token=secret";
        assert_eq!(verdict(form().body(Body::from(body)).unwrap()).await.unwrap(), body);
        let scripted = Request::builder().method("POST").header(HEADER, "secret");
        assert_eq!(verdict(scripted.body(Body::from("{}")).unwrap()).await.unwrap(), "{}");
    }

    #[tokio::test]
    async fn missing_wrong_and_misplaced_tokens_are_refused() {
        for body in ["name=x", "csrf_token=", "csrf_token=other_", "csrf_token=secre", "CSRF_TOKEN=secret", ""] {
            assert!(verdict(form().body(Body::from(body)).unwrap()).await.is_err(), "{body}");
        }
        // Pages of other sites can send text/plain without a preflight request.
        let disguised = Request::builder().method("POST").header("content-type", "text/plain");
        assert!(verdict(disguised.body(Body::from("csrf_token=secret")).unwrap()).await.is_err());
        let wrong_header = form().header(HEADER, "other").body(Body::from("csrf_token=secret")).unwrap();
        assert!(verdict(wrong_header).await.is_err());
        let in_query = Request::builder().method("POST").uri("/?csrf_token=secret");
        assert!(verdict(in_query.body(Body::empty()).unwrap()).await.is_err());
    }

    #[tokio::test]
    async fn cross_site_requests_are_refused_even_with_the_token() {
        for (site, passes) in [("same-origin", true), ("none", true), ("cross-site", false), ("same-site", false)] {
            let request = form().header("sec-fetch-site", site).body(Body::from("csrf_token=secret")).unwrap();
            assert_eq!(verdict(request).await.is_ok(), passes, "{site}");
        }
    }
}
