//! A request for a new version of a stored template.

use serde_json::{Map, Value};

use crate::breach::Breach;
use crate::template::{Delimiters, TemplateName};
use crate::time::Timestamp;
use crate::upload::{UploadId, named_upload};

const NAME_RULE: &str =
    "must be a name of 1 to 64 letters, digits, dots, hyphens and underscores, beginning with a letter or digit";
const DELIMITERS_RULE: &str =
    "must be an object with `open` and `close`, each of one to four signs that are neither letters, digits nor spaces";

/// A valid request.
#[derive(Debug)]
pub struct Wanted {
    /// Of an existing template, or of a new one.
    pub name: TemplateName,
    /// The upload with the file.
    pub upload: UploadId,
    /// What begins and ends a tag, if not `{` and `}`.
    pub delimiters: Option<Delimiters>,
}

impl Wanted {
    /// Reads a request's body.
    ///
    /// # Errors
    /// All breaches of the body.
    pub fn read(body: &Map<String, Value>, now: Timestamp) -> Result<Self, Vec<Breach>> {
        let name = body.get("name").and_then(Value::as_str).and_then(TemplateName::parse);
        let upload = named_upload(body, now);
        let delimiters = body.get("delimiters").map(Delimiters::read);
        let mut breaches = Vec::new();
        if name.is_none() {
            breaches.push(Breach::new("/name", NAME_RULE));
        }
        if let Err(missing) = &upload {
            breaches.extend(missing.iter().cloned());
        }
        if delimiters == Some(None) {
            breaches.push(Breach::new("/delimiters", DELIMITERS_RULE));
        }
        match (name, upload) {
            (Some(name), Ok(upload)) if breaches.is_empty() => {
                Ok(Self { name, upload, delimiters: delimiters.flatten() })
            }
            _ => Err(breaches),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn all_breaches_of_a_request_are_told() {
        let upload = UploadId::new();
        let read = |body: Value| Wanted::read(body.as_object().unwrap(), Timestamp(0));
        let wanted =
            read(json!({"name": "a", "uploadId": upload.to_string(), "delimiters": {"open": "[[", "close": "]]"}}));
        let wanted = wanted.unwrap();
        assert_eq!((wanted.name.as_str(), wanted.upload), ("a", upload));
        assert_eq!(wanted.delimiters, Some(Delimiters { open: "[[".to_owned(), close: "]]".to_owned() }));
        let breaches = read(json!({"name": "a/b", "delimiters": {"open": "a", "close": "]]"}})).unwrap_err();
        let paths: Vec<_> = breaches.iter().map(|breach| breach.path.as_str()).collect();
        assert_eq!(paths, ["/name", "/uploadId", "/delimiters"]);
        for delimiters in
            [json!(1), json!({"open": "{"}), json!({"open": "", "close": "}"}), json!({"open": "{ ", "close": "}"})]
        {
            let body = json!({"name": "a", "uploadId": upload.to_string(), "delimiters": delimiters});
            assert_eq!(read(body).unwrap_err()[0].path, "/delimiters");
        }
    }
}
