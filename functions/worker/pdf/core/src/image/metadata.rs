//! Removes metadata from JPEG and JPEG 2000 data: camera, location, previews, comments.

/// Returns JPEG data without comments, EXIF, XMP, previews, and bytes after the end marker. `None` if the data can't be read or
/// has no metadata.
pub fn jpeg(data: &[u8]) -> Option<Vec<u8>> {
    let mut kept = data.get(..2).filter(|start| *start == [0xff, 0xd8])?.to_vec();
    let mut at = 2;
    loop {
        // A marker may follow any number of fill bytes.
        let marker_at = at + data.get(at..)?.iter().position(|byte| *byte != 0xff)?;
        if marker_at == at {
            return None;
        }
        let marker = *data.get(marker_at)?;
        let body = marker_at + 1;
        match marker {
            0xd9 => {
                kept.extend([0xff, 0xd9]);
                return (kept.len() != data.len()).then_some(kept);
            }
            0x01 | 0xd0..=0xd7 => {
                kept.extend([0xff, marker]);
                at = body;
            }
            _ => {
                let length = usize::from(u16::from_be_bytes([*data.get(body)?, *data.get(body + 1)?]));
                let segment = data.get(body..body.checked_add(length)?)?;
                let content = segment.get(2..)?;
                let needed = match marker {
                    // Resolution, color profile, and color encoding.
                    0xe0 => content.starts_with(b"JFIF\0"),
                    0xe2 => content.starts_with(b"ICC_PROFILE\0"),
                    0xee => content.starts_with(b"Adobe"),
                    0xe1..=0xef | 0xfe => false,
                    _ => true,
                };
                if marker == 0xe0 && needed {
                    // A preview may follow the resolution.
                    kept.extend([0xff, 0xe0, 0, 16]);
                    kept.extend_from_slice(content.get(..12)?);
                    kept.extend([0, 0]);
                } else if needed {
                    kept.extend([0xff, marker]);
                    kept.extend_from_slice(segment);
                }
                at = body + length;
                if marker == 0xda {
                    let end = scan_end(data, at)?;
                    kept.extend_from_slice(data.get(at..end)?);
                    at = end;
                }
            }
        }
    }
}

/// Returns the end of a scan's data: the next marker that is not part of the scan.
fn scan_end(data: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at += memchr::memchr(0xff, data.get(at..)?)?;
        match data.get(at + 1)? {
            0x00 | 0xd0..=0xd7 => at += 2,
            0xff => at += 1,
            _ => return Some(at),
        }
    }
}

/// Returns JPEG 2000 data with only the boxes that the picture needs. `None` in the same cases as [`jpeg`].
pub fn jpeg2000(data: &[u8]) -> Option<Vec<u8>> {
    const NEEDED: [&[u8; 4]; 4] = [b"jP  ", b"ftyp", b"jp2h", b"jp2c"];
    let mut kept = Vec::with_capacity(data.len());
    let mut rest = data;
    if rest.get(4..8)? != NEEDED[0] {
        return None;
    }
    while let Some((head, _)) = rest.split_first_chunk::<8>() {
        let [a, b, c, d, own @ ..] = head;
        let length = match u32::from_be_bytes([*a, *b, *c, *d]) {
            0 => rest.len(),
            1 => usize::try_from(u64::from_be_bytes(*rest.get(8..)?.first_chunk()?)).ok()?,
            length => length as usize,
        };
        let (whole, after) = rest.split_at_checked(length).filter(|(whole, _)| whole.len() >= 8)?;
        if NEEDED.contains(&own) {
            kept.extend_from_slice(whole);
        }
        rest = after;
    }
    (kept.len() != data.len()).then_some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jpeg_loses_all_but_its_picture() {
        let jpeg_of = |extra: &[u8], tail: &[u8]| {
            [
                &[0xff, 0xd8][..],
                b"\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0",
                extra,
                b"\xff\xda\0\x03x",
                b"ab\xff\0c\xff\xd0d",
                b"\xff\xd9",
                tail,
            ]
            .concat()
        };
        let plain = jpeg_of(b"", b"");
        assert_eq!(jpeg(&plain), None);
        for (extra, tail) in [
            (&b"\xff\xe1\0\x08Exif\0\0"[..], &b""[..]),
            (b"\xff\xfe\0\x08secret", b""),
            (b"", b"after the end"),
            (b"\xff\xff\xfe\0\x03x", b""),
        ] {
            assert_eq!(jpeg(&jpeg_of(extra, tail)), Some(plain.clone()));
        }
        for cut in 0..plain.len() {
            assert_eq!(jpeg(&plain[..cut]), None);
        }
    }

    #[test]
    fn a_jpeg_2000_file_loses_other_boxes() {
        let boxed =
            |kind: &[u8; 4], content: &[u8]| [&(content.len() as u32 + 8).to_be_bytes()[..], kind, content].concat();
        let plain = [boxed(b"jP  ", b"\r\n\x87\n"), boxed(b"jp2c", b"data")].concat();
        assert_eq!(jpeg2000(&plain), None);
        let more = [
            boxed(b"jP  ", b"\r\n\x87\n"),
            boxed(b"xml ", b"<secret/>"),
            boxed(b"jp2c", b"data"),
            boxed(b"uuid", b"x"),
        ];
        assert_eq!(jpeg2000(&more.concat()), Some(plain));
        assert_eq!(jpeg2000(b"\xff\x4f\xff\x51"), None);
    }
}
