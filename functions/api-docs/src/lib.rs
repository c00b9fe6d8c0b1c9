//! `GET /openapi.json`, `GET /openapi-3.0.json` and `GET /docs`: the API's description for programs and people, and the schemas of
//! results. Needs no key.
//!
//! Pages are functions of the catalogue, guides and description. Requests read nothing else.

pub mod article;
pub mod book;
pub mod contents;
pub mod description;
pub mod error;
pub mod error_code;
pub mod guide;
pub mod members;
pub mod openapi30;
pub mod operation;
pub mod page;
pub mod program;
#[cfg(test)]
mod requests;
pub mod result_schema;
pub mod search;
pub mod sharing;
pub mod tool;

use std::sync::Arc;

use docmill_domain::sha256_hex;
use docmill_http::envelope::{X_REQUEST_ID, respond};
use docmill_http::error::{ApiError, ErrorCode};
use docmill_http::request::{ApiRequest, accepts_gzip};
use docmill_look::assets::compress;
use lambda_http::Body;
use lambda_http::http::{HeaderName, HeaderValue, Method, Response, StatusCode, header};
use maud::html;

use article::{Article, Links};
use book::{Book, OPENAPI, OPENAPI_30};

/// Only files of this host, no inline code, and no frames.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types 'none'";
/// A deployment may change it, so browsers revalidate after five minutes and usually get a 304.
const CACHE_CONTROL: &str = "public, max-age=300";
const HTML: &str = "text/html; charset=utf-8";
const JSON: &str = "application/json";
const JSON_SCHEMA: &str = "application/schema+json";
const TEXT: &str = "text/plain; charset=utf-8";
const MARKDOWN: &str = "text/markdown; charset=utf-8";

/// A document and its content type.
type Document = (&'static str, String);

pub async fn handle(book: Arc<Book>, request: ApiRequest) -> Response<Body> {
    match find(&book, &request.path) {
        Some((content_type, _)) if request.method == Method::HEAD => {
            let headers = vec![
                (X_REQUEST_ID, request.id.to_string()),
                (header::CONTENT_TYPE, content_type.to_owned()),
                (header::CACHE_CONTROL, CACHE_CONTROL.to_owned()),
            ];
            response(StatusCode::OK, headers, Body::Empty)
        }
        Some(document) => show(StatusCode::OK, document, &request),
        None if is_browser(&request) => {
            let page = page::render(&book.entries(), &request.path, &unknown(&request.path));
            show(StatusCode::NOT_FOUND, (HTML, page), &request)
        }
        None => respond(&request.id, Err(ErrorCode::RouteNotFound.into()), &[]),
    }
}

fn find(book: &Book, path: &str) -> Option<Document> {
    match path {
        "/openapi.json" => Some((JSON, OPENAPI.to_owned())),
        "/openapi-3.0.json" => Some((JSON, OPENAPI_30.to_owned())),
        "/llms.txt" => Some((TEXT, book.for_models())),
        "/docs/search.json" => Some((JSON, search::index(book).to_string())),
        _ => match (result_schema::at(path), path.strip_suffix(".md")) {
            (Some(schema), _) => Some((JSON_SCHEMA, schema.to_owned())),
            (None, Some(page)) => Some((MARKDOWN, book.markdown(page)?)),
            (None, None) => Some((HTML, page::render(&book.entries(), path, &book.article(path)?))),
        },
    }
}

/// Programs get JSON, as from any other path.
fn is_browser(request: &ApiRequest) -> bool {
    let accepted = request.headers.get_all(header::ACCEPT).iter().filter_map(|line| line.to_str().ok());
    accepted.flat_map(|line| line.split(',')).any(|range| range.trim().starts_with("text/html"))
}

fn unknown(path: &str) -> Article {
    let links = Links::of(path);
    let body = html! {
        p.lead { "Search the documentation, or begin at its front page." }
        p.actions { a.button.primary href=(links.to("/docs")) { "Go to the documentation" } }
    };
    Article::new("We couldn't find that page", (body, Vec::new()))
}

fn show(status: StatusCode, (content_type, text): Document, request: &ApiRequest) -> Response<Body> {
    let etag = format!("\"{}\"", &sha256_hex(text.as_bytes())[..16]);
    let mut headers = vec![
        (X_REQUEST_ID, request.id.to_string()),
        (header::CACHE_CONTROL, CACHE_CONTROL.to_owned()),
        (header::ETAG, etag.clone()),
        (header::VARY, "Accept-Encoding".to_owned()),
    ];
    if status == StatusCode::OK && request.has_current(&etag) {
        return response(StatusCode::NOT_MODIFIED, headers, Body::Empty);
    }
    headers.push((header::CONTENT_TYPE, content_type.to_owned()));
    headers.push((header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY.to_owned()));
    headers.push((header::X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()));
    headers.push((header::REFERRER_POLICY, "same-origin".to_owned()));
    if !accepts_gzip(&request.headers) {
        return response(status, headers, Body::Text(text));
    }
    match compress(text.as_bytes()) {
        Ok(packed) => {
            headers.push((header::CONTENT_ENCODING, "gzip".to_owned()));
            response(status, headers, Body::Binary(packed))
        }
        Err(error) => respond(&request.id, Err(ApiError::internal(error)), &[]),
    }
}

fn response(status: StatusCode, headers: Vec<(HeaderName, String)>, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    for (name, value) in headers {
        // All values are printable ASCII. Others are left out.
        if let Ok(value) = HeaderValue::try_from(value) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use docmill_http::request::RequestId;
    use lambda_http::http::HeaderMap;

    async fn get(path: &str, headers: &[(HeaderName, &'static str)]) -> Response<Body> {
        ask(Method::GET, path, headers).await
    }

    async fn ask(method: Method, path: &str, headers: &[(HeaderName, &'static str)]) -> Response<Body> {
        let headers = headers.iter().map(|(name, value)| (name.clone(), HeaderValue::from_static(value)));
        let request = ApiRequest {
            id: RequestId::from("r-1"),
            method,
            path: path.into(),
            query: Vec::new(),
            ends_at: std::time::Instant::now() + std::time::Duration::from_secs(9),
            path_parameters: Default::default(),
            headers: HeaderMap::from_iter(headers),
            body: Vec::new(),
        };
        handle(Arc::new(Book::load().unwrap()), request).await
    }

    #[tokio::test]
    async fn documents_are_compressed_for_clients_that_accept_it() {
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
    async fn a_page_can_be_asked_for_without_its_body() {
        let answer = ask(Method::HEAD, "/docs", &[]).await;
        assert_eq!((answer.status().as_u16(), answer.body().is_empty()), (200, true));
        assert_eq!(answer.headers()[header::CONTENT_TYPE], HTML);
    }

    #[tokio::test]
    async fn a_cached_page_is_not_sent_again() {
        let first = get("/docs", &[]).await;
        let etag: &'static str = first.headers()[header::ETAG].to_str().unwrap().to_owned().leak();
        let again = get("/docs", &[(header::IF_NONE_MATCH, etag)]).await;
        assert_eq!((again.status().as_u16(), again.body().is_empty()), (304, true));
        assert_eq!(get("/docs", &[(header::IF_NONE_MATCH, "\"other\"")]).await.status(), 200);
    }

    #[tokio::test]
    async fn pages_have_a_strict_policy_and_are_small() {
        // The index is only loaded by a search.
        for (path, most) in [
            ("/docs", 25_000),
            ("/docs/first-conversion", 25_000),
            ("/docs/tools/html-to-pdf", 25_000),
            ("/docs/api/get-job", 25_000),
            ("/docs/search.json", 60_000),
        ] {
            let page = get(path, &[(header::ACCEPT_ENCODING, "gzip")]).await;
            let policy = page.headers()[header::CONTENT_SECURITY_POLICY].to_str().unwrap();
            assert!(policy.starts_with("default-src 'none'; script-src 'self'; ") && !policy.contains("unsafe"));
            assert!(page.body().len() < most, "{path} has {} bytes", page.body().len());
        }
    }

    #[tokio::test]
    async fn pages_are_there_as_markdown_too() {
        for path in
            ["/docs/webhooks.md", "/docs/tools/merge-pdf.md", "/docs/api/get-job.md", "/docs/errors/internal.md"]
        {
            let page = get(path, &[]).await;
            assert_eq!(page.headers()[header::CONTENT_TYPE], MARKDOWN, "{path}");
            assert!(page.body().starts_with(b"# "), "{path}");
        }
        let list = get("/llms.txt", &[]).await;
        assert!(std::str::from_utf8(list.body()).unwrap().contains("(docs/tools/merge-pdf.md)"));
    }

    #[tokio::test]
    async fn an_unknown_page_is_an_unknown_route() {
        for path in ["/docs/../secret", "/docs/none"] {
            let answer = get(path, &[]).await;
            assert_eq!(answer.status(), 404);
            assert!(std::str::from_utf8(answer.body()).unwrap().contains("\"route_not_found\""));
            let answer = get(path, &[(header::ACCEPT, "text/html,application/xhtml+xml,*/*;q=0.8")]).await;
            assert_eq!(answer.status(), 404);
            assert!(std::str::from_utf8(answer.body()).unwrap().contains("We couldn't find that page"), "{path}");
        }
    }
}
