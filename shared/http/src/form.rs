//! Requests with files: `multipart/form-data` (RFC 7578).

use std::convert::Infallible;

use docmill_app::tools;
use docmill_domain::breach::Breach;
use docmill_domain::catalogue::Catalogue;
use docmill_domain::limits::MAX_BODY_BYTES;
use docmill_domain::request::form::{Form, Part};
use docmill_domain::request::nesting::{MAX_NESTING, depth};
use lambda_http::http::header;
use multer::Multipart;

use super::error::{ApiError, ErrorCode};
use super::request::ApiRequest;

/// Largest form. Lambda takes 6,291,456 bytes in a request, as JSON with the body in base64: a third more than its size.
pub const MOST_FORM_BYTES: usize = 4_500_000;
/// More than a job can use: 100 files, and options.
const MOST_PARTS: usize = 300;

/// Reads a form as a request for a job of the tool with this slug.
///
/// # Errors
/// If it is too large, can't be read, or there is no such tool.
pub async fn read(request: &ApiRequest, catalogue: &Catalogue, slug: &str) -> Result<Form, ApiError> {
    if request.body.len() > MOST_FORM_BYTES {
        return Err(too_large());
    }
    let tool = tools::find(catalogue, slug)?;
    let form = Form::read(parts(request).await?, &tool.definition).map_err(ApiError::validation)?;
    if depth(&form.body) > MAX_NESTING {
        return Err(ErrorCode::InvalidJson.into());
    }
    Ok(form)
}

async fn parts(request: &ApiRequest) -> Result<Vec<Part>, ApiError> {
    let content_type = request.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let boundary = multer::parse_boundary(content_type.unwrap_or_default()).map_err(|_| unbounded())?;
    let body = request.body.clone();
    let mut form = Multipart::new(futures_util::stream::iter([Ok::<_, Infallible>(body)]), boundary);
    let (mut parts, mut text_bytes) = (Vec::new(), 0);
    while let Some(field) = form.next_field().await.map_err(|error| unreadable(&error))? {
        if parts.len() == MOST_PARTS {
            return Err(invalid(format!("has more than {MOST_PARTS} parts")));
        }
        let name = field.name().filter(|name| !name.is_empty()).map(str::to_owned);
        let name = name.ok_or_else(|| invalid("has a part without a `name`".to_owned()))?;
        let filename = field.file_name().map(str::to_owned);
        let content_type = field.content_type().map(ToString::to_string);
        let bytes = field.bytes().await.map_err(|error| unreadable(&error))?.to_vec();
        if filename.is_none() {
            text_bytes += bytes.len();
        }
        parts.push(Part { name, filename, content_type, bytes });
    }
    if text_bytes > MAX_BODY_BYTES {
        return Err(invalid(format!("has more than {} MiB of fields that are no files", MAX_BODY_BYTES >> 20)));
    }
    if parts.is_empty() {
        return Err(invalid("has no parts: send the file as `file`".to_owned()));
    }
    Ok(parts)
}

fn too_large() -> ApiError {
    ApiError::from(ErrorCode::PayloadTooLarge).with_message(format!(
        "A form may have {:.1} MB, files and all. Upload larger files: `POST /v1/uploads` gives a link to send the \
         file to; then send JSON with its `uploadId`. See /docs/uploads.",
        MOST_FORM_BYTES as f64 / 1e6
    ))
}

fn unbounded() -> ApiError {
    invalid("has no `boundary` in its Content-Type: let your client write this header, which `curl -F` does".to_owned())
}

/// The parser's messages can repeat a part of the form, so they are not shown.
fn unreadable(error: &multer::Error) -> ApiError {
    use multer::Error::{IncompleteFieldData, IncompleteHeaders, IncompleteStream};
    let is_cut = matches!(error, IncompleteHeaders | IncompleteFieldData { .. } | IncompleteStream);
    let why = if is_cut { "ends before its last boundary" } else { "can't be read as multipart/form-data (RFC 7578)" };
    invalid(why.to_owned())
}

fn invalid(why: String) -> ApiError {
    let error = ApiError::validation(vec![Breach::new("", why)]);
    error.with_message("The form can't be read. See `details`.")
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::time::{Duration, Instant};

    use lambda_http::http::{HeaderMap, HeaderValue, Method};
    use proptest::prelude::*;

    use super::*;
    use crate::request::RequestId;

    const TYPE: &str = "multipart/form-data; boundary=xYz";

    fn request(content_type: &str, body: impl Into<Vec<u8>>) -> ApiRequest {
        ApiRequest {
            id: RequestId::from("r"),
            method: Method::POST,
            path: "/v1/convert/html-to-pdf".into(),
            path_parameters: HashMap::new(),
            query: Vec::new(),
            ends_at: Instant::now() + Duration::from_secs(9),
            headers: HeaderMap::from_iter([(header::CONTENT_TYPE, HeaderValue::from_str(content_type).unwrap())]),
            body: body.into(),
        }
    }

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_current_thread().build().unwrap()
    }

    fn form(content_type: &str, body: impl Into<Vec<u8>>) -> Result<Form, ApiError> {
        form_of("html-to-pdf", content_type, body)
    }

    fn form_of(tool: &str, content_type: &str, body: impl Into<Vec<u8>>) -> Result<Form, ApiError> {
        let catalogue = Catalogue::load().unwrap();
        runtime().block_on(read(&request(content_type, body), &catalogue, tool))
    }

    fn written(parts: &[(&str, &[u8])]) -> Vec<u8> {
        let mut body = Vec::new();
        for (disposition, bytes) in parts {
            body.extend(format!("--xYz\r\nContent-Disposition: form-data; {disposition}\r\n\r\n").as_bytes());
            body.extend(*bytes);
            body.extend(b"\r\n");
        }
        body.extend(b"--xYz--\r\n");
        body
    }

    #[test]
    fn a_file_comes_out_as_it_went_in() {
        let bytes: Vec<u8> = (0..=255).chain(*b"\r\n--xY\r\n").collect();
        let body = written(&[("name=\"landscape\"", b"true"), ("name=\"file\"; filename=\"a b.html\"", &bytes)]);
        let form = form(TYPE, body).unwrap();
        assert_eq!(form.files[0].bytes, bytes);
        assert_eq!(form.files[0].filename.as_deref(), Some("a b.html"));
        assert_eq!(form.body["options"]["landscape"], true);
    }

    #[test]
    fn a_form_that_can_not_be_read_says_why_and_nothing_of_itself() {
        let whole = written(&[("name=\"file\"; filename=\"canary\"", b"canary")]);
        let cut = whole[..whole.len() - 8].to_vec();
        let nameless = written(&[("filename=\"canary\"", b"canary")]);
        let many = written(&vec![("name=\"a\"", b"1".as_slice()); MOST_PARTS + 1]);
        let long = vec![b'x'; MAX_BODY_BYTES + 1];
        for (content_type, body, why) in [
            ("multipart/form-data", whole.clone(), "boundary"),
            (TYPE, cut, "ends before"),
            (TYPE, b"canary".to_vec(), "ends before"),
            (TYPE, nameless, "without a `name`"),
            (TYPE, written(&[]), "has no parts"),
            (TYPE, many, "more than 300 parts"),
            (TYPE, written(&[("name=\"html\"", &long)]), "MiB of fields"),
        ] {
            let error = form(content_type, body).unwrap_err();
            assert_eq!(error.code, ErrorCode::ValidationFailed);
            assert!(error.details[0].message.contains(why), "{}", error.details[0].message);
            assert!(!format!("{error:?}").contains("canary"));
        }
        let large = form(TYPE, vec![0; MOST_FORM_BYTES + 1]).unwrap_err();
        assert_eq!(large.code, ErrorCode::PayloadTooLarge);
        assert!(large.message.starts_with("A form may have 4.5 MB,"), "{}", large.message);
        let catalogue = Catalogue::load().unwrap();
        let unknown = runtime().block_on(read(&request(TYPE, whole), &catalogue, "merge")).unwrap_err();
        assert_eq!(unknown.code, ErrorCode::ToolNotFound);
    }

    #[test]
    fn the_largest_form_fits_into_an_event_of_lambda() {
        let (payload, headers_and_json) = (6_291_456, 64 << 10);
        assert!(MOST_FORM_BYTES.div_ceil(3) * 4 + headers_and_json < payload);
    }

    #[test]
    fn fuzz_forms() {
        docmill_fuzz::fuzz("form", &[], |bytes| {
            if let Ok(form) = form(TYPE, bytes.to_vec()) {
                assert!(form.files.iter().all(|file| !file.bytes.is_empty()));
            }
        });
    }

    proptest! {
        #[test]
        fn any_files_and_names_survive(files in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..200), 1..5)) {
            // A file that has the boundary itself is another form: the client must choose one that no file has.
            prop_assume!(!files.iter().any(|bytes| bytes.windows(5).any(|part| part == b"--xYz")));
            let parts: Vec<_> =
                files.iter().map(|bytes| ("name=\"file\"; filename=\"a.html\"", bytes.as_slice())).collect();
            let form = form_of("merge-pdf", TYPE, written(&parts)).unwrap();
            let read: Vec<_> = form.files.into_iter().map(|file| file.bytes).collect();
            prop_assert_eq!(read, files);
        }
    }
}
