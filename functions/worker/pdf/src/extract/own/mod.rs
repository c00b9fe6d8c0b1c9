//! Reads office documents, HTML, Markdown and messages by their own structure, without pages.

mod builder;
mod csv;
mod docx;
mod drawing;
mod grid;
mod html;
mod mail;
mod markdown;
mod math;
mod odf;
mod package;
mod pptx;
mod sheet;
mod text;
mod xlsx;

use std::fs;

use builder::Builder;
use docmill_mail::Format;
use text::Text;

use crate::extract::model::{Document, Role};
use crate::extract::pictures::Pictures;
use crate::text::HeadersFooters;
use crate::{Failure, Limits, Media, OfficeFile, Source, Warning};

/// Whether `read` reads it.
pub(crate) fn reads(media: Media) -> bool {
    match media {
        Media::Text | Media::Markdown | Media::Html | Media::Eml | Media::Msg => true,
        Media::Office(file) => match file {
            OfficeFile::Docx
            | OfficeFile::Xlsx
            | OfficeFile::Csv
            | OfficeFile::Pptx
            | OfficeFile::Odt
            | OfficeFile::Ods
            | OfficeFile::Odp => true,
            OfficeFile::Rtf => false,
        },
        Media::Pdf
        | Media::Jpeg
        | Media::Png
        | Media::Webp
        | Media::Tiff
        | Media::Gif
        | Media::Bmp
        | Media::Svg
        | Media::Json
        | Media::JsonLines
        | Media::Zip
        | Media::Other => false,
    }
}

/// Running headers and footers are blocks, if they are kept.
pub(crate) fn read(
    source: &Source,
    pictures: &mut Pictures<'_>,
    limits: &Limits,
    headers_footers: HeadersFooters,
) -> Result<(Document, Vec<Warning>), Failure> {
    let mut builder = Builder::new(pictures, limits);
    let mut warnings = Vec::new();
    let bytes = || fs::read(&source.path).map_err(|error| Failure::io(&error));
    match source.media {
        Media::Html => html::read(&html::decoded(&bytes()?), source.base.as_deref(), &|_| None, &mut builder)?,
        Media::Markdown => {
            let text = html::decoded(&bytes()?);
            warnings.extend(markdown::read(&text, source.base.as_deref(), &mut builder)?);
        }
        Media::Office(OfficeFile::Docx) => docx::read(&source.path, headers_footers, &mut builder)?,
        Media::Office(OfficeFile::Pptx) => pptx::read(&source.path, headers_footers, &mut builder)?,
        Media::Office(OfficeFile::Xlsx) => xlsx::read(&source.path, &mut builder)?,
        Media::Office(OfficeFile::Csv) => csv::read(&html::decoded(&bytes()?), &mut builder)?,
        Media::Office(OfficeFile::Odt | OfficeFile::Ods | OfficeFile::Odp) => {
            odf::read(&source.path, headers_footers, &mut builder)?;
        }
        Media::Eml => warnings = mail::read(&bytes()?, Format::Eml, &mut builder)?,
        Media::Msg => warnings = mail::read(&bytes()?, Format::Msg, &mut builder)?,
        Media::Text => plain(&html::decoded(&bytes()?), &mut builder),
        Media::Office(OfficeFile::Rtf)
        | Media::Pdf
        | Media::Jpeg
        | Media::Png
        | Media::Webp
        | Media::Tiff
        | Media::Gif
        | Media::Bmp
        | Media::Svg
        | Media::Json
        | Media::JsonLines
        | Media::Zip
        | Media::Other => return Err(Failure::internal(format!("{:?} has no structure of its own", source.media))),
    }
    Ok((builder.finish()?, warnings))
}

/// Paragraphs of plain text: blank lines stand between them.
fn plain(text: &str, builder: &mut Builder<'_, '_>) {
    let mut paragraph = String::new();
    for line in text.lines().chain([""]) {
        if line.trim().is_empty() {
            builder.block(Role::Paragraph, Text::plain(&paragraph));
            paragraph.clear();
        } else {
            paragraph.push_str(line.trim_end());
            paragraph.push('\n');
        }
    }
}

#[cfg(test)]
mod tests;
