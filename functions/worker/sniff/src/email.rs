//! Email messages. Outlook's are compound files. Others have no signature: they begin with headers.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use docmill_domain::job::JobErrorCode;
use docmill_engine::Failure;
use docmill_formats::{Family, Format, Group};

use super::compound::{self, Content};
use super::identify::Hints;
use super::media::{called, format_of, not_accepted};
use super::{corrupt, unreadable};

/// Mail servers put many headers before the sender's.
const HEAD_BYTES: u64 = 16 << 10;

/// Headers that hardly occur outside messages.
const KNOWN: [&str; 18] = [
    "bcc",
    "cc",
    "content-type",
    "date",
    "delivered-to",
    "dkim-signature",
    "from",
    "message-id",
    "mime-version",
    "received",
    "references",
    "reply-to",
    "return-path",
    "sender",
    "subject",
    "thread-topic",
    "to",
    "x-mailer",
];

/// Known headers that are enough for a file without a message's name.
const ENOUGH: usize = 2;

/// Identifies the kind of message. Blocks.
///
/// # Errors
/// `unsupported_format` or `corrupt_document`.
pub fn email(path: &Path, hints: Hints<'_>) -> Result<Format, Failure> {
    if let Some(format) = message(path, hints)? {
        return Ok(format);
    }
    Err(match format_of(path, hints) {
        Ok(format) if !format.is_office() => not_accepted(format, "email-to-pdf", &Group::Mail.formats()),
        Ok(_) | Err(_) => not_a_message(),
    })
}

/// Identifies a message, or another file that can become a PDF, such as an attachment. Blocks.
///
/// # Errors
/// `unsupported_format` or `corrupt_document`.
pub fn attached(path: &Path, hints: Hints<'_>) -> Result<Format, Failure> {
    let is_called_message = called(hints).is_some_and(|format| format.family() == Family::Mail);
    match message(path, hints)?.filter(|format| is_called_message || *format == Format::Msg) {
        Some(format) => Ok(format),
        None => format_of(path, hints),
    }
}

fn message(path: &Path, hints: Hints<'_>) -> Result<Option<Format>, Failure> {
    let mut head = Vec::new();
    File::open(path).map_err(unreadable)?.take(HEAD_BYTES).read_to_end(&mut head).map_err(unreadable)?;
    if head.is_empty() {
        return Err(corrupt("it is empty"));
    }
    if head.starts_with(compound::MAGIC) {
        return Ok((compound::content(path)? == Content::Message).then_some(Format::Msg));
    }
    let enough = if is_called_message(hints) { 1 } else { ENOUGH };
    Ok((known_headers(&head) >= enough).then_some(Format::Eml))
}

fn not_a_message() -> Failure {
    let message = "The source does not seem to be an email message. This tool accepts messages as eml or msg files: \
        save the message in your mail program, with its headers.";
    Failure::new(JobErrorCode::UnsupportedFormat, message, "no headers of a message")
}

/// The number of different known headers at the start of a file.
fn known_headers(head: &[u8]) -> usize {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    let mut found = [false; KNOWN.len()];
    for (index, line) in head.split(|byte| *byte == b'\n').enumerate() {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        // The line that mailboxes start with, and continuation lines.
        if index == 0 && line.starts_with(b"From ") || index > 0 && line.starts_with(b" ") || line.starts_with(b"\t") {
            continue;
        }
        let name = line.iter().position(|byte| *byte == b':').and_then(|at| line.get(..at)).map(<[u8]>::trim_ascii_end);
        let Some(name) = name.filter(|name| !name.is_empty() && name.iter().all(u8::is_ascii_graphic)) else { break };
        if let Some(known) = KNOWN.iter().position(|known| name.eq_ignore_ascii_case(known.as_bytes()))
            && let Some(found) = found.get_mut(known)
        {
            *found = true;
        }
    }
    found.into_iter().filter(|found| *found).count()
}

fn is_called_message(hints: Hints<'_>) -> bool {
    let declared = hints.content_type.and_then(Format::from_media_type);
    declared == Some(Format::Eml) || called(hints).is_some_and(|format| format.family() == Family::Mail)
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use super::*;

    fn of(bytes: &[u8], filename: Option<&str>, content_type: Option<&str>) -> Result<Format, Failure> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        email(file.path(), Hints { filename, content_type, url: None })
    }

    fn compound(stream: &str) -> Vec<u8> {
        let mut file = cfb::CompoundFile::create(Cursor::new(Vec::new())).unwrap();
        file.create_stream(stream).unwrap().write_all(&[0; 32]).unwrap();
        file.into_inner().into_inner()
    }

    #[test]
    fn messages_are_known_by_their_headers() {
        let message = b"Received: from a\r\n\tby b\r\nFrom: a@example.com\r\n\r\n\0binary";
        assert_eq!(of(message, None, None).unwrap(), Format::Eml);
        assert_eq!(of(message, Some("x.pdf"), Some("application/pdf")).unwrap(), Format::Eml);
        assert_eq!(of(&[b"\xef\xbb\xbf\r\n".as_slice(), message].concat(), None, None).unwrap(), Format::Eml);
        assert_eq!(of(b"From a Sat Nov 22\nSubject: x\nDate: y\n", None, None).unwrap(), Format::Eml);
        assert_eq!(of(&compound("__properties_version1.0"), None, None).unwrap(), Format::Msg);
    }

    #[test]
    fn one_header_is_enough_for_a_file_named_as_a_message() {
        assert_eq!(of(b"Subject: x\n\nText", Some("a.EML"), None).unwrap(), Format::Eml);
        assert_eq!(of(b"Subject: x\n\nText", None, Some("Message/RFC822; x=y")).unwrap(), Format::Eml);
        assert!(of(b"Subject: x\n\nText", None, None).is_err());
    }

    #[test]
    fn other_files_are_not_messages() {
        let cases: [(&[u8], &str); 6] = [
            (b"%PDF-1.7\n", "email-to-pdf does not accept pdf files. It accepts: eml, msg."),
            (b"<!doctype html><p>x", "email-to-pdf does not accept html files."),
            (b"Just words, and: more words", "does not seem to be an email message"),
            (b"PK\x03\x04", "does not seem to be an email message"),
            (b"\0\x01", "does not seem to be an email message"),
            (&compound("WordDocument"), "does not seem to be an email message"),
        ];
        for (bytes, expected) in cases {
            let failure = of(bytes, Some("x.eml"), None).unwrap_err();
            assert_eq!(failure.code, JobErrorCode::UnsupportedFormat);
            assert!(failure.message.contains(expected), "{}", failure.message);
        }
        assert_eq!(of(b"", None, None).unwrap_err().code, JobErrorCode::CorruptDocument);
    }

    #[test]
    fn attachments_that_begin_like_messages_are_texts_unless_they_are_called_messages() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "From: a@example.com\nTo: b\n\nText").unwrap();
        let called =
            |name| attached(file.path(), Hints { filename: Some(name), ..Hints::default() }).unwrap().extension();
        assert_eq!((called("a.eml"), called("a.txt")), ("eml", "txt"));
    }
}
