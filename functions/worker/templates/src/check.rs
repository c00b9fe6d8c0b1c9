//! Whether an upload is a template that jobs can fill: its format, its tags, and the data that it expects.

use docmill_domain::breach::Breach;
use docmill_domain::template::{Candidate, Checked, Delimiters, MOST_TEMPLATE_BYTES, Unusable};
use serde_json::json;

use crate::{Failure, Format, Limits, Options, Problem, Template};

/// Most bytes of all parts with tags, unpacked. A job may take more, but not the function that checks.
const MOST_UNPACKED_BYTES: usize = 64 << 20;
/// Most bytes of the schema and the example. Responses have them.
const MOST_EXPECTED_BYTES: usize = 1 << 20;
/// Further mistakes are not told.
const MOST_DETAILS: usize = 50;

/// Reads an upload as a template.
///
/// # Errors
/// If it is too large, its format can't be filled, its tags have mistakes, or it expects too much.
pub fn check(candidate: Candidate<'_>) -> Result<Checked, Unusable> {
    let Candidate { file, content_type, disposition, delimiters } = candidate;
    if file.len() > MOST_TEMPLATE_BYTES {
        return Err(refused("The template is larger than 20 MiB."));
    }
    let format = Format::identify(&file, extension(disposition), content_type).map_err(unreadable)?;
    let format = format.ok_or_else(|| {
        refused("The upload is not a template that can be filled. Give a docx, xlsx, pptx, odt, HTML or Markdown file.")
    })?;
    let template = Template::open(file.clone(), format, options(delimiters)?).map_err(unreadable)?;
    if !template.mistakes().is_empty() {
        return Err(with_mistakes(template.mistakes()));
    }
    let expected = template.expected();
    let expected = json!({"schema": expected.schema, "example": expected.example}).to_string();
    if expected.len() > MOST_EXPECTED_BYTES {
        return Err(refused("The template uses too many names: their schema has more than 1 MiB."));
    }
    Ok(Checked { file, format: format.format(), expected })
}

/// The extension of the file's name, which ends the header.
fn extension(disposition: Option<&str>) -> Option<&str> {
    let (_, extension) = disposition?.rsplit_once('.')?;
    Some(extension.trim_end_matches('"'))
}

fn options(delimiters: Option<&Delimiters>) -> Result<Options, Unusable> {
    let limits = Limits { bytes: MOST_UNPACKED_BYTES, ..Limits::default() };
    let usual = Options { limits, ..Options::default() };
    let Some(Delimiters { open, close }) = delimiters else { return Ok(usual) };
    let delimiters = crate::Delimiters::new(open, close).map_err(unreadable)?;
    Ok(Options { delimiters, ..usual })
}

fn unreadable(failure: Failure) -> Unusable {
    match failure {
        Failure::Corrupt(why) => refused(&format!("The template can't be read: {why}.")),
        Failure::TooLarge(message) | Failure::Options(message) => refused(&message),
        Failure::Template(mistakes) => with_mistakes(&mistakes),
    }
}

fn refused(message: &str) -> Unusable {
    Unusable { message: message.to_owned(), mistakes: Vec::new() }
}

/// All at once, so that a designer can mend them together.
fn with_mistakes(mistakes: &[Problem]) -> Unusable {
    let message = match mistakes.len() {
        1 => "The template has a mistake: see `details`.".to_owned(),
        count if count > MOST_DETAILS => {
            format!("The template has {count} mistakes: `details` has the first {MOST_DETAILS}.")
        }
        count => format!("The template has {count} mistakes: see `details`."),
    };
    let details = mistakes.iter().take(MOST_DETAILS).map(|mistake| Breach::new("/uploadId", told(mistake)));
    Unusable { message, mistakes: details.collect() }
}

/// A mistake with its place.
fn told(mistake: &Problem) -> String {
    let place = &mistake.place;
    let part = (!place.part.is_empty()).then(|| place.part.clone());
    let page = place.page.map(|page| format!("page {page}"));
    let line = place.line.map(|line| format!("line {line}"));
    let text = (!place.text.is_empty()).then(|| format!("“{}”", place.text));
    let place: Vec<_> = [part, page, line, place.address(), text].into_iter().flatten().collect();
    if place.is_empty() { mistake.message.clone() } else { format!("{} ({})", mistake.message, place.join(", ")) }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::{Place, Reason};

    const HTML: Option<&str> = Some("text/html");

    fn candidate<'a>(file: &[u8], content_type: Option<&'a str>) -> Candidate<'a> {
        Candidate { file: file.to_vec(), content_type, disposition: None, delimiters: None }
    }

    fn refusal(file: &[u8], content_type: Option<&str>) -> Unusable {
        check(candidate(file, content_type)).unwrap_err()
    }

    #[test]
    fn a_template_is_kept_with_what_it_expects() {
        let checked = check(candidate(b"<p>{name} {#items}{price|number}{/items}</p>", HTML)).unwrap();
        assert_eq!((checked.format.extension(), checked.format.content_type()), ("html", "text/html; charset=utf-8"));
        let expected: Value = serde_json::from_str(&checked.expected).unwrap();
        assert_eq!(expected["schema"]["properties"]["items"]["items"]["properties"]["price"]["type"], "number");
        assert!(expected["example"]["name"].is_string());
    }

    #[test]
    fn a_mistake_in_a_workbook_is_told_with_its_cell() {
        let place =
            Place { sheet: Some("Items".into()), cell: Some("B5".into()), text: "{pric}".into(), ..Place::default() };
        let (message, tag) = ("There is no `pric`.".to_owned(), "{pric}".to_owned());
        let mistake = Problem { reason: Reason::UnknownName, message, tag, place, suggestion: None };
        assert_eq!(told(&mistake), "There is no `pric`. (Items!B5, “{pric}”)");
    }

    #[test]
    fn all_mistakes_are_told_with_their_places() {
        let error = refusal(b"<p>{#items}</p>\n<p>{name|uper}</p>", HTML);
        assert_eq!(error.mistakes.len(), 2, "{:?}", error.mistakes);
        let told = format!("{:?}", error.mistakes);
        assert!(told.contains("line 2") && told.contains("`upper`"), "{told}");
    }

    #[test]
    fn a_template_has_tags_between_its_own_delimiters() {
        let own = Delimiters { open: "[[".to_owned(), close: "]]".to_owned() };
        let with_own = |file| Candidate { delimiters: Some(&own), ..candidate(file, HTML) };
        let checked = check(with_own(b"<p>[[name]] {not a tag")).unwrap();
        assert!(checked.expected.contains("\"name\""));
        assert_eq!(check(with_own(b"<p>[[#a]]")).unwrap_err().mistakes.len(), 1);
    }

    #[test]
    fn what_is_no_template_is_refused_with_the_reason() {
        for (file, reason) in [
            (b"%PDF-1.7\n".to_vec(), "Give a docx"),
            (Vec::new(), "Give a docx"),
            (b"PK\x03\x04 broken".to_vec(), "can't be read"),
            (vec![b'x'; MOST_TEMPLATE_BYTES + 1], "20 MiB"),
        ] {
            let error = refusal(&file, None);
            assert!(error.message.contains(reason), "{}", error.message);
        }
        assert!(refusal(b"<p>\xff{x}", HTML).message.contains("UTF-8"));
        let many: String = (0..40_000).map(|number| format!("{{name_{number}}}")).collect();
        assert!(refusal(many.as_bytes(), HTML).message.contains("too many names"));
    }

    #[test]
    fn the_name_tells_markdown() {
        for disposition in
            ["attachment; filename=\"a.b.md\"", "attachment; filename=\"x.md\"; filename*=UTF-8''%C3%A4.md"]
        {
            let upload = candidate(b"# {title}", Some("application/octet-stream"));
            let upload = Candidate { disposition: Some(disposition), ..upload };
            assert_eq!(check(upload).unwrap().format.extension(), "md", "{disposition}");
        }
    }
}
