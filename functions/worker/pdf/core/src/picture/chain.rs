//! The filters of a picture: any number that unpack bytes, then perhaps one that decodes pictures.

use std::borrow::Cow;

use lopdf::{Dictionary, Document, Object, Stream};

use crate::filters;
use crate::objects::{Lookup, unpacked};

/// The most bytes that a coded picture may unpack to.
const CODED_BYTES: usize = 256 << 20;
/// What writers may add to samples.
const SPARE_BYTES: usize = 4096;

/// The last filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    /// `DCTDecode`.
    Jpeg,
    /// `JPXDecode`.
    Jpeg2000,
    /// `CCITTFaxDecode`.
    Fax,
    /// `JBIG2Decode`.
    Jbig2,
    /// Samples, packed or not.
    Plain,
}

impl Coding {
    fn of(filter: &[u8]) -> Option<Self> {
        match filter {
            b"DCTDecode" | b"DCT" => Some(Self::Jpeg),
            b"JPXDecode" => Some(Self::Jpeg2000),
            b"CCITTFaxDecode" | b"CCF" => Some(Self::Fax),
            b"JBIG2Decode" => Some(Self::Jbig2),
            _ => None,
        }
    }

    /// Whether it usually loses something.
    pub const fn is_lossy(self) -> bool {
        matches!(self, Self::Jpeg | Self::Jpeg2000)
    }

    /// The name of its filter, if it has one.
    pub const fn filter(self) -> Option<&'static str> {
        match self {
            Self::Jpeg => Some("DCTDecode"),
            Self::Jpeg2000 => Some("JPXDecode"),
            Self::Fax => Some("CCITTFaxDecode"),
            Self::Jbig2 => Some("JBIG2Decode"),
            Self::Plain => None,
        }
    }
}

/// The full name of a filter that unpacks bytes.
fn unpacking(filter: &[u8]) -> Option<&'static str> {
    match filter {
        b"FlateDecode" | b"Fl" => Some("FlateDecode"),
        b"LZWDecode" | b"LZW" => Some("LZWDecode"),
        b"RunLengthDecode" | b"RL" => Some("RunLengthDecode"),
        b"ASCII85Decode" | b"A85" => Some("ASCII85Decode"),
        b"ASCIIHexDecode" | b"AHx" => Some("ASCIIHexDecode"),
        _ => None,
    }
}

pub(super) struct Chain<'d> {
    pub(super) coding: Coding,
    /// How many filters come before the coding.
    pub(super) wrappers: usize,
    names: Vec<&'static str>,
    parameters: Vec<Option<&'d Dictionary>>,
}

impl<'d> Chain<'d> {
    /// `None` for filters that are not known, and for codings within others.
    pub(super) fn read(document: &'d Document, dict: &'d Dictionary) -> Option<Self> {
        let resolved = |key: &[u8]| -> Vec<Option<&'d Object>> {
            match document.value(dict, key) {
                Some(Object::Array(parts)) => parts.iter().map(|part| document.resolve(part)).collect(),
                other => vec![other],
            }
        };
        let filters: Vec<&[u8]> = resolved(b"Filter")
            .into_iter()
            .flatten()
            .filter(|filter| !matches!(filter, Object::Null))
            .map(|filter| filter.as_name().ok())
            .collect::<Option<_>>()?;
        let mut parameters: Vec<Option<&'d Dictionary>> =
            resolved(b"DecodeParms").into_iter().map(|part| part?.as_dict().ok()).collect();
        let (coding, wrappers) = match filters.split_last() {
            Some((last, wrappers)) if let Some(coding) = Coding::of(last) => (coding, wrappers),
            _ => (Coding::Plain, filters.as_slice()),
        };
        let names: Vec<&'static str> = wrappers.iter().map(|name| unpacking(name)).collect::<Option<_>>()?;
        parameters.resize(filters.len(), None);
        Some(Self { coding, wrappers: names.len(), names, parameters })
    }

    /// The parameters of the coding.
    pub(super) fn parameters(&self) -> Option<&'d Dictionary> {
        (self.coding != Coding::Plain).then(|| self.parameters.last().copied().flatten()).flatten()
    }

    /// The segments that pictures in JBIG2 share.
    pub(super) fn globals(&self, document: &Document) -> Option<Vec<u8>> {
        let globals = document.value(self.parameters()?, b"JBIG2Globals")?.as_stream().ok()?;
        unpacked(globals, CODED_BYTES)
    }

    /// The data before its coding. `bytes` is what samples take.
    pub(super) fn unwrap<'s>(&self, stream: &'s Stream, bytes: usize) -> Option<Cow<'s, [u8]>> {
        if self.names.is_empty() {
            return Some(Cow::Borrowed(&stream.content));
        }
        let chain = self.names.iter().map(|name| name.as_bytes()).zip(self.parameters.iter().copied());
        let most = if self.coding == Coding::Plain {
            // Text takes up to two bytes for one, before the last filter.
            bytes.saturating_mul(2).saturating_add(SPARE_BYTES)
        } else {
            CODED_BYTES
        };
        let most = most.max(stream.content.len());
        filters::unpack_by(&stream.content, &chain.collect::<Vec<_>>(), most).ok().map(|unpacked| unpacked.bytes)
    }
}
