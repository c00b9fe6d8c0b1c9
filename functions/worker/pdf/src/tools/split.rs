//! split-pdf: makes several files of one.

use std::collections::BTreeSet;
use std::fs;

use docmill_pdf_core::content;
use docmill_pdf_request::{Artifact, ErrorCode, Failure, Limits, Outcome, Request, Warning};
use docmill_pdf_structure::assembly::{Bookmarks, Item, Source};
use docmill_pdf_structure::{Assembly, PageUse, Part, open_deferring};
use serde::Deserialize;

use super::{options, page_indices, pdf, stem};
use docmill_pdf_core::Libraries;

/// The most files that one job may return.
const MOST_PARTS: usize = 1_000;
const DEFAULT_MEBIBYTES: f64 = 10.0;
/// The most characters of a file name without its extension.
const NAME_CHARACTERS: usize = 120;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct Options {
    mode: Option<Mode>,
    ranges: Vec<String>,
    every: Option<usize>,
    level: Option<usize>,
    mebibytes: Option<f64>,
    filename_pattern: String,
}

impl Options {
    /// The mode, and options of other modes, which have no effect. An option says which mode it is for.
    fn mode(&self) -> (Mode, Vec<&'static str>) {
        let given = [
            (!self.ranges.is_empty(), Mode::Ranges, "ranges"),
            (self.level.is_some(), Mode::Bookmarks, "level"),
            (self.mebibytes.is_some(), Mode::Size, "mebibytes"),
            (self.every.is_some(), Mode::Every, "every"),
        ];
        let mut given = given.into_iter().filter(|(is_given, ..)| *is_given);
        let mode = self.mode.or_else(|| given.clone().next().map(|(_, mode, _)| mode)).unwrap_or(Mode::Every);
        (mode, given.by_ref().filter(|(_, other, _)| *other != mode).map(|(.., name)| name).collect())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Mode {
    Ranges,
    Every,
    Bookmarks,
    Blank,
    Size,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            mode: None,
            ranges: Vec::new(),
            every: None,
            level: None,
            mebibytes: None,
            filename_pattern: "{name}-{n}".to_owned(),
        }
    }
}

/// The pages of one file, counted from 0.
#[derive(Debug, Default)]
struct Piece {
    pages: Vec<usize>,
    title: Option<String>,
}

pub(super) fn run(libraries: &Libraries, request: &Request) -> Result<Outcome, Failure> {
    let options: Options = options(request)?;
    let opened = open_deferring(libraries, request, 0)?.without_claim();
    let mut source = Source::read(opened.document, request.limits.pages)?.deferring(opened.held);
    let own = request.sources.first().and_then(|source| source.page_range.as_deref());
    let offered = page_indices(own, "pageRange", source.pages.len(), request.limits.pages)?;
    let offered: Vec<usize> = offered.into_iter().map(|page| page as usize).collect();
    let mut splitter = Splitter { request, warnings: opened.warnings, left: request.limits.output_bytes };
    let (mode, without_effect) = options.mode();
    for option in without_effect {
        let message =
            format!("`{option}` has no effect in the mode that was chosen: leave `mode` out, or choose its own.");
        splitter.warnings.push(Warning::new("option_without_effect", message).with_detail(option));
    }
    let pieces = match mode {
        Mode::Ranges => ranges(&options.ranges, &offered, &request.limits)?,
        Mode::Every => offered.chunks(options.every.unwrap_or(1).max(1)).map(Piece::of).collect(),
        Mode::Bookmarks => bookmarks(&source, &offered, options.level.unwrap_or(1))?,
        Mode::Blank => blank(&source, &offered)?,
        Mode::Size => splitter.by_size(&mut source, &offered, options.mebibytes.unwrap_or(DEFAULT_MEBIBYTES))?,
    };
    if pieces.len() > MOST_PARTS {
        return Err(refuse(format!(
            "This would give {} files, and {MOST_PARTS} are allowed: make larger parts.",
            pieces.len()
        )));
    }
    let names = names(&options.filename_pattern, request, &pieces);
    let mut artifacts = Vec::with_capacity(pieces.len());
    for (position, (piece, filename)) in pieces.iter().zip(names).enumerate() {
        let file = format!("part-{}.pdf", position + 1);
        let (pages, bytes) = splitter.write(&mut source, &piece.pages, &file, position == 0)?;
        splitter.left = splitter.left.saturating_sub(bytes);
        artifacts.push(Artifact { filename: Some(filename), ..pdf(&file, pages) });
    }
    Ok(Outcome { artifacts, report: None, warnings: splitter.warnings })
}

impl Piece {
    fn of(pages: &[usize]) -> Self {
        Self { pages: pages.to_vec(), title: None }
    }
}

fn refuse(message: String) -> Failure {
    Failure::new(ErrorCode::RenderFailed, message, "split: options do not fit the document")
}

fn ranges(ranges: &[String], offered: &[usize], limits: &Limits) -> Result<Vec<Piece>, Failure> {
    if ranges.is_empty() {
        return Err(refuse("`ranges` is empty: name the pages of each part, such as `[\"1-3\", \"4-z\"]`.".to_owned()));
    }
    let piece = |(position, range): (usize, &String)| {
        let chosen = page_indices(Some(range), &format!("ranges[{position}]"), offered.len(), limits.pages)?;
        let pages = chosen.iter().filter_map(|page| offered.get(*page as usize)).copied().collect();
        Ok(Piece { pages, title: None })
    };
    ranges.iter().enumerate().map(piece).collect()
}

/// Starts a part at each page that a bookmark of these levels leads to.
fn bookmarks(source: &Source, offered: &[usize], level: usize) -> Result<Vec<Piece>, Failure> {
    let mut starts: Vec<(usize, Option<String>)> = Vec::new();
    collect_starts(source, source.outline(), level, &mut starts);
    starts.sort_by_key(|(page, _)| *page);
    starts.dedup_by_key(|(page, _)| *page);
    if starts.is_empty() {
        return Err(refuse("This PDF has no bookmarks that lead to a page: use another `mode`.".to_owned()));
    }
    let mut pieces: Vec<Piece> = Vec::new();
    let mut starts = starts.into_iter().peekable();
    for page in offered {
        let mut start = None;
        while let Some((_, title)) = starts.next_if(|(first, _)| first <= page) {
            start = Some(title);
        }
        match (start, pieces.last_mut()) {
            (None, Some(piece)) => piece.pages.push(*page),
            (start, _) => pieces.push(Piece { pages: vec![*page], title: start.flatten() }),
        }
    }
    Ok(pieces)
}

fn collect_starts(source: &Source, items: &[Item], level: usize, starts: &mut Vec<(usize, Option<String>)>) {
    if level == 0 {
        return;
    }
    for item in items {
        let page = item.page.and_then(|id| source.pages.iter().position(|page| *page == id));
        if let Some(page) = page {
            starts.push((page, item.title()));
        }
        collect_starts(source, &item.kids, level - 1, starts);
    }
}

/// Splits at blank pages, and leaves them out.
fn blank(source: &Source, offered: &[usize]) -> Result<Vec<Piece>, Failure> {
    let is_blank = |page: &usize| source.page(*page).is_some_and(|page| content::is_blank(&source.document, page));
    let pieces: Vec<Piece> = offered.split(is_blank).filter(|pages| !pages.is_empty()).map(Piece::of).collect();
    if pieces.is_empty() {
        return Err(refuse("Every page of this PDF is blank: use another `mode`.".to_owned()));
    }
    Ok(pieces)
}

struct Splitter<'a> {
    request: &'a Request,
    warnings: Vec<Warning>,
    /// How many bytes the remaining results may have.
    left: u64,
}

impl Splitter<'_> {
    fn write(&mut self, source: &mut Source, pages: &[usize], file: &str, first: bool) -> Result<(u32, u64), Failure> {
        let limits = Limits { output_bytes: self.left, ..self.request.limits };
        let mut assembly = Assembly::create(&self.request.directory.join(file), &limits, false)?;
        let pages: Vec<PageUse> = pages.iter().copied().map(PageUse::of).collect();
        // Only the first part gets what belongs to no page.
        let part = Part { pages: &pages, bookmarks: Bookmarks::Keep, attachments: first, again: true };
        assembly.add(source, &part)?;
        let assembled = assembly.finish()?;
        for warning in assembled.warnings {
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
        Ok((assembled.pages, assembled.bytes))
    }

    /// Finds the longest parts within the size by writing them, since pages share objects.
    fn by_size(&mut self, source: &mut Source, offered: &[usize], mebibytes: f64) -> Result<Vec<Piece>, Failure> {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the schema bounds it")]
        let most = (mebibytes * f64::from(1 << 20)) as u64;
        let mut pieces = Vec::new();
        let mut rest = offered;
        while !rest.is_empty() {
            let length = self.longest(source, rest, most, pieces.is_empty())?;
            let (piece, others) = rest.split_at(length);
            pieces.push(Piece::of(piece));
            rest = others;
        }
        Ok(pieces)
    }

    /// How many of these pages fit. At least one: a page that is too large by itself gets a warning.
    fn longest(&mut self, source: &mut Source, pages: &[usize], most: u64, first: bool) -> Result<usize, Failure> {
        let mut fits = |splitter: &mut Self, length: usize| {
            let trial = "trial.pdf";
            let written = splitter.write(source, pages.get(..length).unwrap_or(pages), trial, first);
            fs::remove_file(splitter.request.directory.join(trial)).map_err(|error| Failure::io(&error))?;
            written.map(|(_, bytes)| bytes <= most)
        };
        if fits(self, pages.len())? {
            return Ok(pages.len());
        }
        // Between the longest part known to fit and the shortest known not to.
        let (mut low, mut high) = (0, pages.len());
        let mut step = 1;
        while low + step < high && fits(self, low + step)? {
            low += step;
            step *= 2;
        }
        high = high.min(low + step);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if fits(self, middle)? { low = middle } else { high = middle }
        }
        if low == 0 {
            let warning =
                Warning::new("part_too_large", "A page is larger than the size asked for, and is a part of its own.");
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
        Ok(low.max(1))
    }
}

/// A unique name for each file.
fn names(pattern: &str, request: &Request, pieces: &[Piece]) -> Vec<String> {
    let name = stem(request.sources.first().and_then(|source| source.name.as_deref()));
    let name = name.unwrap_or_else(|| "document".to_owned());
    let width = pieces.len().to_string().len();
    let mut taken = BTreeSet::new();
    pieces
        .iter()
        .enumerate()
        .map(|(position, piece)| {
            let number = format!("{:0width$}", position + 1);
            let title = piece.title.as_deref().unwrap_or_default();
            let filled = pattern.replace("{name}", &name).replace("{n}", &number).replace("{title}", title);
            let clean = clean(&filled);
            let own = if clean.is_empty() { number.clone() } else { clean };
            let unique = if taken.contains(&own) { format!("{own}-{number}") } else { own };
            taken.insert(unique.clone());
            format!("{unique}.pdf")
        })
        .collect()
}

/// Removes characters that file systems refuse, and separators beside an empty title.
fn clean(name: &str) -> String {
    let safe = |c: char| if c.is_control() || r#"/\:*?"<>|"#.contains(c) { ' ' } else { c };
    let name: String = name.chars().map(safe).take(NAME_CHARACTERS).collect();
    let words: Vec<&str> = name.split_whitespace().collect();
    words.join(" ").trim_matches(|c: char| matches!(c, '-' | '_' | '.' | ' ')).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_clean() {
        assert_eq!(clean("a/b: c-\u{7}"), "a b c");
        assert_eq!(clean("report-1-"), "report-1");
        assert_eq!(clean("../.."), "");
    }
}
