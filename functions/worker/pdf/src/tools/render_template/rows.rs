//! Fills a template for each row of the data, and names the documents.

use std::collections::{HashMap, HashSet};

use docmill_formats::Format;
use docmill_pdf_request::{Artifact, ErrorCode, Failure, Outcome, Request};
use docmill_templates::{self as templates, FilenamePattern, Notes, Template};
use serde_json::Value;

use super::{Merge, Options, failed, reading, warning};

/// Enough mistakes: more rows are not looked at.
const MOST_MISTAKES: usize = 100;

/// A filled document.
struct Filled {
    /// Counted from 1.
    row: usize,
    /// Without extension, if there is a pattern.
    name: Option<String>,
    bytes: Vec<u8>,
}

pub(super) fn run(
    request: &Request,
    media: Format,
    template: &Template,
    data: &Value,
    options: &Options,
) -> Result<Outcome, Failure> {
    let (mut names, mut written, mut artifacts) = (Names::default(), 0, Vec::new());
    let warnings = fill(template, data, options, |filled| {
        written += filled.bytes.len() as u64;
        within_limit(written, request)?;
        let extension = media.extension();
        let file = format!("filled-{}.{extension}", filled.row);
        std::fs::write(request.directory.join(&file), &filled.bytes).map_err(|error| Failure::io(&error))?;
        let number = || (options.merge == Some(Merge::One)).then(|| filled.row.to_string());
        let name = filled.name.map(|name| names.distinct(name)).or_else(number);
        let filename = name.map(|name| format!("{name}.{extension}"));
        artifacts.push(Artifact { filename, ..Artifact::new(file, media) });
        Ok(())
    })?;
    Ok(Outcome { artifacts, report: None, warnings: warnings.into_iter().map(warning).collect() })
}

fn within_limit(bytes: u64, request: &Request) -> Result<(), Failure> {
    let most = request.limits.output_bytes;
    if bytes <= most {
        return Ok(());
    }
    let message = format!(
        "The documents of all rows together are larger than {} MiB. Use fewer rows, or a smaller template.",
        most >> 20
    );
    Err(Failure::new(ErrorCode::RenderFailed, message, "documents beyond the limit"))
}

/// What filling would tell. The first are the mistakes.
pub(super) fn check(
    template: &Template,
    data: &Value,
    options: &Options,
) -> Result<(Vec<templates::Problem>, Vec<templates::Warning>), Failure> {
    match fill(template, data, options, |_| Ok(())) {
        Ok(warnings) => Ok((Vec::new(), warnings)),
        Err(failure) if !failure.details.is_empty() => Ok((failure.details, Vec::new())),
        Err(failure) => Err(failure),
    }
}

/// Fills all rows, one after the other, and gives each document away. Fails with the mistakes of all rows.
fn fill(
    template: &Template,
    data: &Value,
    options: &Options,
    mut take: impl FnMut(Filled) -> Result<(), Failure>,
) -> Result<Vec<templates::Warning>, Failure> {
    let pattern = options.filename_pattern.as_deref();
    let pattern =
        pattern.map(|pattern| FilenamePattern::parse(pattern, &reading(options)?).map_err(failed)).transpose()?;
    let (rows, are_listed) = match data.as_array() {
        Some(rows) => (rows.as_slice(), true),
        None => (std::slice::from_ref(data), false),
    };
    let (mut notes, mut mistakes) = (Notes::default(), Vec::new());
    for (row, data) in (1..).zip(rows) {
        let place = are_listed.then_some(row);
        let named = pattern.as_ref().map(|pattern| pattern.fill(data, &mut notes)).transpose();
        let found = match (template.fill(data, &mut notes), named) {
            (Ok(bytes), Ok(name)) if mistakes.is_empty() => {
                take(Filled { row, name, bytes })?;
                continue;
            }
            (Ok(_), Ok(_)) => continue,
            (filled, named) => [filled.err(), named.err()],
        };
        for failure in found.into_iter().flatten() {
            mistakes.extend(of_row(failure, place)?);
        }
        // Mistakes of the template itself are those of every row.
        if !(template.mistakes().is_empty() && template.absent().is_empty()) || mistakes.len() >= MOST_MISTAKES {
            break;
        }
    }
    if mistakes.is_empty() { Ok(notes.warnings(rows)) } else { Err(failed(templates::Failure::Template(mistakes))) }
}

/// A row's mistakes with its number. Other failures end the job.
fn of_row(failure: templates::Failure, row: Option<usize>) -> Result<Vec<templates::Problem>, Failure> {
    let number = row.and_then(|row| u32::try_from(row).ok());
    let message = |message: String| match row {
        Some(row) => format!("Row {row}: {message}"),
        None => message,
    };
    match failure {
        templates::Failure::Template(mut mistakes) => {
            mistakes.iter_mut().for_each(|mistake| mistake.place.row = number);
            Ok(mistakes)
        }
        templates::Failure::TooLarge(why) => Err(failed(templates::Failure::TooLarge(message(why)))),
        other @ (templates::Failure::Corrupt(_) | templates::Failure::Options(_)) => Err(failed(other)),
    }
}

/// Makes names distinct, also where capital letters make no difference.
#[derive(Default)]
struct Names {
    taken: HashSet<String>,
    /// The last number that each name got.
    last: HashMap<String, usize>,
}

impl Names {
    fn distinct(&mut self, name: String) -> String {
        let folded = name.to_lowercase();
        if self.taken.insert(folded.clone()) {
            return name;
        }
        let last = self.last.entry(folded.clone()).or_insert(1);
        loop {
            *last += 1;
            if self.taken.insert(format!("{folded}-{last}")) {
                return format!("{name}-{last}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_occur_twice_get_a_number_that_is_free() {
        let mut names = Names::default();
        let all = ["Ada", "Ada-2", "ada", "Ada", "Bob", "Ada-2", "ADA-3"];
        let distinct: Vec<_> = all.into_iter().map(|name| names.distinct(name.to_owned())).collect();
        assert_eq!(distinct, ["Ada", "Ada-2", "ada-3", "Ada-4", "Bob", "Ada-2-2", "ADA-3-2"]);
    }
}
