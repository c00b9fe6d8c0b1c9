//! Markdown, by the elements that it stands for.

use docmill_markdown::{FrontMatter, to_html};
use docmill_pdf_request::{Failure, Warning};

use super::builder::Builder;
use super::html;

pub(super) fn read(
    markdown: &str,
    base: Option<&str>,
    builder: &mut Builder<'_, '_>,
) -> Result<Option<Warning>, Failure> {
    let (front_matter, text, is_readable) = match FrontMatter::split(markdown) {
        Ok((front_matter, text)) => (front_matter, text, true),
        Err(_) => (FrontMatter::default(), markdown, false),
    };
    if let Some(title) = &front_matter.title {
        builder.title(title);
    }
    if let Some(language) = &front_matter.lang {
        builder.document_language(language);
    }
    let page = to_html(text, base).map_err(|_| Failure::internal("Markdown could not be written as HTML"))?;
    html::read(&page, base, &|_| None, builder)?;
    Ok((!is_readable).then(|| {
        let message = "The front matter is not YAML, so it is read as text. Check its quotation marks and indentation.";
        Warning::new("front_matter_unreadable", message)
    }))
}
