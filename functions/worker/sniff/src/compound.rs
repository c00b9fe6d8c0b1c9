//! OLE compound files: Word's, Excel's and PowerPoint's binary formats, and the container of encrypted OOXML.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use docmill_domain::job::JobErrorCode;
use docmill_engine::Failure;
use docmill_formats::Format;

use super::{corrupt, unreadable};

pub(super) const MAGIC: &[u8] = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";

/// An encryption record must come within this many records of an Excel stream.
const EXCEL_RECORDS: usize = 1_000;

/// The content of a compound file, judged by its streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Binary(Format),
    /// An OOXML package with a password. Its kind is unknown.
    EncryptedOoxml,
    /// An Outlook message.
    Message,
    /// The likely content, as a noun with its article.
    Other(&'static str),
}

/// Streams at the root and the content they imply. Encryption first: such a file may also keep streams of other kinds.
const MARKS: [(&str, Content); 12] = [
    ("EncryptedPackage", Content::EncryptedOoxml),
    ("WordDocument", Content::Binary(Format::Doc)),
    ("Workbook", Content::Binary(Format::Xls)),
    ("Book", Content::Binary(Format::Xls)),
    ("PowerPoint Document", Content::Binary(Format::Ppt)),
    ("PP40", Content::Binary(Format::Ppt)),
    ("__properties_version1.0", Content::Message),
    ("VisioDocument", Content::Other("a Visio drawing")),
    ("Quill", Content::Other("a Publisher document")),
    ("HwpSummaryInformation", Content::Other("a Hangul document")),
    ("WksSSWorkBook", Content::Other("a Works spreadsheet")),
    ("StarWriterDocument", Content::Other("a StarOffice document")),
];

/// A request for a password would be useless: none can open the file.
fn unknown_protection() -> Failure {
    let message = "The document is protected in a way that is not supported. Save it without protection and retry.";
    Failure::new(JobErrorCode::UnsupportedFormat, message, "a workbook encrypted in another way")
}

type Compound = cfb::CompoundFile<File>;

fn open(path: &Path) -> Result<Compound, Failure> {
    let file = File::open(path).map_err(unreadable)?;
    // Files of other programs than Microsoft's may break rules; the default is lenient.
    Compound::open(file).map_err(|error| {
        let failure = corrupt("its compound file is incomplete or broken");
        Failure { cause: format!("reading the compound file: {error}"), ..failure }
    })
}

pub(super) fn content(path: &Path) -> Result<Content, Failure> {
    let compound = open(path)?;
    let mark = MARKS.into_iter().find(|(name, _)| compound.exists(name));
    Ok(mark.map_or(Content::Other("a compound file of an unknown kind"), |(_, content)| content))
}

/// Whether the file is marked as encrypted. Files too broken to tell are left to the engine.
pub(super) fn is_encrypted(path: &Path, format: Format) -> Result<bool, Failure> {
    let mut compound = open(path)?;
    if compound.exists("EncryptedPackage") {
        return Ok(true);
    }
    let encrypted = if format == Format::Doc {
        word_is_encrypted(&mut compound)
    } else if format == Format::Xls {
        match excel_protection(&mut compound) {
            Ok(Some(protection)) if !excel_protection_is_supported(&protection) => return Err(unknown_protection()),
            protection => protection.map(|protection| protection.is_some()),
        }
    } else if format == Format::Ppt {
        powerpoint_is_encrypted(&mut compound)
    } else {
        Ok(false)
    };
    Ok(encrypted.unwrap_or(false))
}

/// Whether it contains Word or Excel macros.
pub(super) fn has_macros(path: &Path) -> Result<bool, Failure> {
    let compound = open(path)?;
    Ok(["Macros", "_VBA_PROJECT_CUR"].iter().any(|storage| compound.exists(storage)))
}

/// FibBase.fEncrypted ([MS-DOC] 2.5.2): bit 8 of the flags at offset 10.
fn word_is_encrypted(compound: &mut Compound) -> io::Result<bool> {
    let mut base = [0; 12];
    compound.open_stream("WordDocument")?.read_exact(&mut base)?;
    Ok(u16::from_le_bytes([base[10], base[11]]) & 0x0100 != 0)
}

/// The encryption of a workbook: its FILEPASS record in the globals substream ([MS-XLS] 2.4.117), before the encrypted part.
fn excel_protection(compound: &mut Compound) -> io::Result<Option<Vec<u8>>> {
    const FILE_PASS: u16 = 0x2f;
    const END_OF_SUBSTREAM: u16 = 0x0a;
    let name = if compound.exists("Workbook") { "Workbook" } else { "Book" };
    let mut stream = io::BufReader::new(compound.open_stream(name)?);
    for _ in 0..EXCEL_RECORDS {
        let mut header = [0; 4];
        stream.read_exact(&mut header)?;
        let mut record = stream.by_ref().take(u16::from_le_bytes([header[2], header[3]]).into());
        match u16::from_le_bytes([header[0], header[1]]) {
            FILE_PASS => {
                let mut protection = Vec::new();
                record.read_to_end(&mut protection)?;
                return Ok(Some(protection));
            }
            END_OF_SUBSTREAM => return Ok(None),
            _ => io::copy(&mut record, &mut io::sink())?,
        };
    }
    Ok(None)
}

/// Whether LibreOffice can open this encryption with the right password: XOR, Office 97's RC4, or CryptoAPI's RC4 with a key of
/// 128 bits. LibreOffice treats other key sizes as 128 bits ([MS-OFFCRYPTO] 2.3.5.1).
fn excel_protection_is_supported(protection: &[u8]) -> bool {
    /// Workbooks before Excel 97 only have XOR, and only store its key.
    const XOR_ALONE: usize = 4;
    const RC4: u32 = 0x6801;
    let short = |at: usize| Some(u16::from_le_bytes(*protection.get(at..)?.first_chunk()?));
    let long = |at: usize| Some(u32::from_le_bytes(*protection.get(at..)?.first_chunk()?));
    match (short(0), short(2), short(4)) {
        _ if protection.len() <= XOR_ALONE => true,
        (Some(0), ..) | (Some(1), Some(1), Some(1)) => true,
        // After the versions: flags, size of the header, flags, extra size, cipher, digest, bits of the key.
        (Some(1), Some(2..=4), Some(2)) => long(22) == Some(RC4) && long(30) == Some(128),
        _ => false,
    }
}

/// CurrentUserAtom.headerToken ([MS-PPT] 2.3.2), after the record's header and its own size.
fn powerpoint_is_encrypted(compound: &mut Compound) -> io::Result<bool> {
    const ENCRYPTED: u32 = 0xf3d1_c4df;
    let mut atom = [0; 16];
    compound.open_stream("Current User")?.read_exact(&mut atom)?;
    Ok(u32::from_le_bytes([atom[12], atom[13], atom[14], atom[15]]) == ENCRYPTED)
}
