//! Streams unpacked as other readers do: a wrong checksum doesn't count, and of broken data, what comes before the break is kept.
//!
//! lopdf by itself ends with an error, or gives the beginning without a word.

#![allow(clippy::wildcard_enum_match_arm, reason = "an object of any other type is the same as none")]

mod inflate;
mod predictor;
mod text;

use std::borrow::Cow;
use std::cell::Cell;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use lopdf::{DecompressError, Dictionary, Document, Object, ObjectId, Stream, dictionary};
use std::io::Write as _;

/// More filters than any sound stream has.
const FILTERS: usize = 16;
/// Streams that unpack to more are left as they are.
const MENDED_BYTES: usize = 64 << 20;

thread_local! {
    /// Whether damage was seen since the last [`forget`]. Static, since streams are read everywhere, and only the end of a job tells.
    static DAMAGED: Cell<bool> = const { Cell::new(false) };
}

/// Forgets the damage of earlier jobs.
pub fn forget() {
    DAMAGED.set(false);
}

/// Whether a stream was damaged that this thread unpacked since the last [`forget`].
pub fn saw_damage() -> bool {
    DAMAGED.get()
}

/// How sound packed data is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Nothing is wrong with it.
    Sound,
    /// All of it was unpacked, and its checksum or its end is wrong.
    Whole,
    /// Only what comes before a break was unpacked.
    Cut,
}

impl Condition {
    /// The worse one.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Cut, _) | (_, Self::Cut) => Self::Cut,
            (Self::Whole, _) | (_, Self::Whole) => Self::Whole,
            (Self::Sound, Self::Sound) => Self::Sound,
        }
    }
}

/// Why a stream can't be unpacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// It unpacks to more bytes than allowed.
    #[error("it unpacks to too many bytes")]
    TooLarge,
    /// A filter is unknown or unpacks no bytes, as those of pictures, or its parameters are impossible.
    #[error("its filters can't be undone")]
    Filters,
}

/// What a stream unpacks to.
#[derive(Debug)]
pub struct Unpacked<'s> {
    /// The bytes.
    pub bytes: Cow<'s, [u8]>,
    /// Whether these are all of them.
    pub condition: Condition,
}

/// Unpacks a stream into at most `most` bytes.
///
/// # Errors
/// If there are more, or its filters are no ones that unpack bytes.
pub fn unpack(stream: &Stream, most: usize) -> Result<Unpacked<'_>, Unreadable> {
    let names: Vec<&[u8]> = match stream.dict.get(b"Filter") {
        Ok(Object::Name(name)) => vec![name],
        Ok(Object::Array(names)) => {
            names.iter().map(|name| name.as_name()).collect::<Result<_, _>>().map_err(|_| Unreadable::Filters)?
        }
        Ok(Object::Null) | Err(_) => Vec::new(),
        Ok(_) => return Err(Unreadable::Filters),
    };
    let parameters = |index: usize| match stream.dict.get(b"DecodeParms") {
        Ok(Object::Dictionary(parameters)) => Some(parameters),
        Ok(Object::Array(parameters)) => parameters.get(index)?.as_dict().ok(),
        _ => None,
    };
    let chain: Vec<_> = names.iter().enumerate().map(|(index, name)| (*name, parameters(index))).collect();
    let unpacked = unpack_by(&stream.content, &chain, most)?;
    if unpacked.condition != Condition::Sound {
        DAMAGED.set(true);
    }
    Ok(unpacked)
}

/// Unpacks bytes by these filters and their parameters, in this order. Damage of pictures, which are read so, isn't told: they lose little.
///
/// # Errors
/// As for [`unpack`].
pub fn unpack_by<'s>(
    packed: &'s [u8],
    chain: &[(&[u8], Option<&Dictionary>)],
    most: usize,
) -> Result<Unpacked<'s>, Unreadable> {
    if chain.len() > FILTERS {
        return Err(Unreadable::Filters);
    }
    let mut unpacked = Unpacked { bytes: Cow::Borrowed(packed), condition: Condition::Sound };
    for (name, parameters) in chain {
        let (bytes, condition) = step(&unpacked.bytes, name, *parameters, most)?;
        unpacked = Unpacked { bytes: Cow::Owned(bytes), condition: unpacked.condition.and(condition) };
    }
    if unpacked.bytes.len() <= most { Ok(unpacked) } else { Err(Unreadable::TooLarge) }
}

/// Undoes one filter.
fn step(
    packed: &[u8],
    name: &[u8],
    parameters: Option<&Dictionary>,
    most: usize,
) -> Result<(Vec<u8>, Condition), Unreadable> {
    let (bytes, condition) = match name {
        b"FlateDecode" | b"Fl" => {
            let (bytes, condition) = inflate::inflate(packed, most).ok_or(Unreadable::TooLarge)?;
            predictor::undo(bytes, condition, parameters).ok_or(Unreadable::Filters)?
        }
        b"LZWDecode" | b"LZW" => {
            let early = parameters.and_then(|parameters| parameters.get(b"EarlyChange").ok()).cloned();
            let early = dictionary! { "EarlyChange" => early.unwrap_or(Object::Integer(1)) };
            let bytes = by_lopdf(packed, "LZWDecode", Some(early), most)?;
            predictor::undo(bytes, Condition::Sound, parameters).ok_or(Unreadable::Filters)?
        }
        b"RunLengthDecode" | b"RL" => (by_lopdf(packed, "RunLengthDecode", None, most)?, Condition::Sound),
        b"BrotliDecode" => (by_lopdf(packed, "BrotliDecode", None, most)?, Condition::Sound),
        b"ASCII85Decode" | b"A85" => text::base85(packed, most),
        b"ASCIIHexDecode" | b"AHx" => text::hexadecimal(packed, most),
        // What was encrypted is decrypted before streams are unpacked.
        b"Crypt" => (packed.to_vec(), Condition::Sound),
        _ => return Err(Unreadable::Filters),
    };
    if bytes.len() <= most { Ok((bytes, condition)) } else { Err(Unreadable::TooLarge) }
}

/// Filters of which lopdf keeps what comes before a break.
fn by_lopdf(packed: &[u8], filter: &str, parameters: Option<Dictionary>, most: usize) -> Result<Vec<u8>, Unreadable> {
    let mut dict = dictionary! { "Filter" => filter };
    if let Some(parameters) = parameters {
        dict.set("DecodeParms", parameters);
    }
    Stream::new(dict, packed.to_vec()).decompressed_content_with_limit(most).map_err(|error| match error {
        lopdf::Error::Decompress(DecompressError::MemoryLimitExceeded { .. }) => Unreadable::TooLarge,
        _ => Unreadable::Filters,
    })
}

/// Replaces damaged streams by what was unpacked of them, so that whoever reads the result reads the same. Data of pictures stays. Says
/// whether there were any.
pub fn mend(document: &mut Document) -> bool {
    let mut is_mended = false;
    for object in document.objects.values_mut() {
        let Object::Stream(stream) = object else { continue };
        let is_packed = stream.dict.has(b"Filter") && !stream.dict.has(b"F") && !stream.content.is_empty();
        if !is_packed || stream.dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|kind| kind == b"Image") {
            continue;
        }
        let Ok(Unpacked { bytes, condition }) = unpack(stream, MENDED_BYTES) else { continue };
        if condition == Condition::Sound {
            continue;
        }
        let bytes = bytes.into_owned();
        is_mended = true;
        set(stream, bytes);
    }
    is_mended
}

/// Gives a stream this content, packed if that is shorter.
fn set(stream: &mut Stream, content: Vec<u8>) {
    stream.dict.remove(b"DecodeParms");
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    match encoder.write_all(&content).and_then(|()| encoder.finish()) {
        Ok(packed) if packed.len() < content.len() => {
            stream.dict.set("Filter", "FlateDecode");
            stream.set_content(packed);
        }
        Ok(_) | Err(_) => {
            stream.dict.remove(b"Filter");
            stream.set_content(content);
        }
    }
}

/// Writes filters and their parameters into the streams that name them by references, as few writers do and all readers allow.
pub fn resolve(document: &mut Document) {
    let is_elsewhere = |object: &Object| match object {
        Object::Reference(_) => true,
        Object::Array(parts) => parts.iter().any(|part| matches!(part, Object::Reference(_))),
        _ => false,
    };
    let mut found: Vec<(ObjectId, &'static str, Object)> = Vec::new();
    for (id, object) in &document.objects {
        let Object::Stream(stream) = object else { continue };
        for key in ["Filter", "DecodeParms"] {
            let Ok(value) = stream.dict.get(key.as_bytes()) else { continue };
            if is_elsewhere(value) {
                found.push((*id, key, direct(document, value)));
            }
        }
    }
    for (id, key, value) in found {
        if let Ok(Object::Stream(stream)) = document.get_object_mut(id) {
            stream.dict.set(key, value);
        }
    }
}

/// The object without references to it or in it.
fn direct(document: &Document, object: &Object) -> Object {
    let resolved = |object: &Object| match document.dereference(object) {
        Ok((_, object)) if object.as_stream().is_err() => object.clone(),
        Ok(_) | Err(_) => Object::Null,
    };
    match resolved(object) {
        Object::Array(parts) => Object::Array(parts.iter().map(resolved).collect()),
        other => other,
    }
}

#[cfg(test)]
mod tests;
