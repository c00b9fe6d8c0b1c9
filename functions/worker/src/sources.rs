//! A job's sources: fetched in parallel with a common limit, identified, and checked before an engine sees them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use docmill_domain::job::{FileDigest, JobErrorCode, SourceDigest};
use docmill_domain::source::{Origin, Source as Wanted};
use docmill_domain::tool::Definition;
use docmill_engine::{Artifact, Failure, Limits, Source};
use docmill_fetch::Fetcher;
use docmill_formats::Format;
use docmill_sniff::Hints;
use docmill_sources::{Budget, Fetched};
use futures_util::{StreamExt, TryStreamExt, stream};
use tokio::task::spawn_blocking;
use url::Url;

/// Most sources of a job that are fetched at the same time.
const AT_ONCE: usize = 4;

/// Local files by their source's index: uploads, results of other jobs, files of the command line.
pub type Given = HashMap<usize, Fetched>;

/// A source that an engine may open.
#[derive(Debug)]
pub struct Obtained {
    pub source: Source,
    pub what: docmill_plan::Given,
    /// Its name.
    pub name: Option<String>,
}

/// The path of a source's file.
pub async fn place(scratch: &Path, index: usize) -> Result<PathBuf, Failure> {
    let directory = scratch.join("sources");
    let created = tokio::fs::create_dir_all(&directory).await;
    created.map_err(|error| Failure::internal(format!("no directory for sources: {error}")))?;
    Ok(directory.join(index.to_string()))
}

/// Obtains all sources in order, with their digests, or the first failure.
pub async fn obtain(
    fetcher: &Fetcher,
    wanted: Vec<Wanted>,
    mut given: Given,
    tool: &Definition,
    scratch: &Path,
    limits: &Limits,
) -> Result<(Vec<SourceDigest>, Vec<Obtained>), Failure> {
    let budget = Budget::of(limits);
    given.values().try_for_each(|fetched| budget.take(usize::try_from(fetched.bytes).unwrap_or(usize::MAX)))?;
    let several = wanted.len() > 1;
    let each = wanted.into_iter().enumerate().map(|(index, wanted)| (index, wanted, given.remove(&index)));
    let obtained = stream::iter(each.collect::<Vec<_>>()).map(|(index, wanted, given)| {
        let budget = &budget;
        async move {
            let is_attachment = tool.sources.is_attachment(index);
            let one = Obtaining { fetcher, tool, limits, budget, to: place(scratch, index).await?, is_attachment };
            one.obtain(wanted, given).await.map_err(|failure| if several { numbered(failure, index) } else { failure })
        }
    });
    Ok(obtained.buffered(AT_ONCE).try_collect::<Vec<_>>().await?.into_iter().unzip())
}

/// Adds the number of the failed source if there are several.
fn numbered(failure: Failure, index: usize) -> Failure {
    Failure { message: format!("Source {}: {}", index + 1, failure.message), ..failure }
}

struct Obtaining<'a> {
    fetcher: &'a Fetcher,
    tool: &'a Definition,
    limits: &'a Limits,
    budget: &'a Budget,
    to: PathBuf,
    /// The tool does not open it.
    is_attachment: bool,
}

impl Obtaining<'_> {
    async fn obtain(&self, wanted: Wanted, given: Option<Fetched>) -> Result<(SourceDigest, Obtained), Failure> {
        let unnamed = SourceDigest { kind: wanted.origin.kind(), file: None };
        let fetched = match (&wanted.origin, given) {
            (_, Some(given)) => given,
            (Origin::File(url), None) => {
                let url = parse(url)?;
                self.fetcher.fetch(&url, &wanted.headers, &self.to, self.limits, self.budget).await?
            }
            (Origin::Page(url), None) => {
                let url = parse(url)?;
                let name = page_name(&url);
                let page = Obtained { source: Source::Page(url), what: docmill_plan::Given::Page, name };
                return Ok((unnamed, page));
            }
            (Origin::Html(html), None) => {
                let source = Source::Html { html: html.clone(), name: wanted.filename.clone() };
                let what = docmill_plan::Given::File(Format::Html);
                return Ok((unnamed, Obtained { source, what, name: wanted.filename }));
            }
            (Origin::Markdown(text), None) => self.write(text, "text/markdown; charset=utf-8").await?,
            (Origin::Text(text), None) => self.write(text, "text/plain; charset=utf-8").await?,
            (Origin::Upload(_) | Origin::Job { .. } | Origin::Template { .. }, None) => {
                return Err(Failure::internal("a source was not brought"));
            }
        };
        let file = fetched.sha256.map(|sha256| FileDigest { bytes: fetched.bytes, sha256 });
        let (tool, limits) = (self.tool.clone(), self.limits.clone());
        let is_attachment = self.is_attachment;
        let checked = spawn_blocking(move || match is_attachment {
            true => attached(fetched, &wanted),
            false => check(fetched, &wanted, &tool, &limits),
        })
        .await;
        let obtained = checked.map_err(|_panicked| check_panicked())??;
        Ok((SourceDigest { file, ..unnamed }, obtained))
    }

    /// Writes inline text to a file. Its digest is nobody's business: a short text could be guessed from it.
    async fn write(&self, text: &str, content_type: &str) -> Result<Fetched, Failure> {
        let written = tokio::fs::write(&self.to, text).await;
        written.map_err(|error| Failure::internal(format!("writing an inline source: {error}")))?;
        let (bytes, content_type) = (text.len() as u64, Some(content_type.to_owned()));
        Ok(Fetched { path: self.to.clone(), bytes, sha256: None, content_type, url: None, filename: None })
    }
}

/// Identifies a file and checks it without opening it in an engine. Blocks.
fn check(fetched: Fetched, wanted: &Wanted, tool: &Definition, limits: &Limits) -> Result<Obtained, Failure> {
    let name = wanted.filename.clone().or_else(|| fetched.filename.clone());
    let hints =
        Hints { filename: name.as_deref(), content_type: fetched.content_type.as_deref(), url: fetched.url.as_ref() };
    let takes = &tool.sources;
    // Tools that only accept pages or office documents give more detailed errors.
    if takes.formats == [Format::Html] {
        let source = Source::Html { html: docmill_sniff::page(&fetched.path, hints.content_type)?, name: name.clone() };
        return Ok(Obtained { source, what: docmill_plan::Given::File(Format::Html), name });
    }
    let naming_formats = |failure| docmill_sniff::with_accepted(failure, &takes.formats);
    // Any text is valid Markdown.
    let format = if takes.formats == [Format::Markdown] {
        Format::Markdown
    } else if takes.accepts(Format::Eml) && takes.accepts(Format::Pdf) {
        docmill_sniff::attached(&fetched.path, hints).map_err(naming_formats)?
    } else if takes.accepts(Format::Eml) {
        docmill_sniff::email(&fetched.path, hints)?
    } else if takes.formats.iter().all(|format| format.is_office()) {
        docmill_sniff::identify(&fetched.path, hints).map_err(naming_formats)?
    } else {
        docmill_sniff::format_of(&fetched.path, hints).map_err(naming_formats)?
    };
    if !takes.accepts(format) {
        return Err(docmill_sniff::not_accepted(format, &tool.slug, &takes.formats));
    }
    let source = if format.is_office() {
        let inspection = docmill_sniff::check(&fetched.path, format, limits).map_err(naming_formats)?;
        Source::Document { path: fetched.path, name: name.clone(), format, inspection }
    } else if format == Format::Html {
        Source::Html { html: docmill_sniff::page(&fetched.path, hints.content_type)?, name: name.clone() }
    } else if format == Format::Markdown {
        docmill_sniff::markdown_in_place(&fetched.path, hints.content_type)?;
        Source::File(docmill_pdf_request::Source {
            name: name.clone(),
            base: fetched.url.as_ref().map(base),
            ..docmill_pdf_request::Source::new(fetched.path, Format::Markdown)
        })
    } else {
        Source::File(docmill_pdf_request::Source {
            name: name.clone(),
            password: wanted.password.clone(),
            page_range: wanted.page_range.clone(),
            title: wanted.title.clone(),
            ..docmill_pdf_request::Source::new(fetched.path, format)
        })
    };
    Ok(Obtained { source, what: docmill_plan::Given::File(format), name })
}

/// A file that becomes part of the result unchanged. Blocks.
fn attached(fetched: Fetched, wanted: &Wanted) -> Result<Obtained, Failure> {
    let name = wanted.filename.clone().or_else(|| fetched.filename.clone());
    let hints =
        Hints { filename: name.as_deref(), content_type: fetched.content_type.as_deref(), url: fetched.url.as_ref() };
    let format = match docmill_sniff::format_of(&fetched.path, hints) {
        Ok(format) if !format.is_office() => format,
        Err(failure) if failure.code == JobErrorCode::Internal => return Err(failure),
        Ok(_) | Err(_) => Format::Other,
    };
    let file =
        docmill_pdf_request::Source { name: name.clone(), ..docmill_pdf_request::Source::new(fetched.path, format) };
    Ok(Obtained { source: Source::File(file), what: docmill_plan::Given::File(format), name })
}

/// A result as a source for LibreOffice, identified and checked like any other. Blocks.
pub(crate) fn office(artifact: &Artifact, name: Option<&str>, limits: &Limits) -> Result<Source, Failure> {
    let extension = artifact.media.extension();
    let path = artifact.path.clone();
    let format =
        docmill_sniff::identify(&path, Hints { filename: Some(&format!("result.{extension}")), ..Hints::default() })?;
    let inspection = docmill_sniff::check(&path, format, limits)?;
    let name = artifact.filename.clone().or_else(|| name.map(str::to_owned));
    Ok(Source::Document { path, name, format, inspection })
}

/// An address without the parts that may be secret.
fn base(url: &Url) -> String {
    let mut base = url.clone();
    base.set_query(None);
    base.set_fragment(None);
    base.into()
}

/// The document caused the panic, so a retry would not help.
fn check_panicked() -> Failure {
    let message = "The document can't be read. It seems to be damaged.";
    Failure::new(JobErrorCode::CorruptDocument, message, "the check of a document panicked")
}

/// A source's address was checked when the job was accepted: a malformed one is our fault.
fn parse(url: &str) -> Result<Url, Failure> {
    Url::parse(url).map_err(|_| Failure::internal("a stored URL is invalid"))
}

/// A page is called like the last part of its path, or like its host.
fn page_name(url: &Url) -> Option<String> {
    let last = url.path_segments().and_then(|mut parts| parts.next_back()).filter(|part| !part.is_empty());
    let decoded = last.map(|part| percent_encoding::percent_decode_str(part).decode_utf8_lossy().into_owned());
    let plain = decoded.filter(|name| !name.contains(['/', '\\']) && !name.chars().any(char::is_control));
    // A host name has dots too, but no extension.
    plain.or_else(|| url.host_str().map(|host| format!("{host}.html")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_named_after_their_address() {
        let name = |url: &str| page_name(&Url::parse(url).unwrap()).unwrap();
        assert_eq!(name("https://a.example/x/invoice.html?id=secret"), "invoice.html");
        assert_eq!(name("https://a.example/M%C3%A4rz"), "März");
        assert_eq!(name("https://www.a.example/"), "www.a.example.html");
        assert_eq!(name("https://a.example/..%2f..%2fetc"), "a.example.html");
    }

    #[test]
    fn all_sources_share_one_budget() {
        let budget = Budget::of(&Limits { source_bytes: 10, ..Limits::default() });
        budget.take(6).unwrap();
        budget.admits(4).unwrap();
        assert_eq!(budget.admits(5).unwrap_err().code, JobErrorCode::SourceTooLarge);
        assert_eq!(budget.take(5).unwrap_err().code, JobErrorCode::SourceTooLarge);
        budget.take(4).unwrap();
    }
}
