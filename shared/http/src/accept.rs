//! The `Accept` header: whether a client wants JSON or the result itself.

use lambda_http::http::{HeaderMap, HeaderName, header};

/// The media ranges of a request's `Accept` headers with their quality.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Accept(Vec<(String, f32)>);

impl Accept {
    /// Ranges that can't be read are left out.
    pub fn of(headers: &HeaderMap) -> Self {
        let ranges = elements(headers, &header::ACCEPT).map(|element| {
            let mut parts = split(&element, ';').into_iter();
            let range = parts.next().unwrap_or_default().to_ascii_lowercase();
            let quality = parts.find_map(|part| part.to_ascii_lowercase().strip_prefix("q=")?.trim().parse().ok());
            (range, quality.unwrap_or(1.0))
        });
        Self(ranges.collect())
    }

    /// Whether the client prefers a result of this type to JSON. It must name the type or its family (`image/*`): `*/*` and a
    /// missing header mean JSON.
    pub fn prefers(&self, content_type: &str) -> bool {
        let essence = content_type.split(';').next().unwrap_or("").trim().to_ascii_lowercase();
        let family = essence.split('/').next().unwrap_or("");
        let wanted = self.quality(&essence).or_else(|| self.quality(&format!("{family}/*"))).unwrap_or(0.0);
        wanted > self.quality("application/json").unwrap_or(0.0)
    }

    /// Whether the client accepts JSON: it names JSON or anything, or sends no header.
    pub fn takes_json(&self) -> bool {
        let ranges = ["application/json", "application/*", "*/*"];
        self.0.is_empty() || ranges.iter().any(|range| self.quality(range).is_some_and(|quality| quality > 0.0))
    }

    fn quality(&self, range: &str) -> Option<f32> {
        self.0.iter().find(|(named, _)| named == range).map(|(_, quality)| *quality)
    }
}

/// The elements of a list header across all of its lines (RFC 9110 § 5.6.1).
pub(super) fn elements<'a>(headers: &'a HeaderMap, name: &HeaderName) -> impl Iterator<Item = String> + 'a {
    let lines = headers.get_all(name).into_iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| split(line, ',')).filter(|element| !element.is_empty())
}

/// Splits at separators outside quoted strings.
pub(super) fn split(text: &str, separator: char) -> Vec<String> {
    let (mut parts, mut quoted, mut escaped) = (vec![String::new()], false, false);
    for character in text.chars() {
        let splits = character == separator && !quoted;
        quoted ^= character == '"' && !escaped;
        escaped = character == '\\' && quoted && !escaped;
        match parts.last_mut() {
            Some(part) if !splits => part.push(character),
            Some(_) | None => parts.push(String::new()),
        }
    }
    parts.into_iter().map(|part| part.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lambda_http::http::HeaderValue;

    fn accept(value: &str) -> Accept {
        Accept::of(&HeaderMap::from_iter([(header::ACCEPT, HeaderValue::from_str(value).unwrap())]))
    }

    #[test]
    fn a_result_is_wanted_where_its_type_is_named() {
        for value in [
            "application/pdf",
            "Application/PDF",
            "application/*",
            "application/pdf, */*;q=0.8",
            "text/html,application/pdf;q=0.9,*/*;q=0.1",
            "application/pdf;version=\"1,7\";q=1, application/json;q=0.5",
        ] {
            assert!(accept(value).prefers("application/pdf"), "{value}");
        }
        assert!(accept("image/*").prefers("image/png"));
        assert!(accept("text/plain").prefers("text/plain; charset=utf-8"));
    }

    #[test]
    fn anything_and_json_mean_json() {
        assert!(!Accept::default().prefers("application/pdf") && Accept::default().takes_json());
        for value in [
            "*/*",
            "application/json",
            "application/json, application/pdf",
            "application/pdf;q=0.5, application/json",
            "application/pdf;q=0, */*",
            "image/png, */*",
        ] {
            assert!(!accept(value).prefers("application/pdf"), "{value}");
            assert!(accept(value).takes_json(), "{value}");
        }
        for value in ["application/pdf", "image/*", "application/pdf, application/json;q=0"] {
            assert!(!accept(value).takes_json(), "{value}");
        }
    }

    #[test]
    fn quoted_separators_do_not_split() {
        assert_eq!(split(r#"a="x,y\",z", b"#, ','), [r#"a="x,y\",z""#, "b"]);
    }
}
