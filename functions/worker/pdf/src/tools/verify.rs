//! Checks the result of any engine: it must be complete, within the limits, and of the format that it claims. Finds the pages that
//! substitutes of fonts are on, texts that are on none, and pages that begin elsewhere than in Word.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::ops::ControlFlow;

use docmill_formats::{Family, Format};
use docmill_package::{Disk, Limits, Package};
use docmill_pdf_core::pages::too_many;
use docmill_pdf_core::pdfium::{Document, family};
use docmill_pdf_request::{Artifact, ErrorCode, Failure, Outcome, PageBreak, PictureLimits, Request, Source};
use docmill_pdf_structure::stamp;
use serde::{Deserialize, Serialize};
use serde_json::json;

use docmill_pdf_core::Libraries;

use super::fit_pictures;
use super::words::PrintedText;

/// Bytes that are read at once.
const CHUNK: usize = 64 << 10;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct Options {
    /// What the pictures of PDFs are to have at most.
    pictures: Option<PictureLimits>,
    /// Families whose pages are wanted.
    families: Vec<String>,
    /// Texts that should be on the pages of PDFs.
    texts: Vec<String>,
    /// Where the pages of PDFs should break. They are looked for in PDFs with another number of pages.
    breaks: Vec<PageBreak>,
}

/// The report lists the positions of sources whose artifact is a new file with smaller pictures, and the pages of each source that the
/// families are on, the positions of texts with a word that is on no page, and that of the first break that is elsewhere:
/// `{"fitted": [0], "pages": [{"families": {"DejaVu Sans": [1, 2]}, "has_more": false, "missing": [3], "hashes": 0, "moved": 1}]}`.
pub(super) fn run(libraries: &Libraries, request: &Request) -> Result<Outcome, Failure> {
    let options: Options = super::options(request)?;
    let (mut artifacts, mut fitted, mut pages) = (Vec::new(), Vec::new(), Vec::new());
    for (position, source) in request.sources.iter().enumerate() {
        let mut artifact = verify(libraries, request, source)?;
        if let (Some(most), Format::Pdf) = (options.pictures, source.media)
            && let Some(file) = fit(libraries, request, position, source, most, artifact.pages)?
        {
            artifact.file = file;
            fitted.push(position);
        }
        let found = pages_of(&options, libraries, source, artifact.pages)?;
        artifacts.push(artifact);
        pages.push(found);
    }
    Ok(Outcome { artifacts, report: Some(json!({ "fitted": fitted, "pages": pages })), warnings: Vec::new() })
}

/// Where families are in a PDF.
#[derive(Default, Serialize)]
struct Found<'f> {
    /// Their pages, counted from 1.
    families: BTreeMap<&'f str, Vec<u32>>,
    /// The PDF has a form, and its fields may be in other fonts.
    has_more: bool,
    /// Positions of texts with a word that is on no page.
    missing: Vec<usize>,
    /// Numbers that are shown as `###`.
    hashes: u32,
    /// The position of the first break with words on other pages.
    moved: Option<usize>,
}

fn pages_of<'f>(
    Options { families, texts, breaks, .. }: &'f Options,
    libraries: &Libraries,
    source: &Source,
    pages: Option<u32>,
) -> Result<Found<'f>, Failure> {
    let mut found = Found::default();
    // To read the pages takes time: a fifth of what LibreOffice takes to print them.
    let looks = !breaks.is_empty() && pages.is_some_and(|pages| pages as usize != breaks.len() + 1);
    let reads = !families.is_empty() || !texts.is_empty();
    if !(looks || reads) || source.media != Format::Pdf {
        return Ok(found);
    }
    let plain: Vec<(String, &str)> = families.iter().map(|name| (key(&family(name)), name.as_str())).collect();
    let session = libraries.pdfium()?.session();
    let document = Document::open(&session, &source.path, source.password.as_deref())?;
    found.has_more = document.has_form();
    let mut printed = PrintedText::default();
    let read = if reads { 0..document.pages() } else { 0..0 };
    document.for_each_page(read, |index, page| {
        if !texts.is_empty() {
            printed.add(&page.text()?.string());
        }
        if families.is_empty() {
            return Ok(());
        }
        let there: BTreeSet<String> = page.families().iter().map(|family| key(family)).collect();
        for (_, name) in plain.iter().filter(|(family, _)| there.contains(family)) {
            found.families.entry(name).or_default().push(index + 1);
        }
        Ok(())
    })?;
    found.missing = printed.lacks(texts);
    found.hashes = printed.hashes;
    if looks {
        found.moved = first_moved(&document, breaks)?;
    }
    Ok(found)
}

/// Reads pages until the first break that is elsewhere.
fn first_moved(document: &Document<'_>, breaks: &[PageBreak]) -> Result<Option<usize>, Failure> {
    let (mut printed, mut looked, mut moved) = (PrintedText::default(), 0, None);
    document.for_each_page_until(0..document.pages(), |index, page| {
        printed.add(&page.text()?.string());
        // The words after a break may be one page further on.
        let known = index.saturating_sub(1) as usize;
        moved = printed.first_moved(breaks, looked..known);
        looked = known;
        Ok(if moved.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    Ok(moved.or_else(|| printed.first_moved(breaks, looked..breaks.len())))
}

/// What families are compared by. LibreOffice 7.4 calls Noto's fonts for Chinese and Korean by the name of the Japanese one.
fn key(family: &str) -> String {
    let mut key = family.to_lowercase();
    if let Some(end) = key.find("cjk").filter(|_| key.starts_with("notos")) {
        key.truncate(end + "cjk".len());
    }
    key
}

/// The name of a new file with smaller pictures, if they can be made smaller. It is checked like its source.
fn fit(
    libraries: &Libraries,
    request: &Request,
    position: usize,
    source: &Source,
    most: PictureLimits,
    count: Option<u32>,
) -> Result<Option<String>, Failure> {
    let file = format!("fitted-{position}.pdf");
    let result = request.directory.join(&file);
    if !fit_pictures::run(libraries, request, position, source, most, &result)? {
        return Ok(None);
    }
    let new = Source { path: result, password: None, ..source.clone() };
    if Some(pages(libraries, request, &new)?) != count {
        return Err(Failure::internal("other pages after pictures were made smaller"));
    }
    Ok(Some(file))
}

fn verify(libraries: &Libraries, request: &Request, source: &Source) -> Result<Artifact, Failure> {
    let limits = &request.limits;
    let bytes = std::fs::metadata(&source.path).map_err(|error| Failure::io(&error))?.len();
    if bytes > limits.output_bytes {
        let most = limits.output_bytes >> 20;
        return Err(Failure::new(
            ErrorCode::RenderFailed,
            format!("The result is larger than {most} MiB: reduce its pictures, or split it."),
            format!("{bytes} bytes"),
        ));
    }
    // A page without words gives an empty text and no chunks, and a sheet without cells an empty table.
    let may_be_empty = matches!(source.media, Format::Txt | Format::Markdown | Format::JsonLines | Format::Csv);
    if bytes == 0 && !may_be_empty {
        return Err(unusable("an empty file"));
    }
    let file = source.path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let mut artifact = Artifact::new(file, source.media);
    match source.media.family() {
        Family::Pdf => artifact.pages = Some(pages(libraries, request, source)?),
        Family::Picture => {
            let content = std::fs::read(&source.path).map_err(|error| Failure::io(&error))?;
            let image = stamp::decode(&content, limits.pixels)?;
            (artifact.width, artifact.height) = (Some(image.width()), Some(image.height()));
        }
        Family::Data if source.media == Format::Json => {
            let reader = BufReader::new(open(source)?);
            serde_json::from_reader::<_, serde::de::IgnoredAny>(reader).map_err(|_| unusable("no JSON"))?;
        }
        Family::Data if source.media == Format::JsonLines => {
            let lines = serde_json::Deserializer::from_reader(BufReader::new(open(source)?));
            let mut values = lines.into_iter::<serde::de::IgnoredAny>();
            values.try_for_each(|value| value.map(drop)).map_err(|_| unusable("no JSON lines"))?;
        }
        Family::Archive => drop(archive(source, limits.output_bytes)?),
        Family::Vector | Family::Web => utf8(open(source)?)?,
        // Only sources, and content of a PDF.
        Family::Data | Family::Mail | Family::Other => return Err(unusable("a file of a kind that is no result")),
        Family::Word if source.media == Format::Txt => utf8(open(source)?)?,
        Family::Word | Family::Sheet | Family::Slides | Family::Drawing => {
            office(source, source.media, limits.output_bytes)?;
        }
    }
    Ok(artifact)
}

fn unusable(cause: &str) -> Failure {
    Failure::new(
        ErrorCode::RenderFailed,
        "The conversion produced no valid file. Check that the document opens and has content.",
        cause,
    )
}

fn open(source: &Source) -> Result<File, Failure> {
    File::open(&source.path).map_err(|error| Failure::io(&error))
}

fn pages(libraries: &Libraries, request: &Request, source: &Source) -> Result<u32, Failure> {
    let mut head = Vec::with_capacity(5);
    open(source)?.take(5).read_to_end(&mut head).map_err(|error| Failure::io(&error))?;
    if head != b"%PDF-" {
        return Err(unusable("no PDF header"));
    }
    let (pages, repaired) = match libraries.qpdf()?.pages(&source.path, source.password.as_deref()) {
        // The same test as for sources.
        Err(failure) if failure.code == ErrorCode::CorruptDocument => return Err(unusable(&failure.cause)),
        counted => counted?,
    };
    match pages {
        _ if repaired => Err(unusable("a damaged PDF")),
        0 => Err(unusable("a PDF without pages")),
        pages if pages > request.limits.pages => Err(too_many(request.limits.pages)),
        pages => Ok(pages),
    }
}

/// A package must have its main part and intact entries, rich text its marks at both ends; a table must be text in some encoding.
fn office(source: &Source, format: Format, most: u64) -> Result<(), Failure> {
    match (format, format.main_part()) {
        (_, Some(main)) => package(source, main, most),
        (Format::Rtf, None) => rich_text(open(source)?),
        (_, None) => table(open(source)?),
    }
}

fn package(source: &Source, main: &str, most: u64) -> Result<(), Failure> {
    let archive = archive(source, most)?;
    if archive.has(main) { Ok(()) } else { Err(unusable("a package without its main part")) }
}

fn rich_text(mut file: File) -> Result<(), Failure> {
    const MARK: &[u8] = br"{\rtf1";
    /// What may follow the last brace: a line end.
    const END: i64 = 8;
    let mut head = vec![0; MARK.len()];
    let mut tail = Vec::new();
    let mut read = || {
        file.read_exact(&mut head)?;
        file.seek(SeekFrom::End(-END))?;
        file.read_to_end(&mut tail)
    };
    read().map_err(|_| unusable("a cut rich text"))?;
    if head == MARK && tail.iter().rev().find(|byte| !byte.is_ascii_whitespace() && **byte != 0) == Some(&b'}') {
        return Ok(());
    }
    Err(unusable("no whole rich text"))
}

/// None of the encodings that the tools use for separated values contains NUL.
fn table(mut file: File) -> Result<(), Failure> {
    let mut buffer = vec![0; CHUNK];
    loop {
        match file.read(&mut buffer).map_err(|error| Failure::io(&error))? {
            0 => return Ok(()),
            read if buffer.get(..read).is_some_and(|read| read.contains(&0)) => {
                return Err(unusable("separated values with binary data"));
            }
            _ => {}
        }
    }
}

/// An archive whose entries are intact.
fn archive(source: &Source, most: u64) -> Result<Package<Disk>, Failure> {
    let limits = Limits::of(Limits::MOST_PARTS, most);
    let mut archive = Package::open(&source.path, limits).map_err(|_| unusable("no ZIP archive"))?;
    archive.check().map_err(|_| unusable("a damaged ZIP entry"))?;
    Ok(archive)
}

/// Checks text piece by piece: a piece may end within a character.
fn utf8(mut file: File) -> Result<(), Failure> {
    let mut buffer = vec![0; CHUNK];
    let mut kept = 0;
    loop {
        let read = file.read(buffer.get_mut(kept..).unwrap_or_default()).map_err(|error| Failure::io(&error))?;
        let filled = kept + read;
        match std::str::from_utf8(buffer.get(..filled).unwrap_or_default()) {
            Ok(_) => kept = 0,
            Err(error) if error.error_len().is_none() && read > 0 => {
                let valid = error.valid_up_to();
                buffer.copy_within(valid..filled, 0);
                kept = filled - valid;
            }
            Err(_) => return Err(unusable("text that is not UTF-8")),
        }
        if read == 0 {
            return Ok(());
        }
    }
}
