//! Property tests: any bytes give a result, without panicking or hanging.

use docmill_engine::Limits;
use proptest::prelude::*;

use super::tests::{archive, compound, file, ooxml};
use super::*;

fn survives(content: &[u8]) {
    let file = file(content);
    if let Ok(format) = identify(file.path(), Hints::default()) {
        // Both results are valid.
        let _ = check(file.path(), format, &Limits::default());
    }
    for format in Format::ALL.iter().copied() {
        let _ = check(file.path(), format, &Limits::default());
    }
}

fn samples() -> Vec<Vec<u8>> {
    let word = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml";
    let body = "<?xml version='1.0' encoding='utf-8'?><a b='c'>text &amp; <d/><![CDATA[x]]><!-- y --></a>";
    let png = b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x10\x08\x06\0\0\0";
    let jpeg = b"\xFF\xD8\xFF\xE0\0\x04\0\0\xFF\xC0\0\x11\x08\0\x10\0\x10\x03\0\0\0";
    vec![
        ooxml("word/document.xml", word, body, &[("a.png", png), ("b.jpg", jpeg)]),
        archive(&[("mimetype", b"application/vnd.oasis.opendocument.text"), ("content.xml", body.as_bytes())]),
        compound(&[("WordDocument", &[0; 64]), ("1Table", &[0; 5_000])]),
        compound(&[("Workbook", &[9, 8, 4, 0, 0, 6, 5, 0, 0x2F, 0, 2, 0, 0, 0]), ("Current User", &[0; 32])]),
        body.as_bytes().to_vec(),
        b"{\\rtf1 text}".to_vec(),
        b"a,b\n1,2\n".to_vec(),
    ]
}

/// A byte that is changed, inserted or removed.
fn mutations() -> impl Strategy<Value = Vec<(prop::sample::Index, u8, u8)>> {
    prop::collection::vec((any::<prop::sample::Index>(), 0..4_u8, any::<u8>()), 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_are_answered(content in prop::collection::vec(any::<u8>(), 0..2_000), signature in 0..6_usize) {
        let signatures: [&[u8]; 6] = [b"", b"PK\x03\x04", compound::MAGIC, b"<?xml ", b"{\\rtf", b"\xFF\xFE"];
        survives(&[signatures[signature], &content].concat());
    }

    #[test]
    fn damaged_documents_are_answered(sample in any::<prop::sample::Index>(), mutations in mutations()) {
        let samples = samples();
        let mut content = samples[sample.index(samples.len())].clone();
        for (at, kind, byte) in mutations {
            let at = at.index(content.len().max(1));
            match kind {
                0 => content.insert(at, byte),
                1 if content.len() > 1 => drop(content.remove(at)),
                2 => content.truncate(at.max(1)),
                _ => content[at] = byte,
            }
        }
        survives(&content);
    }
}

#[test]
fn fuzz_documents() {
    docmill_fuzz::fuzz("documents", &["../fixtures/office"], survives);
}
