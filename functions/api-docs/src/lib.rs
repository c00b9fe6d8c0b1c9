//! `GET /openapi.json` and `GET /docs`: the API's description, for machines and for people. Needs no key.

pub mod description;
pub mod site;

use std::sync::Arc;

use docmill::http::envelope::{X_REQUEST_ID, respond};
use docmill::http::error::{ApiError, ErrorCode};
use docmill::http::request::{ApiRequest, accepts_gzip};
use lambda_http::Body;
use lambda_http::http::{HeaderName, HeaderValue, Response, StatusCode, header};

use site::Document;

/// Only what this address serves: no inline script, no other host, no frame around it. The viewer's search runs in a
/// worker that it makes of its own code. The two digests are of the only style elements that the viewer adds: an empty
/// one, whose rules its script fills in, and its scroll bars.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' \
    'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' 'sha256-QMIg+bpjm3JdElJ388KYke01izlUW0UoNOeKjpMxdgc='; \
    img-src data:; connect-src 'self'; worker-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

pub async fn handle(_nothing: Arc<()>, request: ApiRequest) -> Response<Body> {
    match site::find(&request.path) {
        Some(document) => show(document, &request),
        None => respond(&request.id, Err(ErrorCode::RouteNotFound.into()), &[]),
    }
}

fn show(document: &Document, request: &ApiRequest) -> Response<Body> {
    let etag = document.etag();
    let mut headers = vec![
        (X_REQUEST_ID, request.id.to_string()),
        (header::CACHE_CONTROL, document.cache_control.to_owned()),
        (header::ETAG, etag.clone()),
        (header::VARY, "Accept-Encoding".to_owned()),
    ];
    if request.has_current(&etag) {
        return response(StatusCode::NOT_MODIFIED, headers, Body::Empty);
    }
    headers.push((header::CONTENT_TYPE, document.content_type.to_owned()));
    headers.push((header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY.to_owned()));
    headers.push((header::X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()));
    headers.push((header::REFERRER_POLICY, "no-referrer".to_owned()));
    if accepts_gzip(&request.headers) {
        headers.push((header::CONTENT_ENCODING, "gzip".to_owned()));
        return response(StatusCode::OK, headers, Body::Binary(document.gzip.to_vec()));
    }
    match document.plain() {
        Ok(plain) => response(StatusCode::OK, headers, Body::Binary(plain)),
        Err(error) => respond(&request.id, Err(ApiError::internal(error)), &[]),
    }
}

fn response(status: StatusCode, headers: Vec<(HeaderName, String)>, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    for (name, value) in headers {
        // All values are made of printable ASCII; one that is not is left out, not sent broken.
        if let Ok(value) = HeaderValue::try_from(value) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use docmill::http::request::RequestId;
    use lambda_http::http::{HeaderMap, Method};

    async fn get(path: &str, headers: &[(HeaderName, &'static str)]) -> Response<Body> {
        let headers = headers.iter().map(|(name, value)| (name.clone(), HeaderValue::from_static(value)));
        let request = ApiRequest {
            id: RequestId::from("r-1"),
            method: Method::GET,
            path: path.into(),
            path_parameters: Default::default(),
            headers: HeaderMap::from_iter(headers),
            body: Vec::new(),
        };
        handle(Arc::new(()), request).await
    }

    #[tokio::test]
    async fn the_description_is_served_compressed_to_whoever_takes_that() {
        let plain = get("/openapi.json", &[]).await;
        assert_eq!((plain.status().as_u16(), plain.headers().get(header::CONTENT_ENCODING)), (200, None));
        let parsed: serde_json::Value = serde_json::from_slice(plain.body()).unwrap();
        assert_eq!(parsed["info"]["version"], "1.0.0-batch12");

        for accepted in ["gzip", "br, GZIP;q=0.5", "*"] {
            let packed = get("/openapi.json", &[(header::ACCEPT_ENCODING, accepted)]).await;
            assert_eq!(packed.headers()[header::CONTENT_ENCODING], "gzip", "{accepted}");
            assert_eq!(packed.headers()[header::VARY], "Accept-Encoding");
            let mut unpacked = Vec::new();
            std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(packed.body().as_ref()), &mut unpacked)
                .unwrap();
            assert_eq!(unpacked, plain.body().as_ref());
        }
        for refused in ["br", "gzip;q=0", "identity"] {
            let answer = get("/openapi.json", &[(header::ACCEPT_ENCODING, refused)]).await;
            assert_eq!(answer.headers().get(header::CONTENT_ENCODING), None, "{refused}");
        }
    }

    #[tokio::test]
    async fn what_a_browser_has_is_not_sent_again() {
        let first = get("/docs", &[]).await;
        let etag: &'static str = first.headers()[header::ETAG].to_str().unwrap().to_owned().leak();
        let again = get("/docs", &[(header::IF_NONE_MATCH, etag)]).await;
        assert_eq!((again.status().as_u16(), again.body().is_empty()), (304, true));
        assert_eq!(get("/docs", &[(header::IF_NONE_MATCH, "\"other\"")]).await.status(), 200);
    }

    #[tokio::test]
    async fn the_page_needs_only_what_is_served_here_under_a_strict_policy() {
        let page = get("/docs", &[]).await;
        let policy = page.headers()[header::CONTENT_SECURITY_POLICY].to_str().unwrap();
        assert!(
            policy.starts_with("default-src 'none'; script-src 'self'; ") && !policy.contains("unsafe"),
            "{policy}"
        );
        let html = std::str::from_utf8(page.body()).unwrap();
        assert!(!html.contains("//") && !html.contains("<style") && !html.contains(" style="), "{html}");
        for tag in html.split("<script").skip(1) {
            assert!(tag.contains("defer></script>"), "no inline script: {tag}");
        }
        let referenced = html.split(['"', '\'']).filter(|part| part.starts_with("docs/") || *part == "openapi.json");
        let paths: Vec<_> = referenced.map(|path| format!("/{path}")).collect();
        assert_eq!(paths.len(), 4, "{paths:?}");
        for path in paths {
            let file = get(&path, &[]).await;
            assert_eq!(file.status(), 200, "{path}");
            assert!(file.body().len() > 100, "{path}");
        }
    }

    #[tokio::test]
    async fn an_unknown_file_is_an_unknown_route() {
        let answer = get("/docs/../secret", &[]).await;
        assert_eq!(answer.status(), 404);
        assert!(std::str::from_utf8(answer.body()).unwrap().contains("\"route_not_found\""));
    }
}
