//! MIME messages, parsed by the crate `mail-parser`.

use std::borrow::Cow;
use std::panic::catch_unwind;

use mail_parser::decoders::charsets::map::charset_decoder;
use mail_parser::{Address, Encoding, HeaderName, Message, MessageParser, MessagePart, MimeHeaders, PartType};

use super::words;
use super::{Body, Email, File, Headers, Unreadable, guess, one_line, person};

pub(super) fn read(bytes: &[u8]) -> Result<Email, Unreadable> {
    let bytes = words::in_headers(without_prefix(bytes));
    let parsed = catch_unwind(|| MessageParser::default().parse(bytes.as_ref()));
    let parsed = parsed.map_err(|_panicked| Unreadable("the parser of messages panicked"))?;
    let message = parsed.ok_or(Unreadable("no header of a message"))?;
    let headers = headers(&message);
    let (mut bodies, mut files) = (Vec::new(), Vec::new());
    let shown = shown(&message);
    for part in shown.iter().filter_map(|id| message.parts.get(*id as usize)) {
        match &part.body {
            PartType::Html(text) => bodies.push(Body::Html(decoded(&message, part, text))),
            PartType::Text(text) if is_html(part) => bodies.push(Body::Html(decoded(&message, part, text))),
            PartType::Text(text) => add_text(&mut bodies, unflowed(part, decoded(&message, part, text))),
            PartType::InlineBinary(_) | PartType::Binary(_) => bodies.push(Body::Picture(files.len())),
            PartType::Message(_) | PartType::Multipart(_) => {}
        }
        if matches!(part.body, PartType::InlineBinary(_) | PartType::Binary(_)) {
            files.push(file(&message, part));
        }
    }
    for id in &message.attachments {
        let Some(part) = message.parts.get(*id as usize) else { continue };
        let is_shown = shown.contains(id) && !matches!(part.body, PartType::Message(_));
        if !is_shown {
            files.push(file(&message, part));
        }
    }
    let is_enclosed = is_enclosed(&message);
    Ok(Email { headers, bodies, files: files.into(), is_enclosed, is_damaged: false })
}

/// The parts of the message's body. In an incomplete message, the parser treats them as attachments.
fn shown(message: &Message<'_>) -> Vec<u32> {
    let is_body = |id: &&u32| {
        let part = message.parts.get(**id as usize);
        part.is_some_and(|part| part.is_text() && !part.content_disposition().is_some_and(|kind| kind.is_attachment()))
    };
    if message.html_body.is_empty() {
        return message.attachments.iter().find(is_body).copied().into_iter().collect();
    }
    message.html_body.clone()
}

/// Consecutive texts are joined.
fn add_text(bodies: &mut Vec<Body>, text: String) {
    if let Some(Body::Text(before)) = bodies.last_mut() {
        before.push_str("\n\n");
        before.push_str(&text);
    } else {
        bodies.push(Body::Text(text));
    }
}

/// The message without a byte order mark, leading blank lines, and a mailbox's first line.
fn without_prefix(bytes: &[u8]) -> &[u8] {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    if !bytes.starts_with(b"From ") {
        return bytes;
    }
    let end = memchr::memchr(b'\n', bytes).map_or(bytes.len(), |at| at + 1);
    bytes.get(end..).unwrap_or_default()
}

fn headers(message: &Message<'_>) -> Headers {
    let people = |address: Option<&Address<'_>>| -> Vec<String> {
        let all = address.into_iter().flat_map(Address::iter);
        all.filter_map(|one| person(one.name.as_deref(), one.address.as_deref())).collect()
    };
    let from = people(message.from());
    Headers {
        from: if from.is_empty() { people(message.sender()) } else { from },
        to: people(message.to()),
        cc: people(message.cc()),
        bcc: people(message.bcc()),
        date: date(message),
        subject: message.subject().map(one_line).filter(|subject| !subject.is_empty()),
    }
}

/// In the sender's time zone, or unchanged if it can't be parsed.
fn date(message: &Message<'_>) -> Option<String> {
    let read = message.date().filter(|date| date.is_valid()).map(mail_parser::DateTime::to_rfc822);
    read.or_else(|| message.header_raw(HeaderName::Date).map(one_line)).filter(|date| !date.is_empty())
}

fn is_html(part: &MessagePart<'_>) -> bool {
    part.is_content_type("text", "html")
}

/// The part's body as it was sent.
fn raw<'a>(message: &'a Message<'_>, part: &MessagePart<'_>) -> &'a [u8] {
    message.raw_message.get(part.offset_body as usize..part.offset_end as usize).unwrap_or_default()
}

/// The text if its declared encoding is right, or else decoded with the most likely encoding.
fn decoded(message: &Message<'_>, part: &MessagePart<'_>, text: &str) -> String {
    let declared = part.content_type().and_then(|kind| kind.attribute("charset")).unwrap_or("us-ascii");
    let is_plausible = !declared.eq_ignore_ascii_case("us-ascii") && !text.contains(char::REPLACEMENT_CHARACTER);
    let raw = raw(message, part);
    if part.encoding == Encoding::Base64
        && let Some(bytes) = words::from_unpadded(raw)
    {
        return charset_decoder(declared.as_bytes()).map_or_else(|| guess(&bytes), |decode| decode(&bytes));
    }
    if text.is_ascii() || is_plausible {
        return text.to_owned();
    }
    let bytes = match part.encoding {
        Encoding::None => Some(Cow::Borrowed(raw)),
        Encoding::QuotedPrintable => {
            mail_parser::decoders::quoted_printable::quoted_printable_decode(raw).map(Cow::Owned)
        }
        Encoding::Base64 => mail_parser::decoders::base64::base64_decode(raw).map(Cow::Owned),
    };
    bytes
        .map(|bytes| guess(&bytes))
        .filter(|guessed| !guessed.contains(char::REPLACEMENT_CHARACTER))
        .unwrap_or_else(|| text.to_owned())
}

/// Joins lines that were broken for transport (RFC 3676).
fn unflowed(part: &MessagePart<'_>, text: String) -> String {
    let content_type = part.content_type();
    let attribute = |name| content_type.and_then(|kind| kind.attribute(name)).unwrap_or_default();
    if !attribute("format").eq_ignore_ascii_case("flowed") {
        return text;
    }
    let deletes = attribute("delsp").eq_ignore_ascii_case("yes");
    let mut whole = String::with_capacity(text.len());
    for line in text.lines() {
        // The line before a signature also ends in a space, and quoted lines keep their marks.
        let is_soft = line.ends_with(' ') && line != "-- " && !line.starts_with('>');
        whole.push_str(if is_soft && deletes { line.trim_end_matches(' ') } else { line });
        if !is_soft {
            whole.push('\n');
        }
    }
    whole
}

fn file(message: &Message<'_>, part: &MessagePart<'_>) -> File {
    let media_type = part.content_type().map(|kind| match kind.subtype() {
        Some(subtype) => format!("{}/{subtype}", kind.ctype()).to_ascii_lowercase(),
        None => kind.ctype().to_ascii_lowercase(),
    });
    let subject =
        part.message().and_then(Message::subject).map(|subject| format!("{}.eml", subject.replace(['/', '\\'], "-")));
    File {
        name: name_of(message, part).or(subject),
        media_type,
        content_id: content_id(message, part),
        location: part.content_location().map(str::to_owned),
        bytes: contents(message, part),
    }
}

/// The part's own id. Some programs break long ones into encoded words, which ids may not have.
fn content_id(message: &Message<'_>, part: &MessagePart<'_>) -> Option<String> {
    let header = part.headers.iter().rfind(|header| header.name == HeaderName::ContentId)?;
    let raw = message.raw_message.get(header.offset_start as usize..header.offset_end as usize).unwrap_or_default();
    let id = words::in_id(raw).or_else(|| part.content_id().map(str::to_owned))?;
    Some(id.trim_matches(['<', '>', ' ']).to_owned())
}

/// The attachment's name, with words in its headers put right like those of the message.
fn name_of(message: &Message<'_>, part: &MessagePart<'_>) -> Option<String> {
    let headers = message.raw_message.get(part.offset_header as usize..part.offset_body as usize).unwrap_or_default();
    let put_right = match words::in_headers(headers) {
        Cow::Owned(headers) => catch_unwind(|| {
            MessageParser::default().parse_headers(headers.as_slice())?.attachment_name().map(str::to_owned)
        }),
        Cow::Borrowed(_) => Ok(None),
    };
    put_right.ok().flatten().or_else(|| part.attachment_name().map(str::to_owned))
}

fn contents(message: &Message<'_>, part: &MessagePart<'_>) -> Vec<u8> {
    match &part.body {
        // An inner message is a part of the file, unless it was encoded.
        PartType::Message(_) if part.encoding == Encoding::None => raw(message, part).to_vec(),
        PartType::Binary(_) | PartType::InlineBinary(_) if part.encoding == Encoding::Base64 => {
            words::from_unpadded(raw(message, part)).unwrap_or_else(|| part.contents().to_vec())
        }
        PartType::Text(_)
        | PartType::Html(_)
        | PartType::Binary(_)
        | PartType::InlineBinary(_)
        | PartType::Message(_)
        | PartType::Multipart(_) => part.contents().to_vec(),
    }
}

/// Also true for a signature that encloses the signed content.
fn is_enclosed(message: &Message<'_>) -> bool {
    let subtype = message.content_type().and_then(|kind| kind.subtype());
    subtype.is_some_and(|subtype| {
        ["encrypted", "pkcs7-mime", "x-pkcs7-mime"].iter().any(|known| subtype.eq_ignore_ascii_case(known))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_files_and_ids_that_are_encoded_loosely_are_whole() {
        for (charset, encoded, expected) in [
            ("utf-8", "VGhlIGJpbGwgaXMgMTAg4oKsLg", "The bill is 10 €."),
            ("iso-8859-1", "WvxyaWNoIGFtIFNlZS4", "Zürich am See."),
        ] {
            let message = format!(
                "Subject: x\r\nContent-Type: text/plain; charset={charset}\r\nContent-Transfer-Encoding: base64\r\n\r\n{encoded}\r\n"
            );
            let read = read(message.as_bytes()).unwrap();
            assert!(matches!(read.bodies.as_slice(), [Body::Text(text)] if text == expected), "{charset}");
        }
        let message = "Subject: x\r\nContent-Type: multipart/related; boundary=b\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n\
            <p>x</p>\r\n--b\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\
            Content-ID: <=?us-ascii?Q?ab?=\r\n =?us-ascii?Q?c@d?=>\r\n\r\nYWI\r\n--b--\r\n";
        let read = read(message.as_bytes()).unwrap();
        let file = read.files.iter().next().unwrap();
        assert_eq!((file.content_id.as_deref(), file.bytes.as_slice()), (Some("abc@d"), b"ab".as_slice()));
    }
}
