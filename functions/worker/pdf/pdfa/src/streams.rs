//! Streams: location and compression of data, and entries of images and forms.

use std::io::{self, Write as _};

use docmill_pdf_core::deferred_pictures::DeferredPictures;
use docmill_pdf_core::objects::{Lookup, unpacked};
use docmill_pdf_request::Failure;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use lopdf::{Document, Object, ObjectId, Stream};

use super::verdict::{Level, Repair, Rule, Verdict};
use super::walk;

/// Most unpacked bytes of a stream.
const UNPACKED_BYTES: usize = 256 << 20;
const FILTERS: [&[u8]; 7] = [
    b"FlateDecode",
    b"DCTDecode",
    b"CCITTFaxDecode",
    b"JBIG2Decode",
    b"RunLengthDecode",
    b"ASCII85Decode",
    b"ASCIIHexDecode",
];
/// Entries that only graphics states have.
const STATE: [&[u8]; 10] = [b"ca", b"SMask", b"BM", b"TR", b"TR2", b"HT", b"OPM", b"AIS", b"op", b"OP"];
const INTENTS: [&[u8]; 4] = [b"RelativeColorimetric", b"AbsoluteColorimetric", b"Perceptual", b"Saturation"];

pub(super) fn mend(document: &mut Document, held: &DeferredPictures, verdict: &mut Verdict) -> Result<(), Failure> {
    let ids: Vec<ObjectId> =
        document.objects.iter().filter(|(_, object)| object.as_stream().is_ok()).map(|(id, _)| *id).collect();
    for id in ids {
        let Some(Object::Stream(stream)) = document.objects.get_mut(&id) else { continue };
        let mut stream = std::mem::replace(stream, Stream::new(lopdf::Dictionary::new(), Vec::new()));
        data(document, held, &mut stream, verdict).map_err(|error| Failure::io(&error))?;
        match document.name(&stream.dict, b"Subtype") {
            Some(b"Image") => image(document, held, &mut stream, verdict).map_err(|error| Failure::io(&error))?,
            Some(b"Form") => form(document, &mut stream, verdict),
            Some(b"PS") => verdict.fail(Rule::PostScript),
            _ => {}
        }
        document.objects.insert(id, Object::Stream(stream));
    }
    intents(document, verdict);
    Ok(())
}

/// Data in another file, or with a forbidden compression.
fn data(document: &Document, held: &DeferredPictures, stream: &mut Stream, verdict: &mut Verdict) -> io::Result<()> {
    if [b"F".as_slice(), b"FFilter", b"FDecodeParms"].iter().any(|key| stream.dict.has(key)) {
        verdict.fail(Rule::External);
        return Ok(());
    }
    for key in ["Filter", "DecodeParms"] {
        // A reference is valid, but few readers support it.
        if let Some(value) = document.value(&stream.dict, key.as_bytes()).cloned()
            && stream.dict.get(key.as_bytes()).is_ok_and(|value| value.as_reference().is_ok())
        {
            stream.dict.set(key, value);
        }
    }
    let filters: Vec<Vec<u8>> = stream.filters().unwrap_or_default().into_iter().map(<[u8]>::to_vec).collect();
    let known = |name: &Vec<u8>| {
        FILTERS.contains(&name.as_slice()) || verdict.level != Level::One && name.as_slice() == b"JPXDecode"
    };
    if filters.iter().all(known) {
        return Ok(());
    }
    let is_lzw = filters.iter().any(|name| name == b"LZWDecode");
    let recoded = if is_lzw { recode(&*held.whole(stream)?) } else { None };
    match recoded {
        Some(recoded) => {
            *stream = recoded;
            verdict.mend(Repair::StreamRecoded);
        }
        None => verdict.fail(Rule::Filter),
    }
    Ok(())
}

fn recode(stream: &Stream) -> Option<Stream> {
    let content = unpacked(stream, UNPACKED_BYTES)?;
    let mut encoder = ZlibEncoder::new(Vec::with_capacity(content.len() / 2), Compression::default());
    let packed = encoder.write_all(&content).and_then(|()| encoder.finish()).ok()?;
    let mut new = Stream::new(stream.dict.clone(), packed);
    new.dict.set("Filter", "FlateDecode");
    new.dict.remove(b"DecodeParms");
    Some(new)
}

fn image(document: &Document, held: &DeferredPictures, image: &mut Stream, verdict: &mut Verdict) -> io::Result<()> {
    for key in [b"Alternates".as_slice(), b"OPI", b"Interpolate"] {
        if image.dict.remove(key).is_some() {
            verdict.mend(Repair::ImageEntries);
        }
    }
    let bits = document.integer(&image.dict, b"BitsPerComponent");
    let most = if verdict.level == Level::One { 8 } else { 16 };
    let sound = bits.is_none_or(|bits| matches!(bits, 1 | 2 | 4 | 8 | 16) && bits <= most);
    let is_mask = document.value(&image.dict, b"ImageMask").is_some_and(|mask| mask.as_bool().unwrap_or(false));
    if !sound || is_mask && bits.is_some_and(|bits| bits != 1) {
        verdict.fail(Rule::Image);
    }
    let is_jpeg_2000 = image.filters().is_ok_and(|filters| filters.contains(&b"JPXDecode".as_slice()));
    if is_jpeg_2000 && !jpeg_2000(&held.whole(image)?.content) {
        verdict.fail(Rule::Image);
    }
    Ok(())
}

/// Whether a JPEG 2000 picture meets PDF/A-2's requirements: one to four channels of one depth, and one allowed definition of its
/// colors.
fn jpeg_2000(data: &[u8]) -> bool {
    let Some(header) = memchr::memmem::find(data, b"jp2h") else { return false };
    let rest = data.get(header + 4..).unwrap_or_default();
    let find = |name: &[u8]| memchr::memmem::find(rest, name).and_then(|at| rest.get(at + 4..));
    let Some(ihdr) = find(b"ihdr") else { return false };
    let [_, _, _, _, _, _, _, _, high, low, depth, ..] = ihdr else { return false };
    let channels = u16::from_be_bytes([*high, *low]);
    // One box with the colors: enumerated sRGB, grey, or sYCC; others are rare.
    let specifications = memchr::memmem::find_iter(rest, b"colr").count();
    let Some(colr) = find(b"colr") else { return false };
    let enumerated = matches!(colr.first(), Some(1)) && matches!(colr.get(3..7), Some([0, 0, 0, 12 | 16..=18]));
    let profiled = matches!(colr.first(), Some(2));
    matches!(channels, 1 | 3 | 4)
        && (*depth & 0x7F) < 38
        && *depth != 0xFF
        && specifications == 1
        && (enumerated || profiled)
}

fn form(document: &Document, form: &mut Stream, verdict: &mut Verdict) {
    if form.dict.has(b"PS") || document.name(&form.dict, b"Subtype2") == Some(b"PS") {
        form.dict.remove(b"PS");
        form.dict.remove(b"Subtype2");
        verdict.mend(Repair::ImageEntries);
    }
    for key in [b"OPI".as_slice(), b"Ref"] {
        if form.dict.remove(key).is_some() {
            verdict.mend(Repair::ImageEntries);
        }
    }
}

/// Rendering intents, and entries for printers.
fn intents(document: &mut Document, verdict: &mut Verdict) {
    walk::dictionaries(document, |document, entries| {
        for key in [b"Intent".as_slice(), b"RI"] {
            // Layers have an intent too.
            let is_picture = key == b"RI" || document.name(entries, b"Subtype") == Some(b"Image");
            if is_picture && document.name(entries, key).is_some_and(|intent| !INTENTS.contains(&intent)) {
                entries.remove(key);
                verdict.mend(Repair::ImageEntries);
            }
        }
        if !is_graphics_state(document, entries) {
            return;
        }
        for key in [b"TR".as_slice(), b"HTP", b"HT"] {
            if entries.remove(key).is_some() {
                verdict.mend(Repair::ImageEntries);
            }
        }
        if document.name(entries, b"TR2") != Some(b"Default") {
            entries.remove(b"TR2");
        }
    });
}

/// Whether these are entries of a graphics state, which need not have a type.
pub(super) fn is_graphics_state(document: &Document, entries: &lopdf::Dictionary) -> bool {
    let is_untyped = document.name(entries, b"Type").is_none() && !entries.has(b"Subtype");
    // The caption of a button also has the key `CA`.
    let has_opacity = || entries.get(b"CA").is_ok_and(|opacity| document.number(opacity).is_some());
    entries.has_type(b"ExtGState") || is_untyped && (STATE.iter().any(|key| entries.has(key)) || has_opacity())
}
