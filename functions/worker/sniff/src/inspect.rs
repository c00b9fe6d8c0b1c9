//! Checks whether a file of a known format is safe and sound enough for an engine.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;

use docmill_domain::job::JobErrorCode;
use docmill_domain::limits::Limits;
use docmill_engine::{Failure, Inspection};
use docmill_formats::{Container, Family, Format};
use docmill_package::{Disk, Package, Part};

use super::package;
use super::text;
use super::xml::{self, Doctypes, Fault, Next};
use super::{UNKNOWN, compound, corrupt, unreadable, unsupported, workbook};

/// Most pixels of a picture: 400 MB when decoded.
const PIXELS: u64 = 100_000_000;
/// Enough to identify a part.
const HEAD_BYTES: u64 = 4 << 10;
/// A picture's size is in its first bytes or after the camera's metadata.
const PICTURE_BYTES: u64 = 16 << 20;

/// Checks a file that `identify` found to have this `format`.
///
/// # Errors
/// `corrupt_document`, `unsupported_format` or `source_too_large`.
pub fn check(path: &Path, format: Format, limits: &Limits) -> Result<Inspection, Failure> {
    let head = head(File::open(path).map_err(unreadable)?).map_err(unreadable)?;
    let none = Inspection::default();
    Ok(match format.container() {
        Container::Ooxml if head.starts_with(compound::MAGIC) => {
            Inspection { encrypted: compound::is_encrypted(path, format)?, ..none }
        }
        Container::Ooxml => {
            let inspection = check_ooxml(path, limits)?;
            if format.family() == Family::Sheet {
                workbook::check(path, of_packages(limits))?;
            }
            inspection
        }
        Container::Odf => check_odf(path, limits)?,
        Container::FlatOdf => {
            well_formed(File::open(path).map_err(unreadable)?)?;
            none
        }
        Container::Compound if head.starts_with(compound::MAGIC) => Inspection {
            encrypted: compound::is_encrypted(path, format)?,
            has_macros: compound::has_macros(path)?,
            ..none
        },
        Container::Compound | Container::Rtf | Container::Pdf | Container::Binary => none,
        Container::PlainText => {
            let encoding = text::encoding(File::open(path).map_err(unreadable)?).map_err(unreadable)?;
            let encoding = encoding.ok_or_else(|| unsupported(UNKNOWN))?;
            Inspection { encoding: Some(encoding), ..none }
        }
    })
}

fn of_packages(limits: &Limits) -> docmill_package::Limits {
    let parts = usize::try_from(limits.archive_entries).unwrap_or(usize::MAX);
    docmill_package::Limits::of(parts, limits.unpacked_bytes)
}

fn check_ooxml(path: &Path, limits: &Limits) -> Result<Inspection, Failure> {
    let within = of_packages(limits);
    let mut package = package::open(path, within)?;
    let (main, _) = package.main_part().ok_or_else(|| corrupt("its main part is missing"))?;
    let folder = main.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
    check_parts(&mut package, within, |name| {
        let in_folder = name.strip_prefix(&*folder).map(|name| name.trim_start_matches('/'));
        let is_page = in_folder.is_some_and(|name| name.starts_with("worksheets/") || name.starts_with("slides/"));
        let is_xml = [".xml", ".rels"].into_iter().any(|extension| name.ends_with(extension));
        // Engines convert documents with unreadable pages to blank ones.
        if name == main || is_page && name.ends_with(".xml") {
            Demand::WellFormed
        } else if is_xml {
            Demand::Harmless(Doctypes::None)
        } else {
            Demand::Harmless(in_a_picture(name))
        }
    })?;
    let has = |is_wanted: fn(&str) -> bool| (0..package.len()).any(|index| is_wanted(&package.name(index)));
    let has_macros = has(|name| name.ends_with("/vbaProject.bin"));
    // Beside signatures, the folder has an empty part that stays if they are removed.
    let signed = has(|name| name.starts_with("_xmlsignatures/") && name.ends_with(".xml"));
    Ok(Inspection { has_macros, signed, ..Inspection::default() })
}

fn check_odf(path: &Path, limits: &Limits) -> Result<Inspection, Failure> {
    let within = of_packages(limits);
    let mut package = package::open(path, within)?;
    let encrypted = package.is_encrypted();
    if !encrypted && !package.has("content.xml") {
        return Err(corrupt("its main part is missing"));
    }
    check_parts(&mut package, within, |name| match name {
        "content.xml" if !encrypted => Demand::WellFormed,
        // Old manifests, and macros even today, have a public document type.
        _ => Demand::Harmless(in_a_picture(name)),
    })?;
    let signed = package.has("META-INF/documentsignatures.xml");
    Ok(Inspection { encrypted, has_macros: package.has_scripts(), signed, ..Inspection::default() })
}

/// Drawing programs export pictures with a public document type.
fn in_a_picture(name: &str) -> Doctypes {
    if name.to_ascii_lowercase().ends_with(".svg") { Doctypes::Naming } else { Doctypes::Plain }
}

/// Requirements of a package's part.
enum Demand {
    /// Well-formed XML without a document type.
    WellFormed,
    /// If it is XML, only these document types.
    Harmless(Doctypes),
}

/// Unpacks every part once, within the package's limit.
fn check_parts(
    package: &mut Package<Disk>,
    limits: docmill_package::Limits,
    demand: impl Fn(&str) -> Demand,
) -> Result<(), Failure> {
    for index in 0..package.len() {
        let demand = demand(&package.name(index));
        let checked = match package.part(index) {
            Some(part) => check_part(part, &demand),
            None if matches!(demand, Demand::WellFormed) => Err(corrupt("its main part cannot be unpacked")),
            None => Ok(()),
        };
        // If a part ends early because of the limit, that is the error to report.
        package::within_limit(package, limits)?;
        checked?;
    }
    Ok(())
}

fn check_part(mut part: Part<'_>, demand: &Demand) -> Result<(), Failure> {
    let head = head(&mut part).unwrap_or_default();
    let (looks_like_xml, is_picture) = (xml::looks_like_xml(&head), is_picture(&head));
    let mut whole = Cursor::new(head).chain(&mut part);
    match demand {
        Demand::WellFormed => well_formed(&mut whole)?,
        Demand::Harmless(doctypes) if looks_like_xml => prologue(&mut whole, *doctypes)?,
        Demand::Harmless(_) if is_picture => check_picture(&mut whole)?,
        Demand::Harmless(_) => {}
    }
    // The rest is only unpacked to count its bytes, so errors don't matter.
    let _ = io::copy(&mut part, &mut io::sink());
    Ok(())
}

fn well_formed(reader: impl Read) -> Result<(), Failure> {
    xml::scan(reader, Doctypes::None, |_| Next::Continue).map_err(refusal)
}

/// Checks everything before the root element.
fn prologue(reader: impl Read, doctypes: Doctypes) -> Result<(), Failure> {
    match xml::scan(reader, doctypes, |_| Next::Stop) {
        Err(Fault::Doctype) => Err(refusal(Fault::Doctype)),
        // If it is not XML, it can't declare anything.
        Ok(()) | Err(Fault::Malformed(_)) => Ok(()),
    }
}

fn refusal(fault: Fault) -> Failure {
    match fault {
        Fault::Malformed(cause) => Failure { cause, ..corrupt("the XML of its main part is not well-formed") },
        Fault::Doctype => corrupt("it contains XML with a document type declaration, which is not allowed"),
    }
}

/// Whether it is a picture that engines decode.
fn is_picture(head: &[u8]) -> bool {
    use imagesize::ImageType::{Bmp, Gif, Jpeg, Png, Psd, Tiff, Webp};
    matches!(imagesize::image_type(head), Ok(Bmp | Gif | Jpeg | Png | Psd | Tiff | Webp))
}

fn check_picture(reader: impl Read) -> Result<(), Failure> {
    let mut picture = Vec::new();
    // The start of a broken picture still has its size.
    let _ = reader.take(PICTURE_BYTES).read_to_end(&mut picture);
    // If the size can't be read, the engine shows no picture.
    let Ok(size) = imagesize::blob_size(&picture) else { return Ok(()) };
    if (size.width as u64).saturating_mul(size.height as u64) <= PIXELS {
        return Ok(());
    }
    Err(Failure::new(
        JobErrorCode::SourceTooLarge,
        format!("A picture in the document has more than {} megapixels. Scale it down.", PIXELS / 1_000_000),
        format!("a picture of {} by {} pixels", size.width, size.height),
    ))
}

fn head(reader: impl Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    reader.take(HEAD_BYTES).read_to_end(&mut head)?;
    Ok(head)
}
