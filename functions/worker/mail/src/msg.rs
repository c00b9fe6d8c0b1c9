//! Outlook's messages ([MS-OXMSG]): properties in streams of a compound file.

use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};

use cfb::CompoundFile;
use encoding_rs::{Encoding, UTF_16LE, WINDOWS_1252};

use super::{Body, Email, File, Headers, Unreadable, one_line, person, rtf};

/// The stream of the fixed-size properties.
const PROPERTIES: &str = "__properties_version1.0";
/// The size of its header in a top-level message and in an inner one.
const HEADER: usize = 32;
const HEADER_WITHIN: usize = 24;
/// Most recipients and attachments of a message that are read.
const MOST_CHILDREN: usize = 10_000;

/// Message classes with certificates ([MS-OXOSMIME]).
const SIGNED: &str = "IPM.Note.SMIME.MultipartSigned";
const ENCLOSED: &str = "IPM.Note.SMIME";

/// Identifiers of properties ([MS-OXPROPS]).
mod id {
    pub(super) const MESSAGE_CLASS: u16 = 0x001a;
    pub(super) const SUBJECT: u16 = 0x0037;
    pub(super) const SUBMITTED: u16 = 0x0039;
    pub(super) const REPRESENTED_NAME: u16 = 0x0042;
    pub(super) const REPRESENTED_ADDRESS: u16 = 0x0065;
    pub(super) const REPRESENTED_SMTP: u16 = 0x5d02;
    pub(super) const SENDER_NAME: u16 = 0x0c1a;
    pub(super) const SENDER_ADDRESS: u16 = 0x0c1f;
    pub(super) const SENDER_SMTP: u16 = 0x5d01;
    pub(super) const RECIPIENT_KIND: u16 = 0x0c15;
    pub(super) const DISPLAY_TO: u16 = 0x0e04;
    pub(super) const DISPLAY_CC: u16 = 0x0e03;
    pub(super) const DELIVERED: u16 = 0x0e06;
    pub(super) const TEXT: u16 = 0x1000;
    pub(super) const RTF: u16 = 0x1009;
    pub(super) const HTML: u16 = 0x1013;
    pub(super) const NAME: u16 = 0x3001;
    pub(super) const ADDRESS: u16 = 0x3003;
    pub(super) const SMTP: u16 = 0x39fe;
    pub(super) const DATA: u16 = 0x3701;
    pub(super) const SHORT_FILENAME: u16 = 0x3704;
    pub(super) const FILENAME: u16 = 0x3707;
    pub(super) const MEDIA_TYPE: u16 = 0x370e;
    pub(super) const CONTENT_ID: u16 = 0x3712;
    pub(super) const LOCATION: u16 = 0x3713;
    pub(super) const INTERNET_CODEPAGE: u16 = 0x3fde;
    pub(super) const CODEPAGE: u16 = 0x3ffd;
}

/// Types of properties.
mod kind {
    pub(super) const LONG: u16 = 0x0003;
    pub(super) const OBJECT: u16 = 0x000d;
    pub(super) const BYTES_TEXT: u16 = 0x001e;
    pub(super) const TEXT: u16 = 0x001f;
    pub(super) const TIME: u16 = 0x0040;
    pub(super) const BINARY: u16 = 0x0102;
}

type Compound<'a> = CompoundFile<Cursor<&'a [u8]>>;

/// A compound file, and whether a part of it could not be read.
struct Message<'a> {
    compound: Compound<'a>,
    is_damaged: bool,
}

impl Message<'_> {
    /// An incomplete stream gives its first part.
    fn stream(&mut self, path: &Path) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        let most = self.compound.entry(path).ok().filter(cfb::Entry::is_stream)?.len();
        let read = self.compound.open_stream(path).and_then(|stream| stream.take(most).read_to_end(&mut bytes));
        self.is_damaged |= read.is_err() || (bytes.len() as u64) < most;
        Some(bytes)
    }
}

pub(super) fn read(bytes: &[u8]) -> Result<Email, Unreadable> {
    let compound = Compound::open(Cursor::new(bytes)).map_err(|_| Unreadable("a broken compound file"))?;
    if !compound.is_stream(PROPERTIES) {
        return Err(Unreadable("a compound file without properties"));
    }
    let mut message = Message { compound, is_damaged: false };
    let mut storage = Storage::open(&mut message, PathBuf::from("/"), HEADER, WINDOWS_1252);
    let page = |number: Option<u64>| number.and_then(|page| u16::try_from(page).ok()).and_then(codepage::to_encoding);
    let encoding = page(storage.fixed(id::CODEPAGE, kind::LONG)).unwrap_or(WINDOWS_1252);
    storage.encoding = encoding;
    let of_html = page(storage.fixed(id::INTERNET_CODEPAGE, kind::LONG)).unwrap_or(encoding);
    let bodies = storage.body(of_html).into_iter().collect();
    let class = storage.text(id::MESSAGE_CLASS).unwrap_or_default();
    let mut headers = storage.headers();
    let recipients = children(&message.compound, "__recip_version1.0_");
    read_recipients(&mut message, &recipients, encoding, &mut headers);
    let attachments = children(&message.compound, "__attach_version1.0_");
    let files: Vec<_> = attachments.into_iter().map(|path| read_file(&mut message, path, encoding)).collect();
    // A signed message is an attachment in its original form.
    if class.eq_ignore_ascii_case(SIGNED)
        && let [file] = files.as_slice()
    {
        return super::eml::read(&file.bytes).map(|signed| Email { headers, ..signed });
    }
    let is_enclosed = class.eq_ignore_ascii_case(ENCLOSED);
    Ok(Email { headers, bodies, files: files.into(), is_enclosed, is_damaged: message.is_damaged })
}

fn children(compound: &Compound<'_>, prefix: &str) -> Vec<PathBuf> {
    let all = compound.read_root_storage().filter(|entry| entry.is_storage() && entry.name().starts_with(prefix));
    let mut paths: Vec<_> = all.take(MOST_CHILDREN).map(|entry| entry.path().to_owned()).collect();
    paths.sort();
    paths
}

/// A message, recipient or attachment.
struct Storage<'c, 'a> {
    message: &'c mut Message<'a>,
    path: PathBuf,
    /// Fixed-size properties of 16 bytes each.
    properties: Vec<u8>,
    encoding: &'static Encoding,
}

impl<'c, 'a> Storage<'c, 'a> {
    fn open(message: &'c mut Message<'a>, path: PathBuf, header: usize, encoding: &'static Encoding) -> Self {
        let all = message.stream(&path.join(PROPERTIES)).unwrap_or_default();
        let properties = all.get(header..).unwrap_or_default().to_vec();
        Self { message, path, properties, encoding }
    }

    fn fixed(&self, id: u16, kind: u16) -> Option<u64> {
        let tag = (u32::from(id) << 16 | u32::from(kind)).to_le_bytes();
        let entry = self.properties.chunks_exact(16).find(|entry| entry.starts_with(&tag))?;
        let value = u64::from_le_bytes(*entry.get(8..)?.first_chunk()?);
        Some(if kind == kind::LONG { value & 0xffff_ffff } else { value })
    }

    fn bytes(&mut self, id: u16, kind: u16) -> Option<Vec<u8>> {
        self.message.stream(&self.path.join(format!("__substg1.0_{id:04X}{kind:04X}")))
    }

    fn text(&mut self, id: u16) -> Option<String> {
        let wide = self.bytes(id, kind::TEXT).map(|bytes| UTF_16LE.decode_without_bom_handling(&bytes).0.into_owned());
        let text = wide.or_else(|| {
            let bytes = self.bytes(id, kind::BYTES_TEXT)?;
            Some(self.encoding.decode_without_bom_handling(&bytes).0.into_owned())
        })?;
        Some(text.trim_end_matches('\0').to_owned()).filter(|text| !text.is_empty())
    }

    /// HTML if it exists, or else text.
    fn body(&mut self, of_html: &'static Encoding) -> Option<Body> {
        let html = self.bytes(id::HTML, kind::BINARY).map(|bytes| of_html.decode(&bytes).0.into_owned());
        if let Some(html) = html.or_else(|| self.text(id::HTML)).filter(|html| !html.trim().is_empty()) {
            return Some(Body::Html(html));
        }
        let rtf =
            self.bytes(id::RTF, kind::BINARY).and_then(|bytes| rtf::decompressed(&bytes)).map(|rtf| rtf::body(&rtf));
        match (rtf, self.text(id::TEXT)) {
            (Some(html @ Body::Html(_)), _) => Some(html),
            (_, Some(text)) => Some(Body::Text(text)),
            (other, None) => other,
        }
    }

    fn headers(&mut self) -> Headers {
        let represented = self.sender([id::REPRESENTED_NAME, id::REPRESENTED_SMTP, id::REPRESENTED_ADDRESS]);
        let from = represented.or_else(|| self.sender([id::SENDER_NAME, id::SENDER_SMTP, id::SENDER_ADDRESS]));
        let time = self.fixed(id::SUBMITTED, kind::TIME).or_else(|| self.fixed(id::DELIVERED, kind::TIME));
        let mut listed = |id| self.text(id).map(|list| one_line(&list)).into_iter().collect();
        Headers {
            from: from.into_iter().collect(),
            to: listed(id::DISPLAY_TO),
            cc: listed(id::DISPLAY_CC),
            bcc: Vec::new(),
            date: time.and_then(date),
            subject: self.text(id::SUBJECT).map(|subject| one_line(&subject)).filter(|subject| !subject.is_empty()),
        }
    }

    fn sender(&mut self, [name, smtp, address]: [u16; 3]) -> Option<String> {
        let name = self.text(name);
        let address = self.text(smtp).or_else(|| self.text(address).filter(|address| is_address(address)));
        person(name.as_deref(), address.as_deref())
    }
}

/// Within an organisation, Outlook uses directory paths instead of addresses.
fn is_address(address: &str) -> bool {
    address.contains('@')
}

/// Replaces the names that the message lists by the recipients' addresses.
fn read_recipients(message: &mut Message<'_>, paths: &[PathBuf], encoding: &'static Encoding, headers: &mut Headers) {
    let (mut to, mut cc, mut bcc) = (Vec::new(), Vec::new(), Vec::new());
    for path in paths {
        let mut storage = Storage::open(message, path.clone(), 8, encoding);
        let name = storage.text(id::NAME);
        let address =
            storage.text(id::SMTP).or_else(|| storage.text(id::ADDRESS).filter(|address| is_address(address)));
        let list = match storage.fixed(id::RECIPIENT_KIND, kind::LONG) {
            Some(2) => &mut cc,
            Some(3) => &mut bcc,
            Some(_) | None => &mut to,
        };
        list.extend(person(name.as_deref(), address.as_deref()));
    }
    for (list, found) in [(&mut headers.to, to), (&mut headers.cc, cc), (&mut headers.bcc, bcc)] {
        if !found.is_empty() {
            *list = found;
        }
    }
}

fn read_file(message: &mut Message<'_>, path: PathBuf, encoding: &'static Encoding) -> File {
    let mut storage = Storage::open(message, path.clone(), 8, encoding);
    let name = storage.text(id::FILENAME).or_else(|| storage.text(id::SHORT_FILENAME));
    let shown = storage.text(id::NAME);
    let media_type = storage.text(id::MEDIA_TYPE).map(|kind| kind.to_ascii_lowercase());
    let content_id = storage.text(id::CONTENT_ID).map(|id| id.trim_matches(['<', '>', ' ']).to_owned());
    let location = storage.text(id::LOCATION);
    let bytes = storage.bytes(id::DATA, kind::BINARY);
    let within = path.join(format!("__substg1.0_{:04X}{:04X}", id::DATA, kind::OBJECT));
    if bytes.is_none() && message.compound.is_stream(within.join(PROPERTIES)) {
        let name = shown.or(name).map(|name| format!("{}.msg", name.replace(['/', '\\'], "-")));
        let bytes = message_within(message, &within).unwrap_or_default();
        return File { name, media_type: Some("application/vnd.ms-outlook".to_owned()), content_id, location, bytes };
    }
    File { name: name.or(shown), media_type, content_id, location, bytes: bytes.unwrap_or_default() }
}

/// An inner message as its own file.
fn message_within(message: &mut Message<'_>, root: &Path) -> std::io::Result<Vec<u8>> {
    let mut made = CompoundFile::create(Cursor::new(Vec::new()))?;
    // The names of properties without fixed numbers are stored once for all messages.
    for from in [root, Path::new("/__nameid_version1.0")] {
        let base = if from == root { root } else { Path::new("/") };
        let entries: Vec<_> = message
            .compound
            .walk_storage(from)
            .map(|all| all.map(|entry| (entry.path().to_owned(), entry.is_stream())).collect())
            .unwrap_or_default();
        for (path, is_stream) in entries {
            let Ok(within) = path.strip_prefix(base) else { continue };
            let to = Path::new("/").join(within);
            if !is_stream {
                made.create_storage_all(&to)?;
                continue;
            }
            let mut bytes = message.stream(&path).unwrap_or_default();
            if within == Path::new(PROPERTIES) && bytes.len() >= HEADER_WITHIN {
                bytes.splice(HEADER_WITHIN..HEADER_WITHIN, [0; HEADER - HEADER_WITHIN]);
            }
            made.create_stream(&to)?.write_all(&bytes)?;
        }
    }
    made.flush()?;
    Ok(made.into_inner().into_inner())
}

/// A Windows timestamp in tenths of microseconds since 1601, UTC.
fn date(time: u64) -> Option<String> {
    const SECONDS_TO_1970: i64 = 11_644_473_600;
    let seconds = i64::try_from(time / 10_000_000).ok()? - SECONDS_TO_1970;
    (seconds > 0).then(|| mail_parser::DateTime::from_timestamp(seconds).to_rfc822())
}
