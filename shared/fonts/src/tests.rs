use std::path::{Path, PathBuf};

use super::*;

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(fixtures().join(name)).unwrap()
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/fonts")
}

fn faces(font: &Font) -> Vec<(&str, &str, u16, Option<&str>)> {
    font.faces.iter().map(|f| (f.family.as_str(), f.style.as_str(), f.weight, f.postscript_name.as_deref())).collect()
}

#[test]
fn each_format_is_read_and_described() {
    for (file, format, expected) in [
        ("triangle.ttf", Format::Ttf, vec![("Probe Triangle", "Regular", 400, Some("ProbeTriangle-Regular"))]),
        ("post.otf", Format::Otf, vec![("Probe Post", "Regular", 400, Some("ProbePost-Regular"))]),
        ("packed.woff2", Format::Woff2, vec![("Probe Packed", "Regular", 400, Some("ProbePacked-Regular"))]),
        (
            "pair.ttc",
            Format::Ttc,
            vec![
                ("Probe Pair", "Regular", 400, Some("ProbePair-Regular")),
                ("Probe Pair", "Bold", 700, Some("ProbePair-Bold")),
            ],
        ),
    ] {
        let font = read(&fixture(file)).unwrap();
        assert_eq!((font.format, faces(&font)), (format, expected), "{file}");
        let again = read(&font.file).unwrap();
        assert_eq!(again.file, font.file, "{file}: writing the written font again gives the same bytes");
        let glyphs = Glyphs::of(font.file);
        assert!(glyphs.draw('A') && glyphs.draw('\u{E123}') && !glyphs.draw('漢'), "{file}");
    }
}

#[test]
fn web_fonts_are_unpacked() {
    let unpacked = [fixture("packed.woff"), fixture("packed.woff2")].map(|file| unpack_web_font(&file).unwrap());
    for font in &unpacked {
        assert_eq!(faces(&read(font).unwrap())[0].0, "Probe Packed");
        assert!(Glyphs::of(font.clone()).draw('A'));
    }
    assert_eq!(unpack_web_font(&fixture("triangle.ttf")), None);

    // A table of the WOFF font that claims to be larger than a font may be.
    let mut bomb = fixture("packed.woff");
    bomb[44 + 12..44 + 16].copy_from_slice(&(MOST_BYTES as u32 + 1).to_be_bytes());
    assert_eq!(unpack_web_font(&bomb), None);
}

#[test]
fn the_new_file_has_known_tables_and_right_checksums() {
    let original = fixture("triangle.ttf");
    // Puts an unknown table in the place of an optional one.
    let position = original.windows(4).position(|tag| tag == b"post").unwrap();
    let mut strange = original.clone();
    strange[position..position + 4].copy_from_slice(b"poSt");
    let font = read(&strange).unwrap();
    assert!(!font.file.windows(4).any(|tag| tag == b"poSt"));
    assert_eq!(read_fonts::tables::compute_checksum(&font.file), 0xB1B0_AFBA);
    let written = FileRef::new(&font.file).unwrap().fonts().next().unwrap().unwrap();
    for record in written.table_directory.table_records() {
        let (start, end) = (record.offset() as usize, (record.offset() + record.length()) as usize);
        let mut table = font.file[start..end].to_vec();
        if record.tag() == *b"head" {
            table[8..12].fill(0);
        }
        assert_eq!(record.checksum(), read_fonts::tables::compute_checksum(&table), "{}", record.tag());
    }
}

#[test]
fn a_collection_shares_its_tables() {
    let font = read(&fixture("pair.ttc")).unwrap();
    assert!(font.file.starts_with(b"ttcf") && font.file.len() <= fixture("pair.ttc").len());
    let shared = |tag: &[u8; 4]| {
        let fonts = FileRef::new(&font.file).unwrap().fonts();
        let offset = |font: read_fonts::FontRef<'_>| {
            font.table_directory.table_records().iter().find(|record| record.tag() == *tag).unwrap().offset()
        };
        fonts.map(|font| offset(font.unwrap())).collect::<std::collections::BTreeSet<_>>().len()
    };
    assert_eq!((shared(b"cmap"), shared(b"glyf")), (1, 2));
}

#[test]
fn unusable_fonts_are_refused_with_the_reason() {
    let renamed = |from: &[u8; 4], to: &[u8; 4]| {
        let mut font = fixture("triangle.ttf");
        let position = font.windows(4).position(|tag| tag == from).unwrap();
        font[position..position + 4].copy_from_slice(to);
        read(&font).unwrap_err()
    };
    assert_eq!(read(b"").unwrap_err(), FontError::UnknownFormat);
    assert_eq!(read(b"%PDF-1.7").unwrap_err(), FontError::UnknownFormat);
    assert_eq!(read(b"OTTO").unwrap_err(), FontError::Damaged);
    assert_eq!(read(&fixture("locked.ttf")).unwrap_err(), FontError::EmbeddingNotAllowed);
    assert_eq!(renamed(b"glyf", b"gl_f"), FontError::NoOutlines);
    assert_eq!(renamed(b"cmap", b"cm_p"), FontError::DamagedTable("cmap"));
    assert_eq!(renamed(b"loca", b"lo_a"), FontError::DamagedTable("loca"));
    assert_eq!(read(&fixture("packed.woff2")[..400]).unwrap_err(), FontError::Damaged);
    let mut large = fixture("triangle.ttf");
    large.resize(MOST_BYTES + 1, 0);
    assert_eq!(read(&large).unwrap_err(), FontError::TooLarge);
}

#[test]
fn the_least_restrictive_embedding_permission_applies() {
    let with = |permissions: u16| {
        let mut font = fixture("triangle.ttf");
        let position = font.windows(4).position(|tag| tag == b"OS/2").unwrap();
        let offset = u32::from_be_bytes(font[position + 8..position + 12].try_into().unwrap()) as usize;
        font[offset + 8..offset + 10].copy_from_slice(&permissions.to_be_bytes());
        read(&font).map(drop)
    };
    for allowed in [0, 0x0004, 0x0008, 0x0006, 0x0100] {
        assert_eq!(with(allowed), Ok(()), "{allowed:#06x}");
    }
    for refused in [0x0002, 0x0102, 0x0200] {
        assert_eq!(with(refused), Err(FontError::EmbeddingNotAllowed), "{refused:#06x}");
    }
}

/// System fonts of all kinds: each is accepted, or refused for a reason that applies.
#[test]
fn fonts_in_use_are_read() {
    let mut taken = 0;
    for directory in ["/usr/share/fonts/truetype/liberation", "/usr/share/fonts/truetype/dejavu"] {
        for entry in std::fs::read_dir(directory).into_iter().flatten() {
            let path = entry.unwrap().path();
            let font =
                read(&std::fs::read(&path).unwrap()).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            assert!(!font.faces[0].family.is_empty());
            taken += 1;
        }
    }
    assert!(taken > 3, "run `make setup`: {taken}");
}

#[test]
fn fuzz_fonts_of_accounts() {
    docmill_fuzz::fuzz("account-fonts", &["../fixtures/fonts"], |bytes| {
        if let Ok(font) = read(bytes) {
            assert!(font.file.len() <= MOST_BYTES && !font.faces.is_empty());
            // The written font passes the check again.
            assert!(read(&font.file).is_ok());
            Glyphs::of(font.file).draw('A');
        }
    });
}
