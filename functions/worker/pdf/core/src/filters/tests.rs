use super::*;

/// More than a reader takes at a time, and not all alike.
fn lines() -> Vec<u8> {
    (0..6000).flat_map(|line| format!("BT /F1 12 Tf 72 {line} Td (Line {line}) Tj ET\n").into_bytes()).collect()
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn by(filter: &str, content: Vec<u8>) -> Stream {
    Stream::new(dictionary! { "Filter" => filter }, content)
}

fn read(stream: &Stream) -> (Vec<u8>, Condition) {
    let unpacked = unpack(stream, 1 << 20).unwrap();
    (unpacked.bytes.into_owned(), unpacked.condition)
}

#[test]
fn a_wrong_or_missing_checksum_does_not_count() {
    let sound = packed(&lines());
    assert_eq!(read(&by("FlateDecode", sound.clone())), (lines(), Condition::Sound));
    let mut wrong = sound.clone();
    *wrong.last_mut().unwrap() ^= 0xff;
    let mut odd_head = sound.clone();
    odd_head[1] ^= 1;
    let without_checksum = sound[..sound.len() - 4].to_vec();
    let without_head = sound[2..].to_vec();
    let after_line = [b"\r\n".as_slice(), &sound].concat();
    for damaged in [wrong, odd_head, without_checksum, without_head, after_line] {
        assert_eq!(read(&by("FlateDecode", damaged)), (lines(), Condition::Whole));
    }
}

#[test]
fn what_comes_before_a_break_is_kept() {
    let sound = packed(&lines());
    let half = sound.len() / 2;
    let mut broken = sound.clone();
    broken[half..half + 200].fill(0xff);
    for damaged in [broken, sound[..half].to_vec()] {
        let (bytes, condition) = read(&by("FlateDecode", damaged));
        assert_ne!(condition, Condition::Sound);
        // lopdf by itself gives up to 32 KiB less.
        assert!(bytes.len() > lines().len() / 4, "{}", bytes.len());
        let sound = bytes.iter().zip(lines()).take_while(|(a, b)| **a == *b).count();
        assert!(sound > lines().len() / 4, "{sound}");
    }
    assert_eq!(read(&by("FlateDecode", sound[..half].to_vec())).1, Condition::Cut);
    assert_eq!(read(&by("FlateDecode", b"\xff\xff\xff\xff".to_vec())).1, Condition::Cut);
    assert_eq!(read(&by("FlateDecode", Vec::new())), (Vec::new(), Condition::Sound));
}

#[test]
fn bombs_are_refused() {
    let bomb = packed(&vec![0; 2 << 20]);
    assert_eq!(unpack(&by("FlateDecode", bomb.clone()), 1 << 20).unwrap_err(), Unreadable::TooLarge);
    let mut wrong = bomb;
    *wrong.last_mut().unwrap() ^= 0xff;
    assert_eq!(unpack(&by("FlateDecode", wrong), 1 << 20).unwrap_err(), Unreadable::TooLarge);
    assert_eq!(unpack(&by("ASCII85Decode", vec![b'z'; 1 << 20]), 1 << 20).unwrap_err(), Unreadable::TooLarge);
    assert_eq!(unpack(&by("LZWDecode", vec![0; 1 << 20]), 10).unwrap_err(), Unreadable::TooLarge);
    let mut many = by("FlateDecode", packed(b""));
    many.dict.set("Filter", vec![Object::from("ASCIIHexDecode"); 17]);
    assert_eq!(unpack(&many, 1 << 20).unwrap_err(), Unreadable::Filters);
    assert_eq!(unpack(&by("DCTDecode", Vec::new()), 1 << 20).unwrap_err(), Unreadable::Filters);
}

#[test]
fn text_is_read_up_to_what_is_no_text() {
    let base = |text: &str| read(&by("ASCII85Decode", text.into()));
    assert_eq!(base("<~87cURD]j7BEbo80~>"), (b"Hello world!".to_vec(), Condition::Sound));
    assert_eq!(base("87cUR D]j7B\nEbo80"), (b"Hello world!".to_vec(), Condition::Sound));
    assert_eq!(base("87cURz~>"), (b"Hell\0\0\0\0".to_vec(), Condition::Sound));
    assert_eq!(base("87cUR\x7fD]j7BEbo80~>"), (b"Hell".to_vec(), Condition::Cut));
    let hexadecimal = |text: &str| read(&by("ASCIIHexDecode", text.into()));
    assert_eq!(hexadecimal("48 65 6C6c\n7>ff"), (b"Hellp".to_vec(), Condition::Sound));
    assert_eq!(hexadecimal("48g65>"), (b"He".to_vec(), Condition::Cut));
}

#[test]
fn rows_that_are_cut_or_filtered_in_an_unknown_way_are_kept() {
    let by_rows = |predictor: i64, bits: i64, colors: i64, columns: i64, bytes: &[u8]| {
        let mut stream = by("FlateDecode", packed(bytes));
        let parameters = dictionary! {
            "Predictor" => predictor, "BitsPerComponent" => bits, "Colors" => colors, "Columns" => columns
        };
        stream.dict.set("DecodeParms", parameters);
        read(&stream)
    };
    let png = |bytes: &[u8]| by_rows(15, 8, 1, 3, bytes);
    assert_eq!(png(&[0, 1, 2, 3, 2, 1, 1, 1]), (vec![1, 2, 3, 2, 3, 4], Condition::Sound));
    assert_eq!(png(&[1, 1, 2, 3, 3, 4, 4, 4]), (vec![1, 3, 6, 4, 7, 10], Condition::Sound));
    assert_eq!(png(&[0, 10, 20, 30, 4, 1, 1, 1]), (vec![10, 20, 30, 11, 21, 31], Condition::Sound));
    assert_eq!(png(&[0, 1, 2, 3, 2, 1]), (vec![1, 2, 3, 2], Condition::Cut));
    assert_eq!(png(&[0, 1, 2, 3, 0]), (vec![1, 2, 3], Condition::Sound));
    assert_eq!(png(&[9, 1, 2, 3]), (vec![1, 2, 3], Condition::Cut));
    assert_eq!(by_rows(2, 8, 3, 2, &[1, 2, 3, 1, 1, 1]).0, [1, 2, 3, 2, 3, 4]);
    assert_eq!(by_rows(2, 16, 1, 2, &[0, 200, 0, 100]).0, [0, 200, 1, 44]);
    assert_eq!(by_rows(2, 4, 1, 4, &[0x12, 0x3f]).0, [0x13, 0x65]);
    assert_eq!(by_rows(2, 1, 1, 8, &[0b1100_0000]).0, [0b1000_0000]);
    assert!(
        unpack(
            &Stream::new(
                dictionary! {
                    "Filter" => "FlateDecode",
                    "DecodeParms" => dictionary! { "Predictor" => 15, "Columns" => i64::MAX, "Colors" => i64::MAX },
                },
                packed(b"x")
            ),
            9
        )
        .is_err()
    );
}

#[test]
fn sound_rows_are_read_as_by_lopdf() {
    let bytes: Vec<u8> = (0_u32..8000).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    for (colors, bits, columns) in [(1_i64, 1_i64, 37_i64), (1, 4, 15), (3, 8, 33), (4, 16, 7), (1, 2, 5)] {
        let length = usize::try_from((colors * bits * columns + 7) / 8).unwrap();
        for predictor in [2, 10, 11, 12, 13, 14, 15] {
            let rows: Vec<u8> = bytes
                .chunks_exact(length)
                .zip((0_u8..5).cycle())
                .flat_map(|(row, number)| if predictor == 2 { row.to_vec() } else { [&[number], row].concat() })
                .collect();
            let mut stream = by("FlateDecode", packed(&rows));
            let parameters = dictionary! {
                "Predictor" => predictor, "BitsPerComponent" => bits, "Colors" => colors, "Columns" => columns
            };
            stream.dict.set("DecodeParms", parameters);
            let theirs = stream.decompressed_content().unwrap();
            assert!(read(&stream).0 == theirs, "{predictor} {colors} {bits} {columns}");
        }
    }
}

#[test]
fn lzw_and_chains_are_read_as_by_lopdf() {
    let lzw = b"\x80\x0B\x60\x50\x22\x0C\x0C\x85\x01".to_vec();
    assert_eq!(read(&by("LZWDecode", lzw)).0, b"-----A---B");
    let hexadecimal: String = packed(b"twice").iter().map(|byte| format!("{byte:02x}")).collect();
    let mut chain = by("ASCIIHexDecode", hexadecimal.into());
    chain.dict.set("Filter", vec![Object::from("AHx"), "Fl".into()]);
    chain.dict.set("DecodeParms", vec![Object::Null, dictionary! { "Predictor" => 1 }.into()]);
    assert_eq!(read(&chain), (b"twice".to_vec(), Condition::Sound));
}

#[test]
fn damaged_streams_are_replaced_and_sound_ones_and_pictures_are_not() {
    let mut wrong = packed(&lines());
    *wrong.last_mut().unwrap() ^= 0xff;
    let mut document = Document::with_version("1.7");
    let sound = document.add_object(by("FlateDecode", packed(&lines())));
    let damaged = document.add_object(by("FlateDecode", wrong.clone()));
    let mut picture = by("FlateDecode", wrong.clone());
    picture.dict.set("Subtype", "Image");
    let picture = document.add_object(picture);
    let content = |document: &Document, id| document.get_object(id).unwrap().as_stream().unwrap().content.clone();
    forget();
    assert!(mend(&mut document) && saw_damage());
    assert_eq!(content(&document, sound), packed(&lines()));
    assert_eq!(content(&document, picture), wrong);
    let mended = document.get_object(damaged).unwrap().as_stream().unwrap();
    assert_eq!(mended.get_plain_content().unwrap(), lines());
    assert!(!mend(&mut document));
}

#[test]
fn filters_that_stand_elsewhere_are_found() {
    let mut document = Document::with_version("1.7");
    let flate = document.add_object(Object::from("FlateDecode"));
    let parameters = document.add_object(dictionary! { "Predictor" => 12, "Columns" => 2 });
    let mut stream = by("FlateDecode", packed(&[0, 1, 2, 2, 1, 1]));
    stream.dict.set("Filter", vec![Object::Reference(flate)]);
    stream.dict.set("DecodeParms", parameters);
    let id = document.add_object(stream);
    resolve(&mut document);
    assert_eq!(read(document.get_object(id).unwrap().as_stream().unwrap()).0, [1, 2, 2, 3]);
}

#[test]
fn fuzz_filters() {
    docmill_fuzz::fuzz("filters", &[], |bytes| {
        let Some((names, data)) = bytes.split_at_checked(2) else { return };
        let all = ["FlateDecode", "LZWDecode", "RunLengthDecode", "ASCII85Decode", "ASCIIHexDecode"];
        let chain: Vec<Object> = names.iter().map(|name| Object::from(all[usize::from(name % 5)])).collect();
        let parameters = dictionary! {
            "Predictor" => i64::from(names[0] >> 4), "Columns" => i64::from(names[1]), "Colors" => i64::from(names[0] & 7),
            "BitsPerComponent" => 1 << (names[1] & 3),
        };
        let mut stream = Stream::new(dictionary! { "Filter" => chain }, data.to_vec());
        stream.dict.set("DecodeParms", vec![Object::Null, parameters.into()]);
        if let Ok(unpacked) = unpack(&stream, 1 << 16) {
            assert!(unpacked.bytes.len() <= 1 << 16);
        }
    });
}
